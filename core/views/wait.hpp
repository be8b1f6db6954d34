// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "core/values/verdict.hpp"
#include "core/values/watch.hpp"
#include "core/views/view.hpp"

// Clients wait for a status of a session instead of a fixed timeout. This header has the condition
// of such a wait and the check whether it is met. Pure.

namespace headway::core {

/// The condition of a wait: a set of verdicts, or any new event.
struct Until {
    std::bitset<kVerdictCount> verdicts;
    bool any_event = false;       ///< `event`: any event after WaitFor::after
    bool needs_somebody = false;  ///< `needs_somebody`: the session waits, and nothing changes
                                  ///< until a person acts

    bool contains(Verdict verdict) const {
        return verdicts.test(static_cast<std::size_t>(verdict));
    }
};

/// Parses a comma-separated list of verdicts and of the sets `settled`, `ended`, `event`,
/// `needs_somebody`. Error: kInvalidParameter.
Result<Until> parse_until(std::string_view text);

enum class WaitMode : std::uint8_t {
    kNow,   ///< the current verdict must match
    kEver,  ///< any verdict since event `after` may match, even a past one
};

struct WaitFor {
    Until until;
    WaitMode mode = WaitMode::kNow;
    /// Number of the last event that the client has seen; a view that is no newer does not match.
    std::uint64_t after = 0;
    /// Time without a heartbeat after which the agent counts as gone; 0 = never. The default is
    /// kGoneIntervals heartbeat intervals, kGoneInCall during a call without heartbeats, and never
    /// for `event`.
    std::optional<Millis> silent_for = {};
};

inline constexpr int kGoneIntervals = 10;
inline constexpr std::chrono::minutes kGoneInCall{30};

/// Why a wait ends without being met.
enum class WaitCause : std::uint8_t {
    kEnded,        ///< the session ended with a verdict outside the set
    kSilent,       ///< no heartbeat for WaitFor::silent_for
    kNeverOpened,  ///< the session was not opened in time
};

template <>
struct EnumNames<WaitCause> {
    static constexpr std::array<std::string_view, 3> kNames{"ended", "silent", "never_opened"};
};

/// The answer so far: the wait is met, or impossible for a cause, or neither.
struct WaitAnswer {
    bool met = false;
    bool impossible = false;
    std::optional<Verdict> matched;       ///< the verdict that met the wait; empty for `event`
    std::optional<WaitCause> cause = {};  ///< why the wait is impossible; empty if it is possible

    void give_up(WaitCause why) {
        impossible = true;
        cause = why;
    }
};

/// Evaluates the wait against `view`. Pure.
WaitAnswer answer(const WaitFor& wait, const SessionView& view);

/// When the agent will count as gone unless it sends a heartbeat. kNever while the agent's silence
/// proves nothing: the session has ended, a person was asked or has paused it, or a child session
/// works. Also kNever if WaitFor::silent_for is 0. Attention gaps are credited as in silent_at().
/// Pure.
Timestamp gone_at(const WaitFor& wait, const SessionView& view, const Watch& watch);

}  // namespace headway::core
