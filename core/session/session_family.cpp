// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"
#include "core/judgement/recovery.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"
#include "core/session/session_family.hpp"
#include "core/values/liveness.hpp"

// Relations of the sessions of a family, budgets excepted.

namespace headway::core {
namespace {

/// How long a session goes on unheard whose parent has ended. Its agent may be at work all the
/// same, and once the session has ended its reports are refused.
constexpr std::chrono::minutes kOrphanPatience{30};
/// The same while a call is in flight, in which some agents send nothing at all.
constexpr std::chrono::hours kOrphanInCall{12};

}  // namespace

bool is_orphan(const SessionState& state) {
    return std::any_of(
        state.directives.begin(), state.directives.end(), [](const Directive& directive) {
            return directive.kind == DirectiveKind::kStop && directive.reason == kOrphanAdvice;
        });
}

Timestamp orphan_ends_at(const SessionState& state, const Watch& watch) {
    if (state.ended() || state.waits_for_human() || state.paused() || !is_orphan(state))
        return kNever;
    const Millis patience =
        state.call_in_flight() ? Millis{kOrphanInCall} : Millis{kOrphanPatience};
    return std::max(state.heard_at(), watch.since(state.asked_interval)) + patience;
}

void end_with_parent(Command& command) {
    const SessionState& state = command.state();
    SessionEnded end;
    end.automatic = true;
    end.outcome = Outcome::kCancelled;
    end.code = kParentEnded;
    end.reason = bounded_text("the session that opened it has ended");
    command.add(std::move(end));
    HEADWAY_ASSERT(state.ended());
    add_verdict(command);
}

void Session::parent_ended(bool within, const Context& context, std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.n == 0 || state_.ended() || is_orphan(state_)) return;
    credit_pause(command);
    const Timestamp silent = silent_at(state_.heard_at(), context.watch, state_.asked_interval);
    const bool waits = state_.waits_for_human() || state_.paused() || state_.call_in_flight();
    if (within || (context.now >= silent && !waits)) return end_with_parent(command);
    direct(command, DirectiveKind::kStop, std::string{kOrphanAdvice}, {});
}

void note_fan_out(Command& command, const FanOut& before, std::uint64_t cause) {
    const FanOutRules* rules = command.context().fan_out;
    const SessionState& state = command.state();
    if (rules == nullptr || state.ended()) return;
    const FanOut now = fan_out_of(state.budget);
    // Counts that swing around a limit are no news; a person's look at the alarm makes them news.
    const FanOut& fan_out = *state.budget.alarmed;
    const FanOut from{std::max(before.open, fan_out.open), std::max(before.all, fan_out.all),
                      std::max(before.depth, fan_out.depth)};
    if (!exceeds_anew(from, now, *rules)) return;
    ApprovalAlarm alarm;
    alarm.alarm = ApprovalAlarmKind::kFanOut;
    alarm.detail = excess_words(now, *rules);
    alarm.evidence = {cause};
    HEADWAY_ASSERT(!alarm.detail.empty());
    command.add(std::move(alarm));
    const bool stops = rules->on_exceeded == OnFanOut::kStop;
    direct(command, stops ? DirectiveKind::kStop : DirectiveKind::kChangeApproach,
           excess_advice(now, *rules), {});
    const auto& requests = state.approvals.requests;
    const bool asked = std::any_of(requests.begin(), requests.end(), [](const Approval& one) {
        return one.pending() && one.of_headway() && one.kind == ApprovalKind::kQuestion;
    });
    if (rules->on_exceeded != OnFanOut::kAsk || asked || !state.approvals.has_own_room()) return;
    ApprovalRequested question;
    question.kind = ApprovalKind::kQuestion;
    question.summary = bounded_text(excess_question(now, *rules));
    question.source = kOwnSource;
    ask(command, std::move(question));
    add_verdict(command);
}

}  // namespace headway::core
