// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/assert.hpp"
#include "core/limits.hpp"
#include "core/session.hpp"
#include "core/session_command.hpp"

// Questions to a judge and their answers. checks.cpp decides what an answer changes.

namespace headway::core {
Result<bool> Session::request_check(std::string check_id, std::string by, const Context& context,
                                    std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) {
        return Error{
            ErrorCode::kSessionEnded, "the session has ended; there is nothing to check", {}};
    }
    if (state_.checks->find(check_id) != nullptr) return false;
    if (context.judge == nullptr || context.judge->primary.empty()) {
        return Error{ErrorCode::kNoJudge,
                     "no judge is configured; add one as [judge.endpoints.NAME] with base_url and "
                     "model, and restart",
                     {}};
    }
    if (!state_.policy->judge) {
        return Error{ErrorCode::kNoJudge,
                     "the policy of this session says `judge: false`, so no judge may see it",
                     {}};
    }
    if (state_.checks->pending.size() >= limits::kChecksPendingMax) {
        return Error{ErrorCode::kTooManyChecks,
                     "the maximum of checks of this session is in flight; wait for one",
                     {}};
    }
    credit_pause(command);
    HEADWAY_ASSERT(!state_.ended());
    add_check(command, CheckCause::kAsked, std::move(check_id), std::move(by));
    return true;
}

void Session::complete_check(CheckCompleted completed, const Context& context,
                             std::vector<Event>& out) {
    Command command{*this, context, out};
    const PendingCheck* pending = state_.checks->find(completed.check_id);
    if (state_.ended() || pending == nullptr) return;
    const bool first = pending->cause != CheckCause::kConfirm && !pending->confirm.empty();
    const bool second_opinion =
        first && !pending->loop.empty() && completed.answer == CheckAnswer::kLooping;
    std::string check_id = completed.check_id + ".confirm";
    credit_pause(command);
    command.add(std::move(completed));
    if (second_opinion && context.judge != nullptr && !context.judge->confirm.empty()) {
        add_check(command, CheckCause::kConfirm, std::move(check_id), "headway");
    }
    add_verdict(command);
    add_advice(command);
    end_itself(command, {});
}

void Session::note_estimate(ProgressEstimated said, const Context& context,
                            std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return;
    said.source = "judge";
    said.calls = state_.tool_calls;
    credit_pause(command);
    command.add(std::move(said));
    add_verdict(command);
    add_advice(command);
}

void add_check(Command& command, CheckCause cause, std::string check_id, std::string by) {
    const SessionState& state = command.state();
    HEADWAY_ASSERT(command.context().judge != nullptr);
    CheckRequested asked;
    asked.check_id =
        check_id.empty() ? command.id() + ".c" + std::to_string(state.n + 1) : std::move(check_id);
    asked.cause = cause;
    asked.by = std::move(by);
    const bool confirms = cause == CheckCause::kConfirm;
    asked.judge = confirms ? command.context().judge->confirm : command.context().judge->primary;
    if (!confirms) asked.confirm = command.context().judge->confirm;
    command.add(std::move(asked));
    HEADWAY_ASSERT(!state.checks->pending.empty());
    HEADWAY_ASSERT(state.checks->pending.back().n == state.n);
}

void add_due_check(Command& command) {
    const SessionState& state = command.state();
    if (command.context().judge == nullptr) return;
    if (const auto cause = check_due(state, *command.context().judge)) {
        add_check(command, *cause, {}, "headway");
    }
}

}  // namespace headway::core
