// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/app.hpp"
#include "cli/console.hpp"

// What `headway backup` and `headway restore` share.

namespace headway::cli {

class Json;

/// The path of the database of these settings. Errors: those of config::load.
core::Result<std::string> database_of(const config::LoadRequest& sources);

/// Pure.
Json copy_json(const std::string& file, const CopyReport& report);

void say_copy(const Console& console, const std::string& verb, const std::string& file,
              std::uint64_t sessions, std::uint64_t events);

}  // namespace headway::cli
