// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/records/offline_judge.hpp"

namespace headway::cli {

/// Judges a whole export from its events. Everything in it is kept (actions of people, budgets and
/// judges, directives that the agent got and followed), except the verdicts, which are made again.
/// Whether the agent was silent is also taken from the export, because only the daemon knew when it
/// listened. With the rules and the policy of the daemon, the verdicts equal the daemon's. Errors:
/// those of api::decode_stored_event(); the detail begins with the line ("12: ..."). Pure.
core::Result<Timeline> judge_journal(std::vector<StoredEvent> journal, bool keep_journal);

}  // namespace headway::cli
