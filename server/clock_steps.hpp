// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/time.hpp"

namespace headway::server {

/// What becomes of steps of the wall clock. A machine that slept knows for how long, and a short
/// step hurts nobody: stamps follow at once. A longer step ahead may be one wrong reading, and what
/// follows from it (sessions deleted, approvals and tokens expired) cannot be undone: it must stand
/// for some minutes of the steady clock before stamps follow. Backwards they never follow. Pure.
class ClockSteps {
public:
    /// A step of the wall clock; less is how clocks are, and would be told again and again.
    static constexpr core::Millis kNoticed{2'000};
    /// A step ahead that is followed at once: nothing expires that would not have a minute later.
    static constexpr core::Millis kBelieved{60'000};
    /// A start this long after the newest event: the clock may be wrong, or nobody was there.
    static constexpr core::Millis kStartBelieved{3'600'000};

    explicit ClockSteps(core::Millis confirm) : confirm_(confirm) {}

    struct Reading {
        core::Timestamp stamps;  ///< what events would be stamped with
        core::Timestamp wall;
        core::Millis slept{0};   ///< of the machine, since it was started
        core::Millis steady{0};  ///< since any moment
    };
    enum class Said : std::uint8_t {
        kNothing,
        kFollowed,   ///< by `by`
        kDoubted,    ///< a step of `by` waits to be confirmed
        kReturned,   ///< the step that waited is gone
        kConfirmed,  ///< it stood, and is followed by `by`
        kBehind      ///< the wall clock went back, stamps are `by` ahead of it
    };
    struct Step {
        core::Millis follow{0};  ///< stamps go so far ahead
        Said said = Said::kNothing;
        core::Millis by{0};
    };

    /// The first reading; `newest` is the newest event of the journal, kNever without one.
    void start(const Reading& now, core::Timestamp newest);
    Step look(const Reading& now);
    /// Whether what cannot be undone may rest on the stamps.
    bool trusted(core::Millis steady) const { return !start_doubted_ || steady >= *start_doubted_; }

private:
    struct Doubt {
        core::Millis ahead{0};
        core::Millis since{0};
    };
    Step judge(core::Millis ahead, core::Millis steady);

    core::Millis confirm_;
    core::Millis slept_{0};
    core::Millis behind_{0};  ///< as last said
    std::optional<Doubt> doubt_;
    std::optional<core::Millis> start_doubted_;  ///< until then
};

}  // namespace headway::server
