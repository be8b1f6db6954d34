#include "core/view.hpp"

#include <algorithm>

#include "core/completion.hpp"
#include "core/liveness.hpp"

namespace headway::core {

SessionView view_of(const Session& session) {
    const SessionState& state = session.state();
    SessionView view;
    view.id = session.id();
    view.n = state.n;
    view.ended = state.ended();
    view.judgement = session.judgement();
    view.estimate = session.estimate();
    view.end_code = state.end_code;
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
    std::copy(state.reached.begin(), state.reached.end(), view.reached.begin());
    return view;
}

bool is_alive(const SessionView& view, Timestamp now, const Watch& watch) {
    return !view.ended && now < silent_at(view.last_beat_at, watch, view.asked_interval);
}

}  // namespace headway::core
