// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold_advice.hpp"

#include <algorithm>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/day_budget.hpp"
#include "core/judgement/recovery.hpp"

namespace headway::core {
namespace {

static_assert(kStepAsk > 1, "a question that was answered goes back to advice");
static_assert(limits::kNudgesMax <= limits::kDirectivesMax, "each loop's advice has its place");

void withdraw(SessionState& state, std::string_view id) {
    std::erase_if(state.directives, [id](const Directive& d) { return d.id == id; });
}

/// A stop stays, so that the hooks refuse the calls of an agent that acknowledges it and works on.
void note_acknowledged(SessionState& state, std::string_view id) {
    for (Directive& directive : state.directives) {
        if (directive.id == id) directive.acknowledged = true;
    }
    std::erase_if(state.directives, [](const Directive& d) {
        return d.acknowledged && d.kind != DirectiveKind::kStop;
    });
}

void end_pause(SessionState& state) {
    state.paused_at = kNever;
    state.paused_for_day = false;
    std::erase_if(state.directives,
                  [](const Directive& d) { return d.kind == DirectiveKind::kPause; });
}

void lift_stops(SessionState& state) {
    std::erase_if(state.directives, [&state](const Directive& d) { return is_liftable(state, d); });
    state.stopped = false;
}

void climb(SessionState& state, const DirectiveIssued& directive) {
    HEADWAY_ASSERT(directive.step != 0);
    auto nudge = std::find_if(state.nudges.begin(), state.nudges.end(),
                              [&](const Nudge& n) { return n.loop == directive.loop; });
    if (nudge == state.nudges.end()) {
        if (state.nudges.size() == limits::kNudgesMax) state.nudges.erase(state.nudges.begin());
        nudge = state.nudges.insert(state.nudges.end(), Nudge{});
        nudge->loop = directive.loop;
    }
    HEADWAY_ASSERT(state.nudges.size() <= limits::kNudgesMax);
    withdraw(state, nudge->directive);  // replaced by the next step
    nudge->directive = directive.id;
    nudge->step = directive.step;
    nudge->round = state.ledger->rounds;
    nudge->acknowledged = false;
}

}  // namespace

void issue(SessionState& state, const DirectiveIssued& directive, Timestamp at) {
    if (!directive.args_digest.empty()) {
        add_rejected(state.approvals, call_digest(directive.tool, directive.args_digest), at);
        end_unused(state.approvals, directive.tool, directive.args_digest, state.n);
    }
    if (state.ended()) return;  // it only notes a rejection for the next generation
    if (directive.kind == DirectiveKind::kPause) {
        state.paused_at = at;
        state.paused_for_day = is_day_pause(directive.reason);
    }
    if (directive.kind == DirectiveKind::kStop && directive.rejects) state.stopped = true;
    const bool resumes = directive.kind == DirectiveKind::kContinue && directive.from.empty();
    // The end of a pause is no word about a rejection beside it.
    if (resumes && !state.paused()) lift_stops(state);
    // The agent may have waited in silence for a person to resume it.
    if (resumes && state.paused())
        state.approvals.waited_until = std::max(state.approvals.waited_until, at);
    if (resumes) end_pause(state);
    HEADWAY_ASSERT(!resumes || !state.paused());
    if (state.directives.size() >= limits::kDirectivesMax) {
        const auto first = [&state](const auto& fits) {
            return std::find_if(state.directives.begin(), state.directives.end(), fits);
        };
        const auto stops =
            std::count_if(state.directives.begin(), state.directives.end(),
                          [](const Directive& d) { return d.kind == DirectiveKind::kStop; });
        auto least = first([stops](const Directive& d) {  // one stop is as good as several
            return !d.to_tell() && (d.kind != DirectiveKind::kStop || (stops > 1 && !d.personal));
        });
        // An agent may cause advice at will, which moves out nothing of a person, no stop, no
        // pause.
        if (least == state.directives.end())
            least = first(
                [](const Directive& d) { return !d.personal && !stays_until_obeyed(d.kind); });
        if (least == state.directives.end())
            least = first([](const Directive& d) { return !stays_until_obeyed(d.kind); });
        if (least == state.directives.end()) least = state.directives.begin();
        state.directives.erase(least);
    }
    const bool named = !directive.by.empty() && directive.by != "policy";
    state.directives.push_back(
        {directive.id, directive.kind, directive.reason, false, named || directive.rejects});
    HEADWAY_ASSERT(state.directives.size() <= limits::kDirectivesMax);
    if (directive.step != 0) climb(state, directive);
}

void deliver(SessionState& state, std::string_view id) {
    for (Directive& directive : state.directives) {
        if (directive.id == id) directive.delivered = true;
    }
}

bool take_advice(SessionState& state, std::string_view id) {
    note_acknowledged(state, id);
    bool taken = false;
    for (Nudge& nudge : state.nudges) {
        if (nudge.directive != id || nudge.acknowledged) continue;  // once for each directive
        HEADWAY_ASSERT(nudge.step != 0);
        nudge.acknowledged = true;
        taken = true;
        ++state.ledger.change().epoch;  // counts up to here are settled
    }
    return taken;
}

bool is_liftable(const SessionState& state, const Directive& directive) {
    const bool of_budget =
        directive.id == state.budget.directive || directive.id == state.budget.parent->directive;
    return directive.kind == DirectiveKind::kStop && !state.cancel_requested && !of_budget &&
           directive.reason != kOrphanAdvice;
}

void end_directives(SessionState& state) {
    const std::string& of_parent = state.budget.parent->directive;
    std::erase_if(state.directives, [&](const Directive& d) {
        return d.kind != DirectiveKind::kStop || d.id == of_parent || d.reason == kOrphanAdvice;
    });
    for (Directive& directive : state.directives)
        directive.acknowledged = true;
}

void withdraw_advice(SessionState& state) {
    for (const Nudge& nudge : state.nudges) {
        std::erase_if(state.directives, [&nudge](const Directive& d) {
            return d.id == nudge.directive && d.kind != DirectiveKind::kStop;
        });
    }
}

void withdraw_stops(SessionState& state) {
    if (state.judgement->verdict == Verdict::kStuck) return;
    if (state.policy->profile != Profile::kStrict) return;
    const std::uint64_t stuck_n = state.reached[static_cast<std::size_t>(Verdict::kStuck)];
    if (std::max(state.ledger->hard_n, state.recent_phases.started_n) <= stuck_n) return;
    for (Nudge& nudge : state.nudges) {
        if (nudge.step != kStepStop) continue;
        withdraw(state, nudge.directive);
        nudge.step = 1;  // it has had advice; the next step is a stop again
        nudge.round = state.ledger->rounds;
    }
}

bool withdraw_question(SessionState& state) {
    bool asked = false;
    for (Nudge& nudge : state.nudges) {
        if (nudge.step != kStepAsk) continue;
        withdraw(state, nudge.directive);
        nudge.step = kStepAsk - 1;
        nudge.round = state.ledger->rounds;
        nudge.acknowledged = true;
        asked = true;
        ++state.ledger.change().epoch;
    }
    return asked;
}

void note_loop(SessionState& state, const Event& event, bool loops) {
    if (!loops) return state.loop_start.reset();
    if (state.loop_start.has_value()) return;
    state.loop_start.change() = {event.at, event.n, state.tool_calls, state.budget.tokens,
                                 state.budget.cost_micros};
}

}  // namespace headway::core
