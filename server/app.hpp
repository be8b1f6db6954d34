// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/load.hpp"

namespace headway::server {

/// `headway serve`: loads the settings, opens the store, wires everything, serves until SIGTERM or
/// SIGINT, drains. Returns the exit status: 0 after a clean drain, 2 for a mistake in the
/// configuration, 1 for any other failure.
int serve(const config::ServeOptions& options);

}  // namespace headway::server
