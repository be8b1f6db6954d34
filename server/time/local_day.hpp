// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/time.hpp"

namespace headway::server {

/// A time in the local time zone.
struct LocalDay {
    std::string date;  ///< such as "2026-11-28"
    core::Millis since_midnight{0};
};

/// Offset of the process's time zone from UTC, at the time `at`.
core::Millis local_offset(core::Timestamp at);

/// The day and the time of `at` in the process's time zone.
LocalDay local_day(core::Timestamp at);

}  // namespace headway::server
