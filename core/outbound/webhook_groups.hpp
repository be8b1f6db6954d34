// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/time.hpp"

// Number of messages that people get, and the events that one message reports. Pure.

namespace headway::core {

/// Limits of one endpoint.
struct PeopleLimits {
    std::uint32_t messages_max = 20;          ///< in one window
    Millis window{std::chrono::minutes{10}};  ///< begins with the first message after a window
    Millis gather{std::chrono::seconds{2}};   ///< how long an event waits for others of its cause
};

/// Counts delivered messages. In memory only: after a restart the next window begins.
class SendWindow {
public:
    /// When the next message may be sent: kNever for at once.
    Timestamp closed_until(const PeopleLimits& limits) const noexcept {
        return sent_ >= limits.messages_max ? began_ + limits.window : kNever;
    }
    /// True once half of the messages are sent: requests then go together, which leaves room for
    /// alarms.
    bool crowded(const PeopleLimits& limits, Timestamp now) const noexcept {
        return 2 * sent_ >= limits.messages_max && now - began_ < limits.window;
    }
    void delivered(const PeopleLimits& limits, Timestamp now) noexcept;

private:
    Timestamp began_ = kNever;
    std::uint32_t sent_ = 0;
};

/// An event that waits to be sent.
struct WaitingNotice {
    bool asks = false;  ///< a person has to decide something
    bool refused =
        false;          ///< the receiver did not want it: whatever is with it would be refused too
    std::string cause;  ///< empty: like no other
    bool alarm = false;
};

/// The indices of the events that the next message reports, ascending; `waiting` is in order and
/// not empty. With `backlog` the events had to wait for the end of a window, and go into one
/// message. Otherwise an alarm goes first, then a question, each alone (questions together if
/// `crowded`), then the oldest event with all others of its cause.
std::vector<std::size_t> told_together(std::span<const WaitingNotice> waiting, bool backlog,
                                       bool crowded = false);

}  // namespace headway::core
