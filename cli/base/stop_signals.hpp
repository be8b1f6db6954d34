// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <ctime>

namespace headway::cli {

/// Blocks SIGINT and SIGTERM during its lifetime; came() polls for them, so that the caller can
/// finish its current work properly before it stops. Main thread.
class StopSignals {
public:
    StopSignals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGINT);
        sigaddset(&set_, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &set_, &before_);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

    /// True if a signal came within `wait`, which is less than a second.
    bool came(std::chrono::milliseconds wait) const {
        const timespec time{0, static_cast<long>(wait.count()) * 1'000'000};
        return ::sigtimedwait(&set_, nullptr, &time) > 0;
    }

private:
    sigset_t set_{};
    sigset_t before_{};
};

}  // namespace headway::cli
