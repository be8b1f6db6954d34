// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/base/console.hpp"
#include "cli/verbs/run/run.hpp"

namespace headway::cli {

/// `headway run`: runs a command, with a session from its start to its exit. The command runs even
/// if the daemon is unreachable or fails. Returns the command's exit status. A run that keeps an
/// agent going has a record file until it ends.
int run_command(const RunOptions& options, const Console& console);

/// Continues the run of the record in `file`, in the same session and conversation. `client` names
/// the daemon, because a record does not. Returns the exit status, as above.
int continue_run(RecordFile file, const RunRecord& record, const ClientOptions& client,
                 const Console& console);

}  // namespace headway::cli
