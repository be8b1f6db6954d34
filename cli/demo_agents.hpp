// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/console.hpp"
#include "cli/options.hpp"

namespace headway::cli {

/// One of the three agents of `headway demo`, in this process: it works with real commands in
/// `options.folder` and reports each step. Returns when its task is done, with the exit code: 0, or
/// kExitUnreachable when the daemon is gone.
int run_demo_agent(const DemoAgentOptions& options, const Console& console);

}  // namespace headway::cli
