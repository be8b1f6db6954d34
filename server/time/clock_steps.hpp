// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "core/base/time.hpp"

namespace headway::server {

/// Decides how stamps follow steps of the wall clock. After a suspend, whose length the system
/// knows, and after a short step, which does no harm, they follow at once. A longer step ahead may
/// be one wrong reading, and its effects (deleted sessions, expired approvals and tokens) cannot be
/// undone: it must last for some minutes of the steady clock first. Stamps never go back. Pure.
class ClockSteps {
public:
    /// The smallest step that is reported; smaller ones are normal drift.
    static constexpr core::Millis kNoticed{2'000};
    /// The largest step ahead that is followed at once: what expires by it was due within a minute.
    static constexpr core::Millis kBelieved{60'000};
    /// A start this long after the newest event: the clock may be wrong, or the daemon was not
    /// used.
    static constexpr core::Millis kStartBelieved{3'600'000};

    explicit ClockSteps(core::Millis confirm) : confirm_(confirm) {}

    struct Reading {
        core::Timestamp stamps;  ///< the time that events would get now
        core::Timestamp wall;
        core::Millis slept{0};   ///< of the machine, since it was started
        core::Millis steady{0};  ///< since any moment
    };
    enum class Change : std::uint8_t {
        kNothing,
        kFollowed,   ///< by `by`
        kDoubted,    ///< a step of `by` waits to be confirmed
        kReturned,   ///< the unconfirmed step is gone
        kConfirmed,  ///< it lasted, and is followed by `by`
        kBehind      ///< the wall clock went back, stamps are `by` ahead of it
    };
    struct Step {
        core::Millis follow{0};  ///< how far stamps move ahead
        Change change = Change::kNothing;
        core::Millis by{0};
    };

    /// The first reading; `newest` is the newest event of the journal, kNever without one.
    void start(const Reading& now, core::Timestamp newest);
    Step look(const Reading& now);
    /// True if irreversible actions may rely on the stamps.
    bool trusted(core::Millis steady) const { return !start_doubted_ || steady >= *start_doubted_; }

private:
    struct Doubt {
        core::Millis ahead{0};
        core::Millis since{0};
    };
    Step judge(core::Millis ahead, core::Millis steady);

    core::Millis confirm_;
    core::Millis slept_{0};
    core::Millis behind_{0};  ///< as last reported
    std::optional<Doubt> doubt_;
    std::optional<core::Millis> start_doubted_;  ///< until then
};

}  // namespace headway::server
