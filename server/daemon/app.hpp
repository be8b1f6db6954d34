// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "config/load/load.hpp"
#include "core/base/result.hpp"

namespace boost::asio {
class io_context;
}

namespace headway::server {

/// An extension for test programs. It gets the event loop of the I/O thread, and lives until the
/// daemon has ended.
using Guest = std::shared_ptr<void>;
using Invite = std::function<core::Result<Guest>(boost::asio::io_context&)>;

/// `headway serve`: loads the settings, opens the store, connects the components, serves until
/// SIGTERM or SIGINT, then drains. Returns the exit status: 0 after a clean drain, 2 for a mistake
/// in the configuration, 1 for any other failure.
int serve(const config::ServeOptions& options, const Invite& invite = {});

}  // namespace headway::server
