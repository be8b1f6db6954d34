// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/session/session.hpp"
#include "core/session/session_command.hpp"

// Questions to a judge and their answers. checks.cpp decides what an answer changes.

namespace headway::core {
namespace {

constexpr std::string_view kConfirmEnd = ".confirm";

/// Whether Headway itself makes ids of this form: `<session>.c<n>`, and `.confirm` behind any. The
/// newest of an id is found without its session, so an agent that could choose one would be taken
/// for another.
bool is_of_own_form(std::string_view check_id) {
    if (check_id.ends_with(kConfirmEnd)) return true;
    const std::size_t other = check_id.find_last_not_of("0123456789");
    const bool number = other != std::string_view::npos && other + 1 < check_id.size();
    return number && check_id.substr(0, other + 1).ends_with(".c");
}

}  // namespace

Result<bool> Session::request_check(std::string check_id, std::string by, const Context& context,
                                    std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) {
        return Error{
            ErrorCode::kSessionEnded, "the session has ended; there is nothing to check", {}};
    }
    if (state_.checks->find(check_id) != nullptr) return false;
    if (is_of_own_form(check_id)) {
        return Error{ErrorCode::kInvalidId,
                     "an id that ends with `.c` and a number, or with `.confirm`, is one that "
                     "Headway chooses; choose another",
                     "/checkId"};
    }
    if (context.judge == nullptr || context.judge->primary.empty()) {
        return Error{ErrorCode::kNoJudge,
                     "no judge is configured; add one as [judge.endpoints.NAME] with base_url and "
                     "model, and restart",
                     {}};
    }
    if (!state_.policy->judge) {
        return Error{ErrorCode::kNoJudge,
                     "the policy of this session has `judge: false`, so no judge may see it",
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
    std::string check_id = completed.check_id + std::string{kConfirmEnd};
    credit_pause(command);
    command.add(std::move(completed));
    if (second_opinion && context.judge != nullptr && !context.judge->confirm.empty()) {
        add_check(command, CheckCause::kConfirm, std::move(check_id), "headway");
    }
    add_verdict(command);
    add_advice(command);
    end_itself(command, {});
}

void Session::note_estimate(ProgressEstimated estimate, const Context& context,
                            std::vector<Event>& out) {
    Command command{*this, context, out};
    if (state_.ended()) return;
    estimate.source = "judge";
    estimate.calls = state_.tool_calls;
    estimate.is_stuck = makes_no_way(*state_.estimates, estimate);
    credit_pause(command);
    command.add(std::move(estimate));
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
