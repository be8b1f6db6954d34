// SPDX-License-Identifier: Apache-2.0
#include "api/encode/system/encode_overview.hpp"

#include <algorithm>
#include <cmath>

#include "api/encode/encode_budget.hpp"
#include "api/encode/parts/encode_block.hpp"
#include "api/encode/parts/encode_estimate.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/judgement/reasons.hpp"

namespace headway::api {
namespace {

template <class T>
void member_or_null(JsonWriter& json, std::string_view name, const T& v, bool present) {
    json.key(name);
    if (present) {
        json.value(v);
    } else {
        json.null();
    }
}

std::string percent_text(double percent) {
    return std::to_string(static_cast<std::int64_t>(std::floor(percent)));
}

void write_action(JsonWriter& json, const core::SessionState& state) {
    member_or_null(json, "last_action", *state.last_action, state.last_action.has_value());
}

void write_row_budget(JsonWriter& json, const core::SessionState& state, const ReadingTime& time) {
    json.key("budget");
    if (!state.budget.limited()) {
        json.null();
        return;
    }
    const core::BudgetStatus status = core::budget_status(state, time.now, time.watch);
    json.open_object();
    json.member("level", status.level);
    json.member("pressure", std::floor(status.pressure * 10) / 10);
    json.member("dimension", status.dimension);
    json.close_object();
}

void write_need(JsonWriter& json, const Need& need) {
    json.open_object();
    json.member("kind", name_of(need.kind));
    json.member("session", need.session);
    member_or_null(json, "goal", need.goal, !need.goal.empty());
    json.member("since", need.since);
    json.member("reason", need.reason);
    json.member("reason_code", need.alarm);
    if (need.up_to > 0) json.member("up_to", need.up_to);
    json.member("certain", need.certain);
    if (need.cause != core::Cause::kNone) json.member("cause", need.cause);
    if (need.retry_at != core::kNever) json.member("retry_at", need.retry_at);
    const bool approval = need.approval != 0;
    member_or_null(json, "approval", core::approval_id(need.session, need.approval), approval);
    member_or_null(json, "risk", need.risk, approval);
    json.key("estimate");
    write_estimate(json, need.estimate.get());
    json.close_object();
}

/// Description of the alarm, for a person.
std::string alarm_text(const core::RaisedAlarm& alarm) {
    std::string text = alarm.tool.empty() ? "a call" : alarm.tool;
    switch (alarm.kind) {
        case core::ApprovalAlarmKind::kExecutedThoughRejected:
            text += " ran although it was rejected";
            break;
        case core::ApprovalAlarmKind::kExecutedUnapproved:
            text += alarm.approval != 0 ? " ran before it was allowed, or with other arguments"
                                        : " ran without the permission that it needs";
            break;
        case core::ApprovalAlarmKind::kStartedAfterRejection:
            text += " was started although it was rejected";
            break;
        case core::ApprovalAlarmKind::kApprovedButRefused:
            text += " was approved here and refused by the agent's own rules";
            break;
        case core::ApprovalAlarmKind::kNeverExecuted:
            text += " was approved and has not run";
            break;
        case core::ApprovalAlarmKind::kFanOut:
            return alarm.detail;
    }
    if (alarm.times > 1) text += ", " + std::to_string(alarm.times) + " times";
    return text;
}

std::string wish_of(const core::Approval& approval) {
    switch (approval.kind) {
        case core::ApprovalKind::kTool:
            return "asks to run " + approval.tool;
        case core::ApprovalKind::kAuth:
            return "asks for access";
        case core::ApprovalKind::kBudgetExtension:
            return "asks for more budget";
        case core::ApprovalKind::kQuestion:
            break;
    }
    return "asks a question";
}

void write_by_verdict(JsonWriter& json, const Overview::Counts& counts) {
    json.open_object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        json.member(core::name_of(static_cast<core::Verdict>(i)), counts[i]);
    }
    json.close_object();
}

}  // namespace

std::string_view name_of(NeedKind kind) {
    constexpr std::string_view kNames[] = {"approval", "question", "stuck",
                                           "blocked",  "silent",   "over_budget",
                                           "alarm",    "waiting",  "fan_out"};
    return kNames[static_cast<std::size_t>(kind)];
}

void append_need(std::string& out, const Need& need) {
    JsonWriter json{out};
    write_need(json, need);
}

std::string goal_line(const core::SessionState& state) {
    return std::string{core::cut_text(state.about.goal.kept, core::limits::kGoalLineBytesMax)};
}

