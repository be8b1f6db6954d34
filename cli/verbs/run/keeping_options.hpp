// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/line/verb.hpp"
#include "cli/verbs/run/run.hpp"

// The options of `headway run --keep-going`, and how they come to a record and back.

namespace headway::cli {

void declare_keeping(Arguments& arguments, RunOptions& options);

/// The fault in these options; nothing if they are good.
std::optional<Mistake> keeping_fault(const RunOptions& options);

/// Adds [keep_going] of the user's own settings file to the options, which win over it. A file that
/// is wrong is named and not used. The fault in the options then; nothing if they are good.
std::optional<Mistake> settle_keeping(RunOptions& options, const Console& console);

/// The record of a run that begins now.
RunRecord new_record(const RunOptions& options, const std::string& session, const std::string& goal,
                     const std::map<std::string, std::string>& environment);
/// The options of a run that goes on from its record.
RunOptions options_of(const RunRecord& record, const ClientOptions& client,
                      const std::map<std::string, std::string>& environment);

/// True while systemd shuts the machine down: a SIGTERM is then no word of a person.
bool machine_goes_down(const std::map<std::string, std::string>& environment);

}  // namespace headway::cli
