// SPDX-License-Identifier: Apache-2.0
#include "core/views/view.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/judgement/reasons.hpp"
#include "core/state/completion.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

/// Some agents cannot send heartbeats while a tool runs. Agents whose heartbeats name the call in
/// flight can, and so can those that have reported since their last call began.
bool quiet_call(const SessionState& state) {
    if (state.in_flight_beat || state.open_calls.empty()) return false;
    return std::all_of(state.open_calls.begin(), state.open_calls.end(),
                       [&](const OpenCall& call) { return call.since >= state.last_beat_at; });
}

}  // namespace

SessionView view_of(const Session& session) {
    const SessionState& state = session.state();
    SessionView view;
    view.id = session.id();
    view.n = state.n;
    view.ended = state.ended();
    view.judgement = live_judgement(state);
    view.estimate = session.estimate();
    view.end_code = state.end_code;
    view.outcome = state.outcome;
    view.says_complete = says_complete(state);
    view.last_beat_at = state.last_beat_at;
    view.asked_interval = state.asked_interval;
    view.heartbeats = state.heartbeats;
    view.state_changes = state.state_changes;
    view.last_change = state.last_change;
    view.last_change_at = state.last_change_at;
    view.phase = state.phase;
    view.iteration = state.iteration;
    if (const RaisedAlarm* alarm = state.approvals.worst_alarm()) view.alarm = alarm->kind;
    view.heard_at = state.heard_at();
    view.held = state.waits_for_human() || state.paused();
    view.quiet_call = quiet_call(state);
    HEADWAY_ASSERT(state.reached.size() == view.reached.size());
    std::copy(state.reached.begin(), state.reached.end(), view.reached.begin());
    return view;
}

bool is_alive(const SessionView& view, Timestamp now, const Watch& watch) {
    // After a start every agent has its intervals again. An agent that was silent before stays
    // silent until it reports.
    const bool silent = view.judgement && view.judgement->verdict == Verdict::kSilent;
    return !view.ended && !silent && now < silent_at(view.last_beat_at, watch, view.asked_interval);
}

}  // namespace headway::core
