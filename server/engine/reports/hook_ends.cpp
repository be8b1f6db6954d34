// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/hook_ends.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/budgets/budget.hpp"
#include "core/judgement/resolver.hpp"
#include "core/text/text.hpp"

namespace headway::server {

using api::hooks::Hook;
using api::hooks::HookKind;

bool ends_session(HookKind kind) {
    return kind == HookKind::kEnd || kind == HookKind::kSubEnd;
}

bool closes_calls(const Hook& hook) {
    return hook.kind == HookKind::kPrompt || hook.kind == HookKind::kStop ||
           hook.kind == HookKind::kInterrupt || ends_session(hook.kind) ||
           (hook.kind == HookKind::kError && hook.ends_turn);
}

bool ends_dialogs(const Hook& hook) {
    return hook.kind == HookKind::kBatch || hook.kind == HookKind::kIdle || closes_calls(hook);
}

namespace {

/// An agent that was opened and closed again: no person asked it for anything, and it did nothing.
bool had_no_task(const core::SessionState& state, const HookMemory& memory) {
    const bool quiet =
        std::none_of(state.reached.begin(), state.reached.end(), [&state](const std::uint64_t& n) {
            const auto verdict = static_cast<core::Verdict>(&n - state.reached.data());
            return n != 0 && verdict != core::Verdict::kStarting &&
                   verdict != core::Verdict::kWaiting && verdict != core::Verdict::kSilent;
        });
    // A turn of words alone, whose prompt has no text, leaves a heartbeat and a rest, as a note at
    // the start does.
    const bool answered = memory.turned || state.budget.tokens > 0 || core::own_steps(state) > 0;
    return quiet && !answered && state.about.goal.empty() && state.other_words == 0 &&
           state.tool_calls == 0 && state.unrun_calls == 0 && state.about.parent.empty();
}

/// An agent that was asked for something, made no call at all, and ended its last turn without a
/// word.
bool did_nothing(const core::SessionState& state, const Hook& hook) {
    const bool silent = hook.silent || state.detectors->empty_turns.count > 0;
    // A round that is over had calls, maybe only such as no hook reports.
    const bool called = state.tool_calls > 0 || state.unrun_calls > 0 || state.agent_calls > 0 ||
                        state.iteration.value_or(0) > 0;
    return silent && !called;
}

/// True if the agent reported with the end of its turn that a sub-agent goes on.
bool names_an_agent(const core::SessionState& state) {
    const auto& tasks = state.background->tasks;
    return std::any_of(tasks.begin(), tasks.end(), [](const std::string& task) {
        return task == "agent" || task.starts_with("agent: ");
    });
}

/// Reasons by which the agents of today report that a person has left them.
bool is_left_by_person(std::string_view reason) {
    static constexpr std::array<std::string_view, 6> kLeft{
        "prompt_input_exit", "user_exit", "clear", "logout", "resume", "abort"};
    return std::find(kLeft.begin(), kLeft.end(), reason) != kLeft.end();
}

/// True for a reason by which no agent of today reports a failure. `other` is Claude Code's for the
/// end of a program without a terminal, and Codex's for each end.
bool is_known_reason(const Hook& hook) {
    static constexpr std::array<std::string_view, 4> kKnown{"other", "exit", "complete",
                                                            "bypass_permissions_disabled"};
    return hook.free_reason || hook.reason.empty() || is_left_by_person(hook.reason) ||
           std::find(kKnown.begin(), kKnown.end(), hook.reason) != kKnown.end();
}

/// True for an agent that gave up when its own time was over.
bool ran_out_of_time(const Hook& hook) {
    return hook.kind == HookKind::kEnd && !hook.free_reason && hook.reason == "timeout";
}

/// The end of an agent at its prompt, whose last turn ended without an error.
void end_at_prompt(const core::SessionState& state, const Hook& hook, const WorkBelow& below,
                   core::SessionEnded& end) {
    const bool of_session = hook.kind == HookKind::kEnd;
    end.outcome = core::Outcome::kFailed;
    if (below.in_call || (below.open && names_an_agent(state))) {
        if (is_left_by_person(hook.reason)) end.outcome = core::Outcome::kCancelled;
        end.reason = core::bounded_text("its work in the background was cut off");
    } else if (did_nothing(state, hook)) {
        end.reason = core::bounded_text("its last turn had neither words nor a call");
    } else if (!of_session && hook.silent && !state.open_calls.empty()) {
        end.reason = core::bounded_text("it ended in the middle of a call, without an answer");
    } else if (of_session && !is_known_reason(hook)) {
        end.reason = core::bounded_text("it ended with a reason that is not known: " + hook.reason);
    } else {
        const bool aborted = of_session && !hook.free_reason && hook.reason == "abort";
        end.outcome = aborted ? core::Outcome::kCancelled : core::Outcome::kCompleted;
    }
}

}  // namespace

core::SessionEnded end_of(const core::SessionState& state, const Hook& hook,
                          const HookMemory& memory, const WorkBelow& below) {
    const bool interrupted = memory.interrupted;
    core::SessionEnded end;
    end.reason = core::bounded_text(hook.kind == HookKind::kSubEnd ? "" : hook.reason);
    const bool exhausted =
        state.budget.limited() && state.budget.level == core::BudgetLevel::kExhausted;
    const bool named = core::parse_name(hook.outcome, end.outcome);
    // Only Headway halts a session, and knows whether a budget is exhausted.
    const bool believed = end.outcome != core::Outcome::kHalted &&
                          (end.outcome != core::Outcome::kBudgetExhausted || exhausted);
    if (named && believed) return end;
    const bool completed =
        hook.kind == HookKind::kSubEnd || state.agent_state == core::AgentState::kIdle;
    end.outcome = core::Outcome::kCancelled;
    if (state.cancel_requested || state.stopped) return end;
    if (hook.kind == HookKind::kEnd && !named && hook.error_class.empty() &&
        had_no_task(state, memory)) {
        end.reason = core::bounded_text("it ended without a prompt");
        return end;
    }
    const bool recovering =
        !interrupted && !completed && state.agent_state == core::AgentState::kErrorRecovery;
    if (exhausted) {
        end.outcome = core::Outcome::kBudgetExhausted;
    } else if (!hook.error_class.empty() || core::stopped_by_provider(state) || recovering ||
               ran_out_of_time(hook) || (completed && !interrupted && named)) {
        end.outcome = core::Outcome::kFailed;
    } else if (completed && !interrupted) {
        end_at_prompt(state, hook, below, end);
    }
    return end;
}

bool tells_use_only(const Hook& hook) {
    return hook.kind == HookKind::kUsage && !hook.usage;
}

std::string reporting_adapter(const api::hooks::Dialect& dialect, const Hook& hook,
                              const std::string& named) {
    if (api::hooks::asks_person(hook.kind) || hook.kind == HookKind::kStatus) return {};
    if (tells_use_only(hook)) return {};
    if (!named.empty()) return named;
    return hook.agent.empty() ? std::string{dialect.name} : hook.agent;
}

}  // namespace headway::server
