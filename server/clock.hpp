#pragma once

#include <chrono>

#include "core/time.hpp"

namespace headway::server {

/// The one clock. Wall time when it was made, steady time from there on: stamps never run backwards
/// and no step of the wall clock makes an agent silent. Any thread.
class Clock {
public:
    using Steady = std::chrono::steady_clock;

    Clock();

    core::Timestamp now() const;
    static Steady::time_point steady() { return Steady::now(); }
    /// Steady time as of the last tick of the kernel, a few milliseconds old and almost free: for
    /// deadlines.
    static Steady::time_point coarse();

private:
    core::Timestamp wall_at_start_;
    Steady::time_point steady_at_start_;
};

}  // namespace headway::server
