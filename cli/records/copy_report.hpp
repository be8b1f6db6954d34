// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/app.hpp"
#include "cli/base/console.hpp"

// Code shared by `headway backup` and `headway restore`.

namespace headway::cli {

class Json;

/// Checks that the journal is in a file. Error: kInvalidConfig if it is in a store that several
/// daemons share.
core::Result<> require_own_database(const config::Settings& settings);

/// The path of the database of these settings. Errors: those of config::load and of
/// require_own_database().
core::Result<std::string> database_of(const config::LoadRequest& sources);

/// The report as JSON. Pure.
Json copy_json(const std::string& file, const CopyReport& report);

void say_copy(const Console& console, const std::string& verb, const std::string& file,
              std::uint64_t sessions, std::uint64_t events);

/// Prints on stderr which parts of the copy are damaged; nothing if all are sound.
void say_damage(const Console& console, const CopyReport& report);

}  // namespace headway::cli
