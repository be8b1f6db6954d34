// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/reasons.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "core/budgets/cost_text.hpp"
#include "core/judgement/claims.hpp"
#include "core/judgement/resolver.hpp"

namespace headway::core {

bool is_news(const Judgement& before, const Judgement& next) {
    const bool same = next.verdict == before.verdict &&
                      next.needs_somebody == before.needs_somebody && next.cause == before.cause &&
                      next.retry_at == before.retry_at;
    const bool rests =
        next.verdict == Verdict::kWaiting && (next.detector.empty() || next.detector == "operator");
    // The reason of a pause is over with it.
    const bool another = rests || before.detector == "operator";
    return !same || (another && next.reason != before.reason);
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

namespace {

/// "; since the verdict at #12: 29 calls, 4 min, 51000 tokens, $0.31".
std::string cost_since(const SessionState& state) {
    const LoopStart& start = *state.loop_start;
    const std::uint64_t calls = state.tool_calls - start.calls;
    std::string text = "; since the verdict at #" + std::to_string(start.n) + ": " +
                       std::to_string(calls) + (calls == 1 ? " call" : " calls");
    const auto minutes =
        std::chrono::duration_cast<std::chrono::minutes>(state.last_change_at - start.at).count();
    if (minutes > 0) text += ", " + std::to_string(minutes) + " min";
    if (state.budget.tokens > start.tokens)
        text += ", " + std::to_string(state.budget.tokens - start.tokens) + " tokens";
    if (state.budget.cost_micros > start.cost_micros)
        text += ", " + dollar_text(state.budget.cost_micros - start.cost_micros);
    return text;
}

}  // namespace

JudgementPtr live_judgement(const SessionState& state) {
    const Judgement& judgement = *state.judgement;
    const bool loops =
        judgement.verdict == Verdict::kSuspect || judgement.verdict == Verdict::kStuck;
    const bool went_on = state.loop_start.has_value() && state.tool_calls > state.loop_start->calls;
    if (!loops || !went_on) return state.judgement.pointer();
    auto live = std::make_shared<Judgement>(judgement);
    const Claims claims = claims_of(state);
    if (claims.count > 0 && name_of(claims.begin()->id) == judgement.detector) {
        Finding finding = finding_of(state, claims.begin()->id);
        live->reason = std::move(finding.reason);
        live->evidence = std::move(finding.evidence);
        if (!live->evidence.empty())
            live->reason += ", the last at #" + std::to_string(live->evidence.back());
    }
    live->reason += cost_since(state);
    return live;
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
