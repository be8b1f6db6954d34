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

// Waiting for a status instead of a timer: the condition, and whether it is met. Pure.

namespace headway::core {

/// A set of verdicts, or "anything new".
struct Until {
    std::bitset<kVerdictCount> verdicts;
    bool any_event = false;       ///< `event`: any event after `after`
    bool needs_somebody = false;  ///< `needs_somebody`: a wait in which nothing changes any more

    bool contains(Verdict verdict) const {
        return verdicts.test(static_cast<std::size_t>(verdict));
    }
};

/// Parses a comma list of verdicts and of the sets `settled`, `ended`, `event`,
/// `needs_somebody`. Error: kInvalidParameter.
Result<Until> parse_until(std::string_view text);

enum class WaitMode : std::uint8_t {
    kNow,   ///< the current verdict
    kEver,  ///< any verdict since `after`, including past ones
};

struct WaitFor {
    Until until;
    WaitMode mode = WaitMode::kNow;
    std::uint64_t after = 0;
    /// Time without a heartbeat until the agent counts as gone; 0 = never. Absent: kGoneIntervals
    /// heartbeat intervals, kGoneInCall during a call without heartbeats, never for `event`.
    std::optional<Millis> silent_for = {};
};

inline constexpr int kGoneIntervals = 10;
inline constexpr std::chrono::minutes kGoneInCall{30};

/// Why a wait ends unmet.
enum class WaitCause : std::uint8_t {
    kEnded,        ///< with a verdict outside the set
    kSilent,       ///< no heartbeat for WaitFor::silent_for
    kNeverOpened,  ///< not opened in time
};

template <>
struct EnumNames<WaitCause> {
    static constexpr std::array<std::string_view, 3> kNames{"ended", "silent", "never_opened"};
};

/// The answer so far: met, impossible with its cause, or neither.
struct WaitAnswer {
    bool met = false;
    bool impossible = false;
    std::optional<Verdict> matched;       ///< empty for `event`
    std::optional<WaitCause> cause = {};  ///< if impossible

    void give_up(WaitCause why) {
        impossible = true;
        cause = why;
    }
};

/// Evaluates the wait against `view`. Pure.
WaitAnswer answer(const WaitFor& wait, const SessionView& view);

/// When the agent counts as gone unless it sends a heartbeat; kNever while its silence proves
/// nothing: the session has ended, a person was asked or has paused it, or a child session works.
/// Credits attention gaps like silent_at(). Pure.
Timestamp gone_at(const WaitFor& wait, const SessionView& view, const Watch& watch);

}  // namespace headway::core
