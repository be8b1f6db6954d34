// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/time.hpp"

// Limits on the number of messages to people, and the choice of events that one message reports.
// Pure.

namespace headway::core {

/// Limits of one endpoint.
struct PeopleLimits {
    std::uint32_t messages_max = 20;          ///< messages in one window
    Millis window{std::chrono::minutes{10}};  ///< a window begins with the first message after the
                                              ///< end of the previous window
    Millis gather{std::chrono::seconds{2}};   ///< how long an event waits for other events with the
                                              ///< same cause
};

/// Counts delivered messages. Kept in memory only: a restart begins a new window.
class SendWindow {
public:
    /// End of the time in which no message may be sent; kNever if there is no such time. Messages
    /// that are not `urgent`, so neither requests nor alarms, get at most half of the window: an
    /// agent that fails in many ways cannot delay urgent messages.
    Timestamp closed_until(const PeopleLimits& limits, bool urgent) const noexcept {
        const bool full =
            sent_ >= limits.messages_max || (!urgent && others_ >= (limits.messages_max + 1) / 2);
        return full ? began_ + limits.window : kNever;
    }
    /// True once half of the window's messages are sent. Requests then share a message, to leave
    /// room for alarms.
    bool crowded(const PeopleLimits& limits, Timestamp now) const noexcept {
        return 2 * sent_ >= limits.messages_max && now - began_ < limits.window;
    }
    /// Counts a message that was delivered at `now`. The first one after the window's end begins a
    /// new window.
    void delivered(const PeopleLimits& limits, Timestamp now, bool urgent) noexcept;

private:
    Timestamp began_ = kNever;
    std::uint32_t sent_ = 0;
    std::uint32_t others_ = 0;  ///< those of `sent_` that were not urgent
};

/// An event that waits to be sent.
struct WaitingNotice {
    bool asks = false;  ///< the event asks a person for a decision
    /// The receiver refused the event, and would refuse any message that contains it.
    bool refused = false;
    std::string cause;  ///< cause of the event; empty: the event is not grouped by cause
    bool alarm = false;
};

/// The indices, ascending, of the events that the next message reports. `waiting` is not empty: it
/// has the oldest event that is due, then the others, oldest first. With `backlog`, the events had
/// to wait for the end of a window, and all go into one message. Otherwise the message is about the
/// first alarm; without alarms, about the first question; else about the first event. A question is
/// alone or, if `crowded`, together with the other questions. Any other event is together with all
/// events of the same cause. A refused event is always alone.
std::vector<std::size_t> told_together(std::span<const WaitingNotice> waiting, bool backlog,
                                       bool crowded = false);

}  // namespace headway::core