void append_row(std::string& out, const core::Session& session, const ReadingTime& time,
                const Adapter* adapter) {
    const core::SessionState& state = session.state();
    const core::Opening& about = state.about;
    JsonWriter json{out};
    json.open_object();
    json.member("id", session.id());
    json.member("n", state.n);
    json.member("status", state.judgement->verdict);
    json.member("since", state.judgement->since);
    json.member("reason", core::live_judgement(state)->reason);
    if (state.judgement->needs_somebody) json.member("needs_somebody", true);
    write_block(json, *state.judgement);
    json.member("state", state.agent_state);
    member_or_null(json, "phase", state.phase, !state.phase.empty());
    json.member("iteration", state.iteration);
    json.member("opened_at", state.opened_at);
    json.member("ended_at", state.ended_at);
    if (about.recorded) json.member("recorded", true);
    json.member("outcome", state.outcome);
    json.member("last_beat_at", state.last_beat_at);
    json.member("alive",
                !about.recorded && core::is_alive(core::view_of(session), time.now, time.watch));
    json.member("next_heartbeat_ms", state.asked_interval);
    write_action(json, state);
    member_or_null(json, "goal", goal_line(state), !about.goal.empty());
    json.member("agent", about.agent);
    write_adapter(json, adapter);
    member_or_null(json, "parent", about.parent, !about.parent.empty());
    json.member("labels", about.labels);
    write_used(json, state.budget);
    write_row_budget(json, state, time);
    json.member("approvals_pending", state.approvals.pending());
    json.key("estimate");
    write_estimate(json, &state.estimates->current);
    json.member("alarm", core::view_of(session).alarm);
    json.member("activity", core::activity_of(*state.ledger));
    json.member("quiet_rounds", state.ledger->quiet_rounds);
    json.close_object();
}

Need need_of(std::string_view session, const core::Approval& approval) {
    Need need;
    const bool question = approval.kind == core::ApprovalKind::kQuestion;
    need.kind = question ? NeedKind::kQuestion : NeedKind::kApproval;
    need.session = session;
    need.since = approval.requested_at;
    need.reason = approval.summary.empty() ? wish_of(approval) : approval.summary;
    need.certain = true;
    need.approval = approval.n;
    need.risk = approval.risk;
    return need;
}

Need need_of(const core::Session& session, core::Timestamp since, bool over_budget,
             const ReadingTime& time) {
    const core::SessionState& state = session.state();
    Need need;
    need.session = session.id();
    need.since = since;
    need.goal = goal_line(state);
    need.estimate = session.estimate();
    if (over_budget) {
        const core::BudgetStatus status = core::budget_status(state, time.now, time.watch);
        need.kind = NeedKind::kOverBudget;
        need.certain = true;
        need.reason = percent_text(status.pressure) + " % of its " +
                      std::string{core::name_of(status.dimension)} + " are used";
        return need;
    }
    need.reason = core::live_judgement(state)->reason;
    if (state.judgement->needs_somebody) {
        need.kind = NeedKind::kWaiting;
        need.certain = true;
    }
    if (state.judgement->verdict == core::Verdict::kSilent) need.kind = NeedKind::kSilent;
    if (state.judgement->verdict == core::Verdict::kBlocked) {
        // Unless it was only read from the words of errors.
        need.kind = NeedKind::kBlocked;
        const core::Blocked& blocked = state.detectors->blocked;
        need.certain = blocked.typed || blocked.cause == core::Cause::kPerson;
        need.cause = state.judgement->cause;
        need.retry_at = state.judgement->retry_at;
    }
    return need;
}

Need need_of_alarm(const core::Session& session) {
    const core::SessionState& state = session.state();
    Need need;
    need.kind = NeedKind::kAlarm;
    need.session = session.id();
    need.goal = goal_line(state);
    need.certain = true;
    const core::RaisedAlarm* worst = state.approvals.worst_alarm();
    if (worst == nullptr) return need;
    need.alarm = worst->kind;
    need.against_person = state.approvals.against_person(*worst);
    if (worst->kind == core::ApprovalAlarmKind::kFanOut) need.kind = NeedKind::kFanOut;
    need.since = worst->at;
    need.approval = worst->approval;
    need.reason = alarm_text(*worst);
    if (const core::Approval* asked = state.approvals.find(worst->approval))
        need.risk = asked->risk;
    for (const core::RaisedAlarm& alarm : state.approvals.alarms)
        need.up_to = std::max(need.up_to, alarm.n);
    const std::size_t others = state.approvals.alarms.size() - 1 + state.approvals.alarms_more;
    if (others > 0) need.reason += "; and " + std::to_string(others) + " more";
    return need;
}

void append_overview(std::string& out, const Overview& overview) {
    JsonWriter json{out};
    json.open_object();
    json.member("cursor", overview.cursor);
    std::uint64_t open = 0;
    for (const std::uint64_t count : overview.counts)
        open += count;
    json.member("open", open);
    json.key("counts");
    write_by_verdict(json, overview.counts);
    if (overview.past) {
        json.key("past");
        json.open_object();
        json.member("until", overview.past->until);
        json.key("minutes");
        json.open_array();
        for (const Overview::Counts& counts : overview.past->minutes)
            write_by_verdict(json, counts);
        json.close_array();
        json.close_object();
    }
    json.member("alarm", overview.alarm);
    json.member("alarms", overview.alarms);
    json.key("hook_channels");
    json.open_object();
    for (std::size_t i = 0; i < overview.channels.size(); ++i)
        json.member(core::name_of(static_cast<core::ChannelHealth>(i)), overview.channels[i]);
    json.close_object();
    json.key("needs_you");
    json.open_array();
    for (const Need& need : overview.needs)
        write_need(json, need);
    json.close_array();
    json.member("needs_you_total", overview.needs_total);
    json.member("approvals_pending", overview.approvals_pending);
    json.close_object();
}

}  // namespace headway::api
