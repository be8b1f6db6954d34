// SPDX-License-Identifier: Apache-2.0
#include "server/engine/generations.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "core/recovery.hpp"
#include "server/engine/heritage.hpp"

namespace headway::server {
namespace {

using core::Result;

std::string generation(const std::string& session, int number) {
    return number == 1 ? session : session + "~" + std::to_string(number);
}

/// A person or a rule ended it, or had told its agent to stop before it ended itself: the agent
/// does not go on in another session by itself.
bool was_stopped(const core::SessionState& state) {
    const bool spent =
        state.budget.limited() && state.budget.level == core::BudgetLevel::kExhausted;
    const bool told = std::any_of(state.nudges.begin(), state.nudges.end(),
                                  [](const auto& nudge) { return nudge.step > core::kStepAsk; });
    const bool failed = state.outcome == core::Outcome::kFailed && !state.end_code.empty() &&
                        state.end_code != core::kAgentGone;
    return state.cancel_requested || spent || told || failed ||
           state.outcome == core::Outcome::kHalted ||
           state.outcome == core::Outcome::kBudgetExhausted;
}

}  // namespace

Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins) {
    std::string id = session;
    bool stopped = false;
    for (int number = 1; number <= kGenerationsMax; ++number) {
        const std::string next = generation(session, number);
        HEADWAY_TRY(const Resident* found, reader.find(next));
        if (found == nullptr) {
            const bool goes_on = begins == Begins::kAnew || (begins == Begins::kByCall && !stopped);
            return number == 1 || goes_on ? next : id;
        }
        id = next;
        reader.look_at(id);
        const core::SessionState& state = found->session.state();
        if (!state.ended()) return id;
        stopped = was_stopped(state);
    }
    return id;
}

std::string next_generation(const std::string& session, const std::string& now) {
    if (now == session) return generation(session, 2);
    int number = 1;
    const std::string_view digits = std::string_view{now}.substr(session.size() + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number < kGenerationsMax ? generation(session, number + 1) : now;
}

Result<> open_implicitly(Transaction& transaction, const std::string& session,
                         core::SessionStarted about, const Resident* before) {
    about.implicit = true;
    if (before != nullptr)
        (void)take_rules(before->session.state(), transaction.settings().policy, about);
    std::vector<core::Event>& events = transaction.events();
    Beginning begun{session, std::move(about), true};
    HEADWAY_TRY(Resident * resident, begin_after(transaction, before, std::move(begun), events));
    return transaction.append(*resident, events);
}

}  // namespace headway::server
