// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/base/time.hpp"

namespace headway::server {

/// Decides how timestamps follow steps of the wall clock. Timestamps follow at once after a
/// suspend, whose length the system knows, and after a short step, which does no harm. A longer
/// step ahead may be a single wrong reading, and its effects (deleted sessions, expired approvals
/// and tokens) cannot be undone, so it must first last for some minutes of the steady clock.
/// Timestamps never go back. Pure.
class ClockSteps {
public:
    /// The smallest step that is reported; smaller ones are normal drift.
    static constexpr core::Millis kNoticed{2'000};
    /// The largest step ahead that is followed at once. Such a step only expires what would have
    /// expired within a minute.
    static constexpr core::Millis kBelieved{60'000};
    /// If the daemon starts longer than this after the newest event, the time of the start is
    /// doubted: the clock may be wrong, or the daemon was not used.
    static constexpr core::Millis kStartBelieved{3'600'000};

    explicit ClockSteps(core::Millis confirm) : confirm_(confirm) {}

    struct Reading {
        core::Timestamp stamps;  ///< the timestamp that an event would get now
        core::Timestamp wall;
        core::Millis slept{0};   ///< time that the machine has slept since its start
        core::Millis steady{0};  ///< steady time since an arbitrary moment
    };
    enum class Change : std::uint8_t {
        kNothing,
        kFollowed,   ///< the timestamps have moved by `by`
        kDoubted,    ///< a step of `by` waits to be confirmed
        kReturned,   ///< the unconfirmed step has been undone
        kConfirmed,  ///< the step has lasted; the timestamps have moved by `by`
        kBehind      ///< the wall clock has gone back and is `by` behind the timestamps
    };
    struct Step {
        core::Millis follow{0};  ///< how far timestamps move ahead
        Change change = Change::kNothing;
        core::Millis by{0};
    };

    /// Takes the first reading. `newest` is the time of the journal's newest event, kNever if there
    /// is none.
    void start(const Reading& now, core::Timestamp newest);
    Step look(const Reading& now);
    /// True if irreversible actions may rely on the timestamps.
    bool trusted(core::Millis steady) const { return !start_doubted_ || steady >= *start_doubted_; }

private:
    struct Doubt {
        core::Millis ahead{0};
        core::Millis since{0};
    };
    Step judge(core::Millis ahead, core::Millis steady);

    core::Millis confirm_;
    core::Millis slept_{0};
    core::Millis behind_{0};  ///< distance behind the timestamps, as last reported
    std::optional<Doubt> doubt_;
    std::optional<core::Millis> start_doubted_;  ///< steady time until which the start is doubted
};

}  // namespace headway::server
