// SPDX-License-Identifier: Apache-2.0
#include "server/time/local_day.hpp"

#include <time.h>

namespace headway::server {

core::Millis local_offset(core::Timestamp at) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    const time_t moment = seconds.time_since_epoch().count();
    tm here{};
    if (::localtime_r(&moment, &here) == nullptr) return core::Millis{0};
    return std::chrono::seconds{here.tm_gmtoff};
}

LocalDay local_day(core::Timestamp at) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    const time_t moment = seconds.time_since_epoch().count();
    tm here{};
    LocalDay day;
    if (::localtime_r(&moment, &here) == nullptr) return day;
    char date[16];
    const std::size_t size = ::strftime(date, sizeof date, "%Y-%m-%d", &here);
    day.date.assign(date, size);
    day.since_midnight = std::chrono::hours{here.tm_hour} + std::chrono::minutes{here.tm_min} +
                         std::chrono::seconds{here.tm_sec} + (at - seconds);
    return day;
}

}  // namespace headway::server
