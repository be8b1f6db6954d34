// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detector.hpp"
#include "core/fields.hpp"

namespace headway::core {

/// Alive but not moving (detection.md D21 and D22, first design `isStuck`): Thresholds::suspect
/// heartbeats without a state change and with no work in flight are a suspicion. They are `stuck`
/// at Thresholds::stuck only if the agent counted iterations on the way: a loop that turns and does
/// nothing; one that stands still may be a slow tool that nobody announced, up to kUnannouncedMax
/// beats. Under the strict profile both are the same number and it is `stuck`.
///
/// Work in flight is a call, or the model: beats inside one phase `reflection` or one state
/// `processing_prompt`, as long as they count no new iteration, are those of a model that answers
/// slowly. The same number of them in a row is kSlow and never more: a long tool is not a stuck
/// agent. They stand between other beats and take none of them back, so that a call that is only
/// named now and then hides nothing; a call that was not named before restarts the count.
///
/// A beat restarts the count when it is in a phase that was not seen lately (RecentPhases) or its
/// in-flight counter moved; its iteration number does not, since a counter that only counts beats
/// proves nothing (detection.md S32), nor does a phase that comes round again. A message of the
/// user is a new task and restarts it too. An agent that said that it is idle or waits for
/// permission has nothing to move: its beats do not count until it does something. Nor do those of
/// one that waits for the answer to its approval request; the answer restarts the count.
struct HeartbeatRule {
    static constexpr DetectorId kId = DetectorId::kHeartbeatRule;

    static constexpr std::uint64_t kUnannouncedMax = 1'000;  ///< some hours

    std::uint64_t quiet_beats = 0;    ///< since the last move, nothing in flight
    std::uint64_t working_beats = 0;  ///< in a row, work in flight, nothing moved
    std::uint64_t first_beat = 0;     ///< event number of the first quiet one
    std::uint64_t last_beat = 0;
    /// Event number of what last restarted the count; 0 = nothing yet.
    std::uint64_t last_move = 0;
    std::uint64_t iterations = 0;     ///< quiet beats whose iteration differs from the one before
    std::uint64_t iteration = 0;      ///< of the last beat
    bool rests = false;               ///< idle, or waiting for permission, by its own word
    std::uint64_t first_working = 0;  ///< as first_beat, of working_beats
    std::uint64_t last_working = 0;
    bool thinks = false;       ///< the work of working_beats is the model's
    std::uint64_t flight = 0;  ///< digest of the call that a beat named last; 0 = none

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const HeartbeatRule&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("quiet_beats", &HeartbeatRule::quiet_beats),
            field("working_beats", &HeartbeatRule::working_beats),
            field("first_beat", &HeartbeatRule::first_beat),
            field("last_beat", &HeartbeatRule::last_beat),
            field("last_move", &HeartbeatRule::last_move),
            field("iterations", &HeartbeatRule::iterations),
            field("iteration", &HeartbeatRule::iteration), field("rests", &HeartbeatRule::rests),
            field("first_working", &HeartbeatRule::first_working),
            field("last_working", &HeartbeatRule::last_working),
            field("thinks", &HeartbeatRule::thinks), field("flight", &HeartbeatRule::flight));
    }

private:
    void restart(std::uint64_t n);
    void observe_beat(const Observation& seen, const Heartbeat& beat);
    void work(bool of_model, std::uint64_t n);
};

static_assert(Detector<HeartbeatRule>);

}  // namespace headway::core
