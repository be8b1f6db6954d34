// SPDX-License-Identifier: Apache-2.0
#include "core/state/checks.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/state/session_state.hpp"

namespace headway::core {
namespace {

/// Rounds between two automatic checks: more for a surer answer (docs/detection.md, section 10).
constexpr std::uint32_t kSpacingMin = 5;
constexpr std::uint32_t kSpacingMax = 15;

static_assert(kSpacingMin <= kSpacingMax);
static_assert(kConfirmConfidenceMin > 0 && kConfirmConfidenceMin <= 1);

std::uint32_t spacing(const CheckCompleted& done) {
    if (!done.answer) return kSpacingMax;
    // A damaged journal may hold anything, even NaN.
    const double sure = done.confidence > 0 ? std::min(done.confidence, 1.0) : 0.0;
    const auto more = static_cast<std::uint32_t>((kSpacingMax - kSpacingMin) * sure);
    HEADWAY_ASSERT(more <= kSpacingMax - kSpacingMin);
    return kSpacingMin + more;
}

bool is_automatic(CheckCause cause) {
    return cause == CheckCause::kSuspect || cause == CheckCause::kAudit ||
           cause == CheckCause::kStop;
}

}  // namespace

const PendingCheck* Checks::find(std::string_view check_id) const noexcept {
    const auto found = std::find_if(pending.begin(), pending.end(), [&](const PendingCheck& one) {
        return one.check_id == check_id;
    });
    return found == pending.end() ? nullptr : &*found;
}

void learn_fact(Checks& checks, std::string_view fact) {
    std::vector<std::string>& facts = checks.facts;
    ++checks.facts_learned;
    facts.emplace_back(cut_text(fact, limits::kFactBytesMax));
    std::size_t bytes = 0;
    std::size_t kept = 0;  // at most kFactsKeptMax + 1 are looked at
    for (auto one = facts.rbegin(); one != facts.rend(); ++one, ++kept) {
        bytes += one->size();
        if (kept == limits::kFactsKeptMax || bytes > limits::kFactsBytesMax) break;
    }
    facts.erase(facts.begin(), facts.end() - static_cast<std::ptrdiff_t>(kept));
    HEADWAY_ASSERT(!facts.empty() && facts.size() <= limits::kFactsKeptMax);
}

void begin_check(SessionState& state, const CheckRequested& asked, std::uint64_t n) {
    Checks& checks = state.checks.change();
    PendingCheck pending;
    pending.n = n;
    pending.check_id = asked.check_id;
    pending.cause = asked.cause;
    pending.confirm = asked.confirm;
    pending.loop = state.judgement->loop;
    pending.round = state.ledger->rounds;
    if (asked.cause == CheckCause::kConfirm) {  // it concerns the question of the first check
        pending.loop = checks.loop;
        pending.round = checks.round;
    }
    if (is_automatic(asked.cause)) {
        ++checks.automatic;
        checks.next_round = state.ledger->rounds + kSpacingMax;
        checks.audited_round = state.ledger->rounds;
    }
    if (asked.cause == CheckCause::kStop) {
        checks.stop.loop = state.judgement->loop;
        checks.stop.waiting = true;
        checks.stop.held = false;
    }
    if (checks.pending.size() == limits::kChecksPendingMax) {
        checks.pending.erase(checks.pending.begin());
    }
    HEADWAY_ASSERT(checks.pending.empty() || checks.pending.back().n < n);
    checks.pending.push_back(std::move(pending));
    HEADWAY_ASSERT(checks.pending.size() <= limits::kChecksPendingMax);
}

void end_check(SessionState& state, const CheckCompleted& done, std::uint64_t n) {
    Checks& checks = state.checks.change();
    const auto at = std::find_if(
        checks.pending.begin(), checks.pending.end(),
        [&done](const PendingCheck& pending) { return pending.check_id == done.check_id; });
    if (at == checks.pending.end()) return;
    const PendingCheck asked = std::move(*at);
    HEADWAY_ASSERT(asked.n < n);
    checks.pending.erase(at);
    if (is_automatic(asked.cause)) checks.next_round = state.ledger->rounds + spacing(done);
    if (asked.cause == CheckCause::kStop && asked.loop == checks.stop.loop) {
        checks.stop.waiting = false;
        checks.stop.held = done.answer == CheckAnswer::kProgressing;
        if (checks.stop.held) ++checks.stop.times;
        checks.stop.n = n;
        checks.stop.round = state.ledger->rounds;
        checks.stop.beats = state.heartbeats;
    }
    if (done.answer != CheckAnswer::kLooping || asked.loop.empty()) return;
    if (asked.cause == CheckCause::kConfirm) {
        checks.confirmed = checks.confirmed ||
                           (asked.loop == checks.loop && done.confidence >= kConfirmConfidenceMin);
        return;
    }
    if (checks.loop == asked.loop && checks.confirmed && checks.asked_n > state.ledger->hard_n) {
        return;  // the first answer stands; a later one would only postpone it
    }
    checks.loop = asked.loop;
    checks.round = asked.round;
    checks.n = n;
    checks.asked_n = asked.n;
    checks.confirmed = asked.confirm.empty();
    HEADWAY_ASSERT(!checks.loop.empty() && checks.asked_n < checks.n);
}

std::optional<CheckCause> check_due(const SessionState& state, const JudgeRules& rules) {
    const Checks& checks = *state.checks;
    const std::uint32_t rounds = state.ledger->rounds;
    if (rules.primary.empty() || state.ended()) return {};
    if (!state.policy->judge || !state.policy->loop_detection) return {};
    if (checks.automatic >= rules.checks_max || rounds < checks.next_round) return {};
    const bool asked =
        std::any_of(checks.pending.begin(), checks.pending.end(),
                    [](const PendingCheck& one) { return one.cause != CheckCause::kAsked; });
    if (asked) return {};
    HEADWAY_ASSERT(checks.pending.size() <= limits::kChecksPendingMax);
    if (rules.on_suspect && state.judgement->verdict == Verdict::kSuspect) {
        return CheckCause::kSuspect;
    }
    const bool works = state.judgement->verdict == Verdict::kProgressing ||
                       state.judgement->verdict == Verdict::kExploring ||
                       state.judgement->verdict == Verdict::kSlow;
    const std::uint32_t since = std::max(state.ledger->hard_round, checks.audited_round);
    const bool long_ago = rules.audit_rounds != 0 && rounds >= since + rules.audit_rounds;
    return works && long_ago ? std::optional{CheckCause::kAudit} : std::nullopt;
}

StopGate stop_gate(const SessionState& state, const JudgeRules* rules) {
    const bool wanted = state.policy->confirm_stop == ConfirmStop::kJudge && state.policy->judge;
    if (!wanted || rules == nullptr || rules->primary.empty()) return StopGate::kGo;
    const Checks& checks = *state.checks;
    const StopQuestion& stop = checks.stop;
    const bool may_ask = stop.times < kStopHeldMax && checks.automatic < rules->checks_max &&
                         checks.pending.size() < limits::kChecksPendingMax;
    if (stop.loop != state.judgement->loop) return may_ask ? StopGate::kAsk : StopGate::kGo;
    if (stop.waiting) return StopGate::kWait;
    if (!stop.held) return StopGate::kGo;
    const bool over = state.ledger->rounds >= stop.round + kStopHeldRounds ||
                      state.heartbeats >= stop.beats + kStopHeldBeats;
    if (!over) return StopGate::kHeld;
    return may_ask ? StopGate::kAsk : StopGate::kGo;
}

bool judged_looping(const SessionState& state) {
    const Checks& checks = *state.checks;
    return !checks.loop.empty() && checks.confirmed && checks.loop == state.judgement->loop &&
           state.ledger->hard_n < checks.asked_n && state.ledger->scope_n < checks.asked_n &&
           state.ledger->rounds >= checks.round + kJudgedRounds;
}

}  // namespace headway::core
