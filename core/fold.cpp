#include "core/fold.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/limits.hpp"

namespace headway::core {
namespace {

/// One overload for each payload; the default does nothing beyond what every event does.
struct Fold {
    SessionState& state;
    const Event& event;
    Observation& seen;

    template <class P>
    void operator()(const P&) const {}

    void operator()(const SessionStarted& started) const {
        state.opened_at = event.at;
        state.about = started;
        state.policy = effective_policy(started.policy, Policy{});
        state.asked_interval = state.policy.heartbeat_interval;
        state.judgement.since = event.at;
        reach(Verdict::kStarting);
    }

    void operator()(const Heartbeat& beat) const {
        ++state.heartbeats;
        if (!beat.phase.empty()) enter_phase(beat.phase);
        if (beat.iteration) state.iteration = beat.iteration;
        if (beat.resources) state.resources = beat.resources;
        seen.work_moved = beat.in_flight && state.in_flight_beat &&
                          beat.in_flight->counter != state.in_flight_beat->counter;
        if (seen.work_moved) ++state.work_moves;
        state.in_flight_beat = beat.in_flight;
    }

    void operator()(const ToolStarted& call) const {
        close_call(call.call_id);  // the same id again is a retry of the same call
        if (state.open_calls.size() >= limits::kInFlightMax) {
            state.open_calls.erase(state.open_calls.begin());
        }
        state.open_calls.push_back({call.call_id, call.tool, event.at});
    }

    void operator()(const ToolFinished& call) const {
        ++state.tool_calls;
        if (!call.ok) ++state.tool_failures;
        if (!call.call_id.empty()) close_call(call.call_id);
        // A beat spoke of this call, or of one that nobody named: either way it is over.
        state.in_flight_beat.reset();
    }

    void operator()(const PhaseStarted& phase) const { enter_phase(phase.name); }

    void operator()(const StateChanged& change) const { state.agent_state = change.state; }

    void operator()(const VerdictChanged& change) const {
        state.judgement = {change.to, change.reason, change.detector, change.evidence, event.at};
        reach(change.to);
    }

    void operator()(const DirectiveIssued& directive) const {
        if (state.directives.size() >= limits::kDirectivesMax) {
            state.directives.erase(state.directives.begin());
        }
        state.directives.push_back({directive.id, directive.kind, directive.reason});
    }

    void operator()(const DirectiveAcknowledged& acknowledged) const {
        std::erase_if(state.directives,
                      [&](const Directive& d) { return d.id == acknowledged.id; });
    }

    void operator()(const CancelRequested&) const { state.cancel_requested = true; }

    void operator()(const SessionEnded& end) const {
        state.ended_at = event.at;
        state.outcome = end.outcome;
        state.end_reason = cut_text(end.reason.kept, limits::kStringBytesMax);
        state.result = end.result;
        state.open_calls.clear();
        state.in_flight_beat.reset();
        state.directives.clear();
    }

    void reach(Verdict verdict) const {
        state.reached[static_cast<std::size_t>(verdict)] = event.n;
    }

    void close_call(const std::string& call_id) const {
        std::erase_if(state.open_calls, [&](const OpenCall& c) { return c.call_id == call_id; });
    }

    void enter_phase(const std::string& name) const {
        seen.phase_changed = name != state.phase;
        if (seen.phase_changed) state.phase = name;
    }
};

/// A new process took over: what the old one had in flight will never finish.
void take_over(SessionState& state, std::uint32_t attempt) {
    state.attempt = attempt;
    state.open_calls.clear();
    state.in_flight_beat.reset();
}

}  // namespace

void apply(SessionState& state, const Event& event) {
    HEADWAY_ASSERT(event.n == state.n + 1);
    const EventType type = type_of(event.payload);
    state.n = event.n;
    if (event.attempt > state.attempt) take_over(state, event.attempt);
    if (reportable(type) || type == EventType::kSessionStarted) state.last_beat_at = event.at;

    Observation seen{event};
    std::visit(Fold{state, event, seen}, event.payload);
    seen.call_in_flight = state.call_in_flight();
    seen.state_change = !change_name(type).empty();
    if (seen.state_change) {
        ++state.state_changes;
        state.last_change = type;
        state.last_change_at = event.at;
        state.last_change_n = event.n;
    }
    state.detectors.heartbeat_rule.observe(seen);
    if (event.next_heartbeat_ms != 0) state.asked_interval = Millis{event.next_heartbeat_ms};
}

Policy effective_policy(const PolicyOverride& overrides, const Policy& defaults) {
    Policy policy = defaults;
    if (overrides.profile) policy.profile = *overrides.profile;
    if (overrides.heartbeat_interval_ms) {
        policy.heartbeat_interval = Millis{*overrides.heartbeat_interval_ms};
    }
    if (overrides.heartbeat_limit) {
        policy.heartbeat_limit = static_cast<std::uint32_t>(*overrides.heartbeat_limit);
    }
    return policy;
}

}  // namespace headway::core
