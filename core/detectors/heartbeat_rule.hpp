// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/fields.hpp"
#include "core/detection/detector.hpp"

namespace headway::core {

/// The agent is alive, but nothing moves (docs/detection.md, section 5). After Thresholds::suspect
/// heartbeats without a state change and without work in flight, the session is suspect. After
/// Thresholds::stuck such heartbeats it is `stuck`, but only if at least half of them reported a
/// new iteration: then the agent runs in a loop without doing anything. Without iterations, the
/// cause may be a slow tool that the agent did not report, so the session is not `stuck` before
/// kUnannouncedMax heartbeats. Under the strict profile both thresholds are equal and the claim is
/// `stuck`.
///
/// Work in flight is a call, or the work of the model. Heartbeats without a new iteration come from
/// a model that answers slowly, if they all fall in one phase (`reflection` or `planning`) or one
/// state (`processing_prompt` or `streaming_response`). Many consecutive heartbeats with work in
/// flight cause at most the claim kSlow, because an agent with a long-running tool is not stuck.
/// Such heartbeats do not reset the count of heartbeats without work (`quiet_beats`), so an agent
/// cannot avoid the claim by naming the same call now and then. `quiet_beats` restarts only if a
/// heartbeat names a different call than the last one.
///
/// A heartbeat restarts the count if its phase is new (RecentPhases) or its in-flight counter
/// moved. A new iteration number does not restart the count, since iterations may be mere numbers
/// of heartbeats; nor does a return to an earlier phase. A user message is a new task and restarts
/// the count. Heartbeats of an agent that has reported that it is idle or waiting for permission
/// are not counted until it acts. Heartbeats during its own approval request are not counted
/// either; the answer restarts the count.
struct HeartbeatRule {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kLiveness,
        .balanced = {5, 20},  // overridden by Policy::heartbeat_limit
        .strict = {5, 5},
        .always_on = true,
    };

    /// This number of heartbeats takes some hours.
    static constexpr std::uint64_t kUnannouncedMax = 1'000;

    std::uint64_t quiet_beats = 0;  ///< heartbeats since last_move without work in flight
    /// Consecutive heartbeats with work in flight, but without a move.
    std::uint64_t working_beats = 0;
    std::uint64_t first_beat = 0;  ///< event number of the first quiet heartbeat
    std::uint64_t last_beat = 0;
    /// Event that last restarted the count; 0 = none yet.
    std::uint64_t last_move = 0;
    std::uint64_t iterations = 0;     ///< number of quiet heartbeats with a new iteration
    std::uint64_t iteration = 0;      ///< iteration number of the last heartbeat that had one
    std::uint64_t first_working = 0;  ///< like first_beat, for working_beats
    std::uint64_t last_working = 0;
    bool rests = false;        ///< the agent reported that it is idle or waiting for permission
    bool thinks = false;       ///< the model does the work that working_beats counts
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
