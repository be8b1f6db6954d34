#include "core/detectors/heartbeat_rule.hpp"

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
    if (seen.phase_changed || seen.work_moved) {
        restart(n);
        return;
    }
    if (rests || seen.waits_for_human) return;
    if (seen.call_in_flight) {
        count(working_beats, quiet_beats, n);
    } else {
        count(quiet_beats, working_beats, n);
        if (beat->iteration && *beat->iteration != iteration) ++iterations;
    }
    iteration = beat->iteration.value_or(iteration);
}

Rung HeartbeatRule::rung(Thresholds limits, const Ledger&) const {
    if (limits.suspect != 0 && working_beats >= limits.suspect) return Rung::kSlow;
    const bool turns = limits.stuck <= limits.suspect || 2 * iterations >= quiet_beats ||
                       quiet_beats >= kUnannouncedMax;
    if (!turns) limits.stuck = 0;
    return rung_of(quiet_beats, limits);
}

Finding HeartbeatRule::finding(const Ledger&) const {
    Finding finding;
    finding.identity = 1;
    finding.evidence = {first_beat, last_beat};
    finding.count = static_cast<std::uint32_t>(working_beats > 0 ? working_beats : quiet_beats);
    finding.reason = working_beats > 0
                         ? "a call has been in flight for " + std::to_string(working_beats) +
                               " heartbeats without moving"
                         : std::to_string(quiet_beats) + " heartbeats without a state change " +
                               since(last_move) + " and no call in flight";
    return finding;
}

void HeartbeatRule::restart(std::uint64_t n) {
    const std::uint64_t last_iteration = iteration;
    *this = HeartbeatRule{};
    last_move = n;
    iteration = last_iteration;
}

void HeartbeatRule::count(std::uint64_t& beats, std::uint64_t& other, std::uint64_t n) {
    other = 0;
    if (++beats == 1) first_beat = n;
    last_beat = n;
}

}  // namespace headway::core
