// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/client/client_options.hpp"

namespace headway::cli {

/// A link to the dashboard.
struct DashboardOptions {
    ClientOptions client;
    bool open = false;  ///< open the link in the desktop's browser
};

}  // namespace headway::cli
