// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/line/verb.hpp"
#include "cli/verbs/run/run.hpp"

// The options of `headway run --keep-going`, and their conversion to a record and back.

namespace headway::cli {

void declare_keeping(Arguments& arguments, RunOptions& options);

/// The fault in these options; nothing if they are good.
std::optional<Mistake> keeping_fault(const RunOptions& options);

/// Adds [keep_going] of the user's own settings file to the options, which take precedence. A file
/// with mistakes is not used, and a warning is printed. Returns the fault in the result, if any.
std::optional<Mistake> settle_keeping(RunOptions& options, const Console& console);

/// The record of a run that begins now.
RunRecord new_record(const RunOptions& options, const std::string& session, const std::string& goal,
                     const std::map<std::string, std::string>& environment);
/// The options of a run that continues from its record.
RunOptions options_of(const RunRecord& record, const ClientOptions& client,
                      const std::map<std::string, std::string>& environment);

/// True while systemd shuts the machine down; a SIGTERM then does not come from a person.
bool machine_goes_down(const std::map<std::string, std::string>& environment);

}  // namespace headway::cli
