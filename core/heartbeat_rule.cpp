#include "core/heartbeat_rule.hpp"

namespace headway::core {
namespace {

bool is_user_message(const Payload& payload) {
    const auto* message = std::get_if<Message>(&payload);
    return message != nullptr && message->role == "user";
}

std::string since(std::uint64_t move) {
    return move == 0 ? "since the start" : "since #" + std::to_string(move);
}

}  // namespace

void HeartbeatRule::observe(const Observation& seen) {
    const std::uint64_t n = seen.event.n;
    if (!std::holds_alternative<Heartbeat>(seen.event.payload)) {
        const bool started = std::holds_alternative<ToolStarted>(seen.event.payload);
        if (seen.state_change || started || is_user_message(seen.event.payload)) restart(n);
        return;
    }
    if (seen.phase_changed || seen.work_moved) {
        restart(n);
        return;
    }
    if (seen.call_in_flight) {
        count(working_beats, quiet_beats, n);
    } else {
        count(quiet_beats, working_beats, n);
    }
}

std::optional<Finding> HeartbeatRule::finding(const Policy& policy) const {
    if (working_beats >= policy.heartbeat_limit) {
        return Finding{Rung::kSlow,
                       kName,
                       "a call has been in flight for " + std::to_string(working_beats) +
                           " heartbeats without moving",
                       {first_beat, last_beat}};
    }
    if (quiet_beats < policy.heartbeat_limit) return std::nullopt;
    return Finding{policy.profile == Profile::kStrict ? Rung::kStuck : Rung::kSuspect,
                   kName,
                   std::to_string(quiet_beats) + " heartbeats without a state change " +
                       since(last_move) + " and no call in flight",
                   {first_beat, last_beat}};
}

void HeartbeatRule::restart(std::uint64_t n) {
    *this = HeartbeatRule{};
    last_move = n;
}

void HeartbeatRule::count(std::uint64_t& beats, std::uint64_t& other, std::uint64_t n) {
    other = 0;
    if (++beats == 1) first_beat = n;
    last_beat = n;
}

}  // namespace headway::core
