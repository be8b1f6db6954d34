// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode.hpp"

#include "api/encode/encode_budget.hpp"
#include "api/encode/export_fingerprint.hpp"
#include "api/encode/parts/encode_block.hpp"
#include "api/encode/parts/encode_estimate.hpp"
#include "api/encode/parts/encode_expectations.hpp"
#include "api/json/json_writer.hpp"
#include "api/text/fingerprint_text.hpp"
#include "core/judgement/reasons.hpp"

namespace headway::api {
namespace {

/// Size of most documents, so that they grow once.
constexpr std::size_t kSessionBytes = 512;

void write_judgement(JsonWriter& json, const core::Judgement& judgement) {
    json.open_object();
    json.member("status", judgement.verdict);
    json.member("reason", judgement.reason);
    json.member("since", judgement.since);
    json.member("evidence", judgement.evidence);
    if (!judgement.detector.empty()) json.member("detector", judgement.detector);
    if (judgement.detectors.size() > 1) json.member("detectors", judgement.detectors);
    if (judgement.confidence > 0) json.member("confidence", judgement.confidence);
    if (!judgement.loop.empty()) json.member("loop", judgement.loop);
    if (judgement.needs_somebody) json.member("needs_somebody", true);
    write_block(json, judgement);
    json.close_object();
}

void write_fingerprint(JsonWriter& json, std::string_view session, const core::Event& event,
                       const Fingerprints& fingerprints) {
    const auto* call = std::get_if<core::ToolFinished>(&event.payload);
    if (call == nullptr) return;
    const bool hides = holds_redacted(*call);
    if (hides && fingerprints.key.empty()) return;
    if (hides) return json.member("print", hidden_fingerprint(session, event, fingerprints.key));
    json.member("print", call->fingerprint ? fingerprint_text(*call->fingerprint) : std::string{});
}

void write_envelope(JsonWriter& json, std::string_view session, const core::Event& event,
                    const Fingerprints& fingerprints) {
    json.open_object();
    json.member("session", session);
    json.member("n", event.n);
    json.member("type", core::type_of(event.payload));
    json.member("at", event.at);
    if (!event.event_id.empty()) json.member("event_id", event.event_id);
    if (event.attempt != 0) json.member("attempt", event.attempt);
    if (event.state) json.member("state", *event.state);
    if (event.from) json.member("from", *event.from);
    if (event.next_heartbeat_ms != 0) json.member("next_heartbeat_ms", event.next_heartbeat_ms);
    if (fingerprints.written) write_fingerprint(json, session, event, fingerprints);
    const auto* message = std::get_if<core::Message>(&event.payload);
    if (fingerprints.written && message != nullptr && message->of_operator)
        json.member("of_operator", true);
    json.key("data");
    std::visit([&json](const auto& data) { json.value(data); }, event.payload);
    json.close_object();
}

void write_directives(JsonWriter& json, const Advice& advice) {
    json.key("directives");
    json.open_array();
    for (const auto& [directive, delivery] : advice.directives) {
        json.open_object();
        json.member("id", directive.id);
        json.member("type", directive.kind);
        json.member("reason", directive.reason);
        json.member("delivery", delivery);
        json.close_object();
    }
    json.close_array();
}

void write_results(JsonWriter& json, const Advice& advice) {
    json.key("results");
    json.open_array();
    for (const auto& [n, duplicate] : advice.results) {
        json.open_object();
        json.member("n", n);
        if (duplicate) json.member("duplicate", true);
        json.close_object();
    }
    json.close_array();
}

void write_invalid_transitions(JsonWriter& json, const Advice& advice) {
    json.key("invalid_transitions");
    json.open_array();
    for (const auto& [n, change] : advice.invalid_transitions) {
        json.open_object();
        json.member("n", n);
        json.member("from", change.from);
        json.member("to", change.state);
        json.close_object();
    }
    json.close_array();
}

void write_counts(JsonWriter& json, const core::SessionState& state) {
    json.member("heartbeats", state.heartbeats);
    json.member("state_changes", state.state_changes);
    json.key("last_change");
    if (state.last_change) {
        json.value(core::change_name(*state.last_change));
    } else {
        json.null();
    }
    json.member("last_change_at", state.last_change_at);
    member_or_null(json, "phase", state.phase);
    json.member("iteration", state.iteration);
    json.member("state", state.agent_state);
    write_background(json, state);
    json.key("tools");
    json.open_object();
    json.member("calls", state.tool_calls);
    json.member("failures", state.tool_failures);
    json.member("failures_in_a_row", state.detectors->tool_failures.count);
    json.member("unreadable_in_a_row", state.detectors->empty_turns.count);
    json.member("files_modified", state.files_modified);
    json.close_object();
    json.key("progress");
    json.open_object();
    json.member("rounds", state.ledger->rounds);
    json.member("quiet_rounds", state.ledger->quiet_rounds);
    json.member("activity", core::activity_of(*state.ledger));
    json.member("last_hard", state.ledger->hard_n);
    json.member("last_soft", std::max(state.ledger->moved_n, state.ledger->external_n));
    json.close_object();
}

void write_phases(JsonWriter& json, const core::SessionState& state) {
    json.key("phases");
    json.open_object();
    json.member("total", state.phase_totals.total);
    json.member("completed", state.phase_totals.completed);
    json.member("files_changed", state.phase_totals.files_changed);
    json.member("tests_passed", state.phase_totals.tests_passed);
    json.key("current");
    if (state.current_phase->name.empty()) {
        json.null();
    } else {
        json.value(*state.current_phase);
    }
    json.member("history", state.past_phases);
    json.close_object();
}

void write_about(JsonWriter& json, const core::SessionState& state) {
    member_or_null(json, "goal", state.about.goal);
    json.member("agent", state.about.agent);
    member_or_null(json, "parent", state.about.parent);
    if (state.about.complexity) json.member("complexity", *state.about.complexity);
    json.member("labels", state.about.labels);
    json.key("policy");
    json.open_object();
    json.member("profile", state.policy->profile);
    json.member("heartbeat_interval_ms", state.policy->heartbeat_interval);
    json.member("heartbeat_limit", state.policy->heartbeat_limit);
    json.member("loop_detection", state.policy->loop_detection);
    json.member("judge", state.policy->judge);
    json.member("trust_origin", state.policy->trust_origin);
    json.member("trust_user", state.policy->trust_user);
    json.member("on_stuck", state.policy->on_stuck);
    json.member("max_iterations", state.policy->max_iterations);
    json.member("max_tool_failures", state.policy->max_tool_failures);
    json.member("max_parse_failures", state.policy->max_parse_failures);
    json.member("tool_time_limit_ms", state.policy->tool_time_limit);
    json.member("min_confidence", state.policy->min_confidence);
    json.member("low_confidence_attempts", state.policy->low_confidence_attempts);
    json.member("stats_every", state.policy->stats_every);
    json.member("confirm_stop", state.policy->confirm_stop);
    json.member("wait_polls", state.policy->wait_polls);
    json.member("wait_patience_ms", state.policy->wait_patience);
    json.member("tools", state.policy->tools);
    json.member("detectors", state.policy->detectors);
    json.close_object();
    if (!state.about.raised.empty()) json.member("raised", state.about.raised);
    json.key("directives");
    json.open_array();
    for (const core::Directive& directive : state.directives) {
        if (directive.acknowledged && state.ended()) continue;
        json.open_object();
        json.member("id", directive.id);
        json.member("type", directive.kind);
        json.member("reason", directive.reason);
        if (directive.delivered) json.member("delivered", true);
        if (directive.acknowledged) json.member("acknowledged", true);
        json.close_object();
    }
    json.close_array();
}

/// Alarms: actions against a decision that no person has acknowledged; the most urgent first.
void write_alarms(JsonWriter& json, std::string_view session, const core::Approvals& approvals) {
    json.key("alarms");
    json.open_array();
    for (const core::RaisedAlarm* alarm : approvals.alarms_by_urgency()) {
        json.open_object();
        json.member("kind", alarm->kind);
        json.key("approval_id");
        if (alarm->approval != 0) {
            json.value(core::approval_id(session, alarm->approval));
        } else {
            json.null();
        }
        json.member("tool", alarm->tool);
        json.member("at", alarm->at);
        json.member("n", alarm->n);
        json.member("times", alarm->times);
        if (!alarm->detail.empty()) json.member("detail", alarm->detail);
        json.close_object();
    }
    json.close_array();
    if (approvals.alarms_more > 0) json.member("alarms_more", approvals.alarms_more);
}

void write_wait_body(JsonWriter& json, const WaitPart& part, const ReadingTime& time) {
    const core::SessionView& view = *part.view;
    const core::WaitAnswer& answer = part.answer;
    json.member("matched", answer.matched);
    json.member("impossible", answer.impossible);
    json.member("cause", answer.cause);
    json.member("session", view.id);
    json.member("n", view.n);
    json.member("alive", core::is_alive(view, time.now, time.watch));
    json.key("verdict");
    write_judgement(json, *view.judgement);
    if (part.silent_for > core::Millis{0}) json.member("silent_for_ms", part.silent_for.count());
}

}  // namespace

void append_advice(std::string& out, const Advice& advice, const core::SessionView& view) {
    out.reserve(out.size() + kSessionBytes);
    JsonWriter json{out};
    json.open_object();
    json.member("session", view.id);
    json.member("n", advice.n);
    json.member("accepted", advice.accepted);
    json.member("duplicates", advice.duplicates);
    if (advice.batch) write_results(json, advice);
    json.key("verdict");
    write_judgement(json, *view.judgement);
    write_directives(json, advice);
    if (!advice.invalid_transitions.empty()) write_invalid_transitions(json, advice);
    if (!advice.feedback.empty()) json.member("feedback", advice.feedback);
    json.key("budget");
    if (advice.budget) {
        write_budget(json, *advice.budget, nullptr, advice.usual_calls);
    } else {
        json.null();
    }
    json.key("approvals");
    write_notices(json, view.id, advice.approvals);
    json.key("estimate");
    write_estimate(json, view.estimate.get());
    json.member("next_heartbeat_ms", view.asked_interval);
    json.close_object();
}

void append_event(std::string& out, std::string_view session, const core::Event& event,
                  const Fingerprints& fingerprints) {
    JsonWriter json{out};
    write_envelope(json, session, event, fingerprints);
}

void append_session(std::string& out, const core::Session& session, const ReadingTime& time,
                    const core::BudgetPrediction* prediction,
                    const core::SessionExpectations& expected, const Adapter* adapter,
                    std::string_view cost_warning, std::size_t approvals_below) {
    const core::SessionState& state = session.state();
    JsonWriter json{out};
    json.open_object();
    json.member("id", session.id());
    json.member("n", state.n);
    json.member("attempt", state.attempt);
    json.member("opened_at", state.opened_at);
    json.member("ended_at", state.ended_at);
    if (state.about.recorded) json.member("recorded", true);
    json.member("outcome", state.outcome);
    if (!state.end_code.empty()) json.member("end_code", state.end_code);
    if (state.ended() && !state.result->empty()) json.member("result", *state.result);
    json.key("verdict");
    write_judgement(json, *core::live_judgement(state));
    json.member("alive", !state.about.recorded &&
                             core::is_alive(core::view_of(session), time.now, time.watch));
    json.member("last_beat_at", state.last_beat_at);
    json.member("next_heartbeat_ms", state.asked_interval);
    json.member("cancel_requested", state.cancel_requested);
    if (state.stopped) json.member("stopped", true);
    if (state.paused()) json.member("paused_at", state.paused_at);
    write_counts(json, state);
    write_in_flight(json, state.open_calls, expected.calls);
    json.member("resources", state.resources);
    json.member("approvals_pending", state.approvals.pending());
    if (approvals_below > 0) json.member("approvals_below", approvals_below);
    json.key("estimate");
    write_estimate(json, &state.estimates->current);
    write_alarms(json, session.id(), state.approvals);
    write_fan_out(json, state.budget);
    write_phases(json, state);
    write_used(json, state.budget);
    json.key("budget");
    write_budget(json, core::budget_status(state, time.now, time.watch), prediction,
                 expected.usual_calls, cost_warning);
    json.member("budget_source", state.budget.source);
    write_adapter(json, adapter);
    write_about(json, state);
    json.close_object();
}

void append_wait(std::string& out, const WaitPart& part, const ReadingTime& time) {
    JsonWriter json{out};
    json.open_object();
    json.member("met", part.answer.met);
    if (part.view != nullptr) {
        write_wait_body(json, part, time);
    } else {
        json.member("matched", part.answer.matched);
        json.member("impossible", part.answer.impossible);
        json.member("cause", part.answer.cause);
        json.member("session", part.id);
        json.member("n", 0);
        json.member("alive", false);
        json.key("verdict");
        json.null();
    }
    json.close_object();
}

void append_wait_several(std::string& out, std::span<const WaitPart> parts, bool met,
                         bool impossible, const ReadingTime& time) {
    JsonWriter json{out};
    json.open_object();
    json.member("met", met);
    json.member("impossible", impossible);
    json.key("matched");
    json.open_object();
    for (const WaitPart& part : parts) {
        if (part.answer.met) json.member(part.id, part.answer.matched);
    }
    json.close_object();
    json.key("causes");
    json.open_object();
    for (const WaitPart& part : parts) {
        if (part.answer.impossible) json.member(part.id, part.answer.cause);
    }
    json.close_object();
    json.key("sessions");
    json.open_object();
    for (const WaitPart& part : parts) {
        json.key(part.id);
        if (part.view == nullptr) {
            json.null();
            continue;
        }
        json.open_object();
        write_wait_body(json, part, time);
        json.close_object();
    }
    json.close_object();
    json.close_object();
}

}  // namespace headway::api
