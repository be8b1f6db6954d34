// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include "cli/base/clock.hpp"
#include "cli/base/console.hpp"

namespace headway::cli {

/// One line with the work, how much of it is done, and how long the rest may take. Pure.
std::string progress_line(const std::string& what, std::size_t done, std::size_t total,
                          std::chrono::milliseconds elapsed, std::size_t width);

/// Shows the progress of long work on the terminal of `err`. Shows nothing if there is no terminal,
/// or if the work takes only a moment. The destructor removes the line. Any thread.
class ProgressBar {
public:
    using Now = std::function<SteadyTime()>;

    ProgressBar(const Console& console, std::string what, std::size_t total, Now now = steady_now);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();

    /// Counts one more unit of work as done.
    void step();
    /// Removes the line until the next step, so that other text can be printed.
    void clear();

private:
    const Console& console_;
    const std::string what_;
    const std::size_t total_;
    const Now now_;
    const SteadyTime begin_;
    std::mutex mutex_;  ///< guards the rest, and `err`
    SteadyTime drawn_at_;
    std::size_t done_ = 0;
    bool drawn_ = false;
};

}  // namespace headway::cli
