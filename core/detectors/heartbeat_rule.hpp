// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/fields.hpp"
#include "core/detection/detector.hpp"

namespace headway::core {

/// Alive but not moving (docs/detection.md, section 5.6). Thresholds::suspect heartbeats without a
/// state change and without work in flight are a suspicion. At Thresholds::stuck they are `stuck`
/// only if the agent counted iterations meanwhile: a loop that turns and does nothing. Without
/// iterations, the cause may be a slow, unreported tool, up to kUnannouncedMax heartbeats. Under
/// the strict profile both numbers are equal and the claim is `stuck`.
///
/// Work in flight is a call, or the model: heartbeats inside one phase `reflection` or one state
/// `processing_prompt` without a new iteration come from a model that answers slowly. Many such
/// heartbeats in a row are kSlow and never more, because a long tool is not a stuck agent. They do
/// not reset the count of other heartbeats, so that a call named now and then hides nothing; a
/// newly named call restarts the count.
///
/// A heartbeat restarts the count if its phase is new (RecentPhases) or its in-flight counter
/// moved. Its iteration number does not, since a counter of heartbeats proves nothing; neither does
/// a phase that returns. A user message is a new task and restarts the count. Heartbeats of an
/// agent that reported to be idle or to wait for permission are not counted until it acts.
/// Heartbeats during its own approval request are not counted either; the answer restarts the
/// count.
struct HeartbeatRule {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kLiveness,
        .balanced = {5, 20},  // Policy::heartbeat_limit takes their place
        .strict = {5, 5},
        .always_on = true,
    };

    static constexpr std::uint64_t kUnannouncedMax = 1'000;  ///< some hours

    std::uint64_t quiet_beats = 0;    ///< since the last move, nothing in flight
    std::uint64_t working_beats = 0;  ///< in a row, work in flight, nothing moved
    std::uint64_t first_beat = 0;     ///< event number of the first quiet heartbeat
    std::uint64_t last_beat = 0;
    /// Event that last restarted the count; 0 = none yet.
    std::uint64_t last_move = 0;
    std::uint64_t iterations = 0;     ///< quiet heartbeats with a new iteration
    std::uint64_t iteration = 0;      ///< of the last heartbeat
    std::uint64_t first_working = 0;  ///< like first_beat, for working_beats
    std::uint64_t last_working = 0;
    bool rests = false;        ///< idle or waiting for permission, by its own report
    bool thinks = false;       ///< working_beats are the model's
    std::uint64_t flight = 0;  ///< digest of the call named last; 0 = none

    void observe(const Observation& seen);
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

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
