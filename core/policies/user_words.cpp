// SPDX-License-Identifier: Apache-2.0
#include "core/policies/user_words.hpp"

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

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

bool may_lift(const SessionState& state) noexcept {
    return state.ledger->lifts < kUserWordsFree + state.ledger->informed_rounds;
}

void lift(SessionState& state, std::uint64_t n) {
    Ledger& ledger = state.ledger.change();
    ++ledger.lifts;
    begin_scope(ledger, n);
}

void lift_as_person(SessionState& state, std::uint64_t n) {
    begin_scope(state.ledger.change(), n);
}

}  // namespace headway::core
