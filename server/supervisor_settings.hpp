// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings.hpp"
#include "server/service_notifier.hpp"
#include "server/supervisor.hpp"

namespace headway::server {

/// The part of the configuration that the supervisor works by, and the watchdog of a manager that
/// wants one fed, which has to outlive it. Pure.
Supervisor::Settings supervisor_settings(const config::Settings& settings,
                                         const ServiceNotifier& manager);

}  // namespace headway::server
