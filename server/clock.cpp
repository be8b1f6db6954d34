#include "server/clock.hpp"

namespace headway::server {

Clock::Clock()
    : wall_at_start_(std::chrono::time_point_cast<core::Millis>(std::chrono::system_clock::now())),
      steady_at_start_(Steady::now()) {}

core::Timestamp Clock::now() const {
    return wall_at_start_ +
           std::chrono::duration_cast<core::Millis>(Steady::now() - steady_at_start_);
}

}  // namespace headway::server
