// SPDX-License-Identifier: Apache-2.0
#include "core/user_words.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace headway::core {
namespace {

/// Lifts in use, after what the news since the last of them gave back.
std::uint32_t lifts_in_use(const Ledger& ledger) noexcept {
    const std::uint32_t back = (ledger.informed_rounds - ledger.lifted_round) / kInformedRounds;
    return ledger.lifts - std::min(ledger.lifts, back);
}

/// The advice about the loop that the verdict is about, or the end.
auto told_loop(const SessionState& state) {
    const Judgement& now = *state.judgement;
    const bool loops = now.verdict == Verdict::kSuspect || now.verdict == Verdict::kStuck;
    if (!loops) return state.nudges.end();
    return std::find_if(state.nudges.begin(), state.nudges.end(),
                        [&now](const Nudge& nudge) { return nudge.loop == now.loop; });
}

void begin_scope(Ledger& ledger, std::uint64_t n) {
    HEADWAY_ASSERT(ledger.scope_n <= n);
    ++ledger.scope;
    ledger.scope_n = n;
}

}  // namespace

bool of_user(const Message& message) noexcept {
    return message.role == "user" || message.role == "operator";
}

bool words_left(const SessionState& state) noexcept {
    return state.other_words < kUserWordsFree + state.ledger->informed_rounds;
}

bool may_lift(const SessionState& state) {
    const Ledger& ledger = *state.ledger;
    if (ledger.scope >= kUserWordsFree + ledger.informed_rounds) return false;
    if (lifts_in_use(ledger) >= kLiftsFree) return false;
    const auto told = told_loop(state);
    return told == state.nudges.end() || told->lifts < kLiftsOfLoop;
}

void lift(SessionState& state, std::uint64_t n) {
    const auto told = told_loop(state);
    if (told != state.nudges.end())
        ++state.nudges[static_cast<std::size_t>(told - state.nudges.begin())].lifts;
    Ledger& ledger = state.ledger.change();
    const std::uint32_t before = lifts_in_use(ledger);
    const std::uint32_t news = ledger.informed_rounds - ledger.lifted_round;
    // What is left of five rounds counts for the next lift.
    ledger.lifted_round = ledger.informed_rounds - (before == 0 ? 0 : news % kInformedRounds);
    ledger.lifts = before + 1;
    begin_scope(ledger, n);
}

void lift_as_person(SessionState& state, std::uint64_t n) {
    for (Nudge& nudge : state.nudges)
        nudge.lifts = 0;
    Ledger& ledger = state.ledger.change();
    ledger.lifts = 0;
    begin_scope(ledger, n);
}

}  // namespace headway::core
