// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings.hpp"
#include "server/service_notifier.hpp"
#include "server/supervisor.hpp"

namespace headway::server {

/// The supervisor's part of the configuration, with the watchdog of the service manager, which must
/// outlive the result. Pure.
Supervisor::Settings supervisor_settings(const config::Settings& settings,
                                         const ServiceNotifier& manager);

}  // namespace headway::server
