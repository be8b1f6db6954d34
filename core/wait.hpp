// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.hpp"
#include "core/verdict.hpp"
#include "core/view.hpp"
#include "core/watch.hpp"

// Waiting on status instead of a timer: what to wait for, and whether it has come. Pure.

namespace headway::core {

/// A set of verdicts, or "anything new".
struct Until {
    std::bitset<kVerdictCount> verdicts;
    bool any_event = false;  ///< `event`: any event after `after`

    bool contains(Verdict verdict) const {
        return verdicts.test(static_cast<std::size_t>(verdict));
    }
};

/// Parses a comma list of verdicts and of the sets `settled`, `ended`, `event`. Error:
/// kInvalidParameter.
Result<Until> parse_until(std::string_view text);

enum class WaitMode : std::uint8_t {
    kNow,   ///< the verdict as it stands
    kEver,  ///< any verdict since `after`, also one that has passed
};

struct WaitFor {
    Until until;
    WaitMode mode = WaitMode::kNow;
    std::uint64_t after = 0;
    /// How long without a beat until the agent counts as gone; 0 = never. Empty:
    /// kGoneIntervals of the intervals it was asked for, kGoneInCall during a call in which the
    /// agent does not beat, never for `event`.
    std::optional<Millis> silent_for = {};
};

inline constexpr int kGoneIntervals = 10;
inline constexpr std::chrono::minutes kGoneInCall{30};

/// Why a wait is given up.
enum class WaitCause : std::uint8_t {
    kEnded,        ///< with a verdict that was not waited for
    kSilent,       ///< no beat for WaitFor::silent_for
    kNeverOpened,  ///< not opened within the time given for that
};

template <>
struct EnumNames<WaitCause> {
    static constexpr std::array<std::string_view, 3> kNames{"ended", "silent", "never_opened"};
};

/// The answer so far: met, or given up (impossible) with its cause, or neither.
struct WaitAnswer {
    bool met = false;
    bool impossible = false;
    std::optional<Verdict> matched;       ///< empty for `event`
    std::optional<WaitCause> cause = {};  ///< when impossible

    void give_up(WaitCause why) {
        impossible = true;
        cause = why;
    }
};

/// Judges the session as `view` shows it. Pure.
WaitAnswer answer(const WaitFor& wait, const SessionView& view);

/// The moment from which the agent counts as gone unless it beats; kNever while its silence proves
/// nothing: it has ended, a person was asked or has paused it, or a session that it opened is at
/// work. Like silent_at() it credits the time in which nobody listened. Pure.
Timestamp gone_at(const WaitFor& wait, const SessionView& view, const Watch& watch);

}  // namespace headway::core
