// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/time.hpp"

namespace headway::server {

/// A time as the clock on the wall shows it here.
struct LocalDay {
    std::string date;  ///< "2026-11-28"
    core::Millis since_midnight{0};
};

/// How far the clock on the wall is ahead of UTC at that time, in the time zone of the process.
core::Millis local_offset(core::Timestamp at);

/// In the same zone.
LocalDay local_day(core::Timestamp at);

}  // namespace headway::server
