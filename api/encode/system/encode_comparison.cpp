// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode.hpp"
#include "api/json/json_writer.hpp"
#include "core/state/legacy_comparison.hpp"

// The old timers beside what really happened.

namespace headway::api {

void append_comparison(std::string& out, const core::Session& session, core::Timestamp now) {
    const core::SessionState& state = session.state();
    const core::Comparison comparison = core::compare(state, now);
    JsonWriter json{out};
    json.open_object();
    json.member("session", session.id());
    json.member("mode", comparison.timers.mode);
    json.member("summary", comparison.summary);
    json.key("legacy");
    json.open_object();
    json.member("session_timeout_ms", comparison.timers.session);
    json.member("tool_timeout_ms", comparison.timers.tool);
    json.member("fallback", comparison.timers.fallback);
    json.member("would_have_killed", !comparison.kills.empty());
    json.member("kills", comparison.kills);
    json.close_object();
    json.key("status_based");
    json.open_object();
    json.member("verdict", state.judgement->verdict);
    json.member("reason", state.judgement->reason);
    json.member("outcome", state.outcome);
    json.member("ran_ms", comparison.ran);
    json.close_object();
    json.member("saved", comparison.saved);
    json.close_object();
}

void append_timeout_totals(std::string& out, const TimeoutTotals& totals) {
    JsonWriter json{out};
    json.open_object();
    json.member("sessions", totals.sessions);
    json.member("would_have_killed", totals.killed);
    json.member("saved", totals.saved);
    json.member("saved_ms", totals.saved_ms);
    json.close_object();
}

}  // namespace headway::api
