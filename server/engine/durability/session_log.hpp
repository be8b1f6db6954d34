// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event.hpp"
#include "core/state/session_state.hpp"

namespace headway::server {

/// The log lines about sessions: verdicts that need attention, approvals, estimates, failed calls
/// (debug) and ends. Each such event gets one line, which is written once the event is on disk. A
/// line contains only checked or sanitized values, so an agent cannot forge lines. Engine thread
/// only.
class SessionLog {
public:
    enum class Level : std::uint8_t { kDebug, kInfo, kWarn };
    using Say = std::function<void(Level level, const std::string& line)>;
    using Steady = std::chrono::steady_clock;

    /// `debugs` returns true while lines of Level::kDebug are wanted; if `debugs` is empty, they
    /// are never wanted.
    void say_with(Say say, std::function<bool()> debugs = {}) {
        say_ = std::move(say);
        debugs_ = std::move(debugs);
    }
    /// Notes an event of the open transaction. `state` is the state of its session; it includes
    /// this event and perhaps later ones.
    void note(std::string_view session, const core::Event& event, const core::SessionState& state);
    /// Called after the commit: writes the noted lines, at most kLinesBurst at once and
    /// kLinesPerSecond on average, and the number of lines left out.
    void commit(Steady::time_point now);
    /// Called after a rollback: drops the lines of the transaction.
    void drop() { noted_.clear(); }

    static constexpr std::size_t kLinesBurst =
        100;  ///< enough for many sessions that become silent at once
    static constexpr std::size_t kLinesPerSecond = 10;

private:
    struct Line {
        Level level = Level::kInfo;
        std::string text;
    };
    void add(Level level, std::string text);

    Say say_;
    std::function<bool()> debugs_;
    std::vector<Line> noted_;  ///< at most kLinesBurst
    std::uint64_t left_out_ = 0;
    double tokens_ = kLinesBurst;
    Steady::time_point filled_{};
};

}  // namespace headway::server
