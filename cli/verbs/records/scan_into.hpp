// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cli/base/console.hpp"
#include "cli/client/client_options.hpp"
#include "cli/scan/find_stores.hpp"
#include "cli/scan/scanned_session.hpp"

namespace headway::cli {

struct ScanIntoOptions {
    ClientOptions client;  ///< the daemon; an empty URL: no daemon
    bool dry_run = false;
    bool json = false;
};

/// Adds scanned sessions to the history of a daemon, and prints how many were added or left out.
/// Returns the exit code.
int put_into(const ScanIntoOptions& options, const FoundStores& found,
             const std::vector<ScannedSession>& sessions, const std::function<bool()>& stopped,
             const Console& console);

}  // namespace headway::cli
