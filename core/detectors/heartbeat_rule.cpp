// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/heartbeat_rule.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

bool says_that_it_rests(const Payload& payload) {
    const auto* change = std::get_if<StateChanged>(&payload);
    return change != nullptr &&
           (change->state == AgentState::kIdle || change->state == AgentState::kAwaitingPermission);
}

std::string since(std::uint64_t move) {
    return move == 0 ? "since the start" : "since #" + std::to_string(move);
}

}  // namespace

void HeartbeatRule::observe(const Observation& seen) {
    const std::uint64_t n = seen.event.n;
    const auto* beat = std::get_if<Heartbeat>(&seen.event.payload);
    if (beat == nullptr) {
        const bool started = std::holds_alternative<ToolStarted>(seen.event.payload) ||
                             std::holds_alternative<ApprovalDecided>(seen.event.payload);
        if (seen.state_change || started || seen.user_message) {
            restart(n);
            rests = says_that_it_rests(seen.event.payload);
        }
        return;
    }
    observe_beat(seen, *beat);
}

void HeartbeatRule::observe_beat(const Observation& seen, const Heartbeat& beat) {
    const std::uint64_t n = seen.event.n;
    const bool turned = beat.iteration && *beat.iteration != iteration;
    iteration = beat.iteration.value_or(iteration);
    if (seen.phase_changed || seen.work_moved) {
        restart(n);
        return;
    }
    if (rests || seen.waits_for_human) return;
    if (seen.call_in_flight) {
        const std::uint64_t named =
            beat.in_flight ? digest_of(beat.in_flight->call_id).low : flight;
        if (named != flight) quiet_beats = iterations = 0;
        flight = named;
        work(false, n);
        return;
    }
    if (seen.thinking && !seen.phase_turned && !turned) {
        work(true, n);
        return;
    }
    working_beats = 0;
    if (++quiet_beats == 1) first_beat = n;
    last_beat = n;
    if (turned) ++iterations;
    HEADWAY_ASSERT(first_beat <= last_beat);
    HEADWAY_ASSERT(iterations <= quiet_beats);
}

Severity HeartbeatRule::severity(Thresholds limits, const Ledger&) const {
    HEADWAY_ASSERT(iterations <= quiet_beats);
    if (limits.suspect != 0 && working_beats >= limits.suspect) return Severity::kSlow;
    const bool turns = limits.stuck <= limits.suspect || 2 * iterations >= quiet_beats ||
                       quiet_beats >= kUnannouncedMax;
    if (!turns) limits.stuck = 0;
    return severity_of(quiet_beats, limits);
}

Finding HeartbeatRule::finding(const Ledger&) const {
    Finding finding;
    finding.identity = 1;
    const bool works = working_beats > 0;
    HEADWAY_ASSERT(works || quiet_beats > 0);
    finding.evidence =
        works ? std::vector{first_working, last_working} : std::vector{first_beat, last_beat};
    finding.count = static_cast<std::uint32_t>(works ? working_beats : quiet_beats);
    finding.reason =
        !works ? std::to_string(quiet_beats) + " heartbeats without a state change " +
                     since(last_move) + " and no call in flight"
        : thinks ? "the model has been at work for " + std::to_string(working_beats) + " heartbeats"
                 : "a call has been in flight for " + std::to_string(working_beats) +
                       " heartbeats without moving";
    return finding;
}

bool HeartbeatRule::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(first_beat, last_beat, newest) &&
           sound::in_order(first_working, last_working, newest) && last_move <= newest &&
           iterations <= quiet_beats && quiet_beats <= newest && working_beats <= newest;
}

void HeartbeatRule::restart(std::uint64_t n) {
    HEADWAY_ASSERT(last_move < n);
    const std::uint64_t last_iteration = iteration;
    const std::uint64_t last_flight = flight;
    *this = HeartbeatRule{};
    last_move = n;
    iteration = last_iteration;
    flight = last_flight;
    HEADWAY_ASSERT(quiet_beats == 0 && working_beats == 0);
}

void HeartbeatRule::work(bool of_model, std::uint64_t n) {
    if (thinks != of_model) working_beats = 0;
    thinks = of_model;
    if (++working_beats == 1) first_working = n;
    last_working = n;
    HEADWAY_ASSERT(working_beats > 0 && first_working <= last_working);
}

}  // namespace headway::core
