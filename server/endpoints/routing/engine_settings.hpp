// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/settings/settings.hpp"
#include "server/engine/base/settings.hpp"
#include "server/process/service_notifier.hpp"

namespace headway::server {

/// The configuration in the form that the engine uses. `manager` must outlive the result.
EngineSettings engine_settings(const config::Settings& settings, const ServiceNotifier& manager);

/// The part of engine_settings() that a reload replaces.
ReloadableSettings reloadable_settings(const config::Settings& settings);

}  // namespace headway::server
