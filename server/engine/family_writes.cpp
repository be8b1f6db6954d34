// SPDX-License-Identifier: Apache-2.0
#include "server/engine/family_writes.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/budget.hpp"
#include "core/limits.hpp"

namespace headway::server {

using core::Result;

Result<bool> tick(Transaction& transaction, Resident& resident) {
    core::Context context = transaction.context();
    context.children_work = transaction.children_work(resident);
    context.agent_runs = resident.agent_runs;
    std::vector<core::Event>& events = transaction.events();
    resident.session.tick(context, events);
    const bool due = !events.empty();
    HEADWAY_CHECK(transaction.append(resident, events));
    HEADWAY_CHECK(release_day(transaction, resident));
    return due;
}

void wake_parents(Transaction& transaction) {
    for (const Resident* child : transaction.touched())
        transaction.tree().note(*child);
    std::unordered_set<const Resident*> woken;
    for (const Resident* child : transaction.touched()) {
        for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax; ++depth) {
            const std::string& parent_id = child->session.state().about.parent;
            const Resident* parent =
                parent_id.empty() ? nullptr : transaction.sessions().residents().find(parent_id);
            // Children only affect verdicts of liveness.
            if (parent == nullptr || parent->session.state().judgement->detector != "liveness")
                break;
            if (!woken.insert(parent).second) break;
            transaction.wake(parent->key);
            child = parent;
        }
    }
}

Result<> tell_parents(Transaction& transaction) {
    const core::Context& context = transaction.context();
    for (Resident* child : transaction.take_news()) {
        if (child->session.state().about.parent.empty()) continue;
        HEADWAY_TRY(const std::vector<Resident*> line,
                    ancestors_of(transaction.sessions(), *child));
        const bool wanted = child->session.state().budget.limited() ||
                            std::any_of(line.begin(), line.end(), [](const Resident* ancestor) {
                                return ancestor->session.state().budget.limited();
                            });
        if (line.empty() || !wanted || line.front()->session.state().ended()) continue;
        HEADWAY_CHECK(transaction.tell(
            *line.front(), core::child_progress_of(child->session.id(), child->session.state(),
                                                   context.now, context.watch)));
    }
    return {};
}

namespace {

/// Lets one session decide about what it was told.
Result<> receive_one(Transaction& transaction, storage::SessionKey key) {
    HEADWAY_TRY(Resident * resident, transaction.sessions().find_key(key));
    if (resident == nullptr && transaction.keeps_inbox(key)) return {};
    HEADWAY_TRY(std::vector<core::Event> messages, transaction.store().inbox().take(key));
    if (resident == nullptr) return {};  // deleted or damaged meanwhile
    for (core::Event& told : messages) {
        auto* progress = std::get_if<core::ChildProgress>(&told.payload);
        if (progress == nullptr) continue;  // of a newer version
        std::vector<core::Event>& events = transaction.events();
        resident->session.child_progress(std::move(*progress), transaction.context(), events);
        HEADWAY_CHECK(transaction.append(*resident, events));
    }
    if (resident->session.state().ended()) return {};
    HEADWAY_CHECK(tick(transaction, *resident));
    return {};
}

}  // namespace

Result<> receive(Transaction& transaction, std::vector<storage::SessionKey> receivers) {
    std::vector<storage::SessionKey> waiting;  // held by another daemon, or not by this turn
    for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax && !receivers.empty();
         ++depth) {
        for (const storage::SessionKey key : receivers) {
            if (transaction.holds(key)) {
                HEADWAY_CHECK(receive_one(transaction, key));
            } else {
                waiting.push_back(key);
            }
        }
        HEADWAY_CHECK(tell_parents(transaction));
        receivers = transaction.take_woken();
    }
    for (const storage::SessionKey key : receivers)  // parents that name each other go on later
        transaction.wake(key);
    for (const storage::SessionKey key : waiting)
        transaction.wake(key);
    return {};
}

Result<> heed_ancestors(Transaction& transaction, Resident& resident,
                        std::vector<core::Event>& events) {
    if (resident.session.state().about.parent.empty()) return {};
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), resident));
    const core::ParentBudget& told = *resident.session.state().budget.parent;
    core::BudgetLevel level = core::BudgetLevel::kNominal;
    std::string whose;
    bool may_fall = false;  // set when the ancestor in question has room again
    for (const Resident* ancestor : line) {
        const core::SessionState& above = ancestor->session.state();
        if (!above.about.budget_rules->roll_up) break;  // use rolls up no further
        if (ancestor->session.id() == told.session) may_fall = !above.ended();
        const bool spent = above.outcome == core::Outcome::kBudgetExhausted;
        if (!above.budget.limited() || (above.ended() && !spent)) continue;
        const core::BudgetLevel its = spent ? core::BudgetLevel::kExhausted : above.budget.level;
        if (its <= level) continue;
        level = its;
        whose = ancestor->session.id();
    }
    if (level < told.level && !may_fall) return {};
    resident.session.heed_parent(whose, level, transaction.context(), events);
    return {};
}

}  // namespace headway::server
