// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/reasons.hpp"

#include "core/judgement/resolver.hpp"

namespace headway::core {

bool is_news(const Judgement& before, const Judgement& next) {
    const bool same = next.verdict == before.verdict &&
                      next.needs_somebody == before.needs_somebody && next.cause == before.cause &&
                      next.retry_at == before.retry_at;
    const bool rests =
        next.verdict == Verdict::kWaiting && (next.detector.empty() || next.detector == "operator");
    return !same || (rests && next.reason != before.reason);
}

std::string waiting_reason(const Approval& asked) {
    const std::string since = ", since #" + std::to_string(asked.n);
    switch (asked.kind) {
        case ApprovalKind::kTool:
            return "waits for a person to allow " + asked.tool + since;
        case ApprovalKind::kAuth:
            return "waits for a person to give access" + since;
        case ApprovalKind::kBudgetExtension:
            return "waits for a person to extend its budget" + since;
        case ApprovalKind::kQuestion:
            break;
    }
    return "waits for a person's answer" + since;
}

std::string rest_reason(const SessionState& state) {
    const Background& work = *state.background;
    if (state.agent_state != AgentState::kIdle || work.tasks.empty())
        return "idle: it waits for a task";
    std::string reason = "waits for its work in the background: ";
    for (std::size_t i = 0; i < work.tasks.size(); ++i)
        reason += (i == 0 ? "" : ", ") + work.tasks[i];
    if (work.more > 0) reason += " and " + std::to_string(work.more) + " more";
    return reason;
}

std::string progress_reason(const SessionState& state, Verdict verdict) {
    const Ledger& ledger = *state.ledger;
    if (verdict == Verdict::kProgressing && ledger.external_n > ledger.hard_n) {
        return "what it waits for moves";
    }
    if (verdict == Verdict::kProgressing) {
        return "something new was proven at #" + std::to_string(ledger.hard_n);
    }
    if (verdict != Verdict::kExploring) return {};
    return ledger.moved_n != 0 ? "new answers, the last at #" + std::to_string(ledger.moved_n)
                               : std::string{"nothing new yet"};
}

std::string failed_reason(const SessionState& state) {
    if (!stopped_by_provider(state)) return state.end_reason;
    const Blocked& blocked = state.detectors->blocked;
    const std::string& own = state.end_reason;
    if (own.find(phrase_of(blocked.cause)) != std::string::npos) return own;
    std::string stopped = blocked.finding(*state.ledger).reason;
    const bool says_nothing = own.empty() || own == "other";
    return says_nothing ? stopped : own + " (" + stopped + ")";
}

}  // namespace headway::core
