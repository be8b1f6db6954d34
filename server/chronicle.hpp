// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"

namespace headway::server {

/// What an operator reads in the log about sessions: verdicts that want attention, approvals,
/// estimates and ends, each in one line, once the events are on disk. A line names only what
/// Headway has checked or cleaned: an agent cannot forge one. Supervisor thread only.
class Chronicle {
public:
    using Say = std::function<void(bool warns, const std::string& line)>;
    using Steady = std::chrono::steady_clock;

    void say_with(Say say) { say_ = std::move(say); }
    /// Of an event in a transaction that is open.
    void note(std::string_view session, const core::Event& event);
    /// The transaction was committed: writes what was noted, at most kLinesBurst at once and
    /// kLinesPerSecond for long, and how many it had to leave out.
    void commit(Steady::time_point now);
    /// The transaction was rolled back: nothing of it happened.
    void drop() { noted_.clear(); }

    static constexpr std::size_t kLinesBurst = 100;  ///< a fleet that turns silent at once
    static constexpr std::size_t kLinesPerSecond = 10;

private:
    struct Line {
        bool warns = false;
        std::string text;
    };
    void add(bool warns, std::string text);

    Say say_;
    std::vector<Line> noted_;  ///< at most kLinesBurst
    std::uint64_t left_out_ = 0;
    double tokens_ = kLinesBurst;
    Steady::time_point filled_{};
};

}  // namespace headway::server
