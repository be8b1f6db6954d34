// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/base/console.hpp"
#include "cli/verbs/run/run.hpp"

namespace headway::cli {

/// `headway run`: a session from a command's start to its exit. Whatever happens to the daemon, the
/// command runs. Returns its exit status. A run that keeps an agent going has a record for as long
/// as it lasts.
int run_command(const RunOptions& options, const Console& console);

/// Goes on with the run of the record in `file`, in the same session and conversation. `client`
/// names the daemon, because a record does not. Returns the exit status, as above.
int continue_run(RecordFile file, const RunRecord& record, const ClientOptions& client,
                 const Console& console);

}  // namespace headway::cli
