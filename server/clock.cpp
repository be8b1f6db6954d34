#include "server/clock.hpp"

#include <ctime>

namespace headway::server {

Clock::Clock()
    : wall_at_start_(std::chrono::time_point_cast<core::Millis>(std::chrono::system_clock::now())),
      steady_at_start_(Steady::now()) {}

core::Timestamp Clock::now() const {
    return wall_at_start_ +
           std::chrono::duration_cast<core::Millis>(Steady::now() - steady_at_start_);
}

Clock::Steady::time_point Clock::coarse() {
    // libstdc++'s steady_clock counts CLOCK_MONOTONIC, and so does its coarse twin.
    timespec at{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
    return Steady::time_point{std::chrono::seconds{at.tv_sec} +
                              std::chrono::nanoseconds{at.tv_nsec}};
}

}  // namespace headway::server
