// SPDX-License-Identifier: Apache-2.0
#include "server/engine/family_writes.hpp"

#include <algorithm>
#include <queue>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/budget.hpp"
#include "core/limits.hpp"

namespace headway::server {

using core::Result;

Result<bool> tick(Transaction& transaction, Resident& resident) {
    core::Context context = transaction.context();
    context.children_work = transaction.tree().children_work(
        resident.session, transaction.sessions().residents(), context.now, context.watch);
    std::vector<core::Event>& events = transaction.events();
    resident.session.tick(context, events);
    const bool due = !events.empty();
    HEADWAY_CHECK(transaction.append(resident, events));
    return due;
}

/// A parent that changes joins the list after its child.
Result<> recheck_parents(Transaction& transaction) {
    for (const Resident* child : transaction.touched())
        transaction.tree().note(*child);
    std::unordered_set<const Resident*> checked;
    for (std::size_t i = 0; i < transaction.touched().size(); ++i) {
        const Resident* child = transaction.touched()[i];
        for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax; ++depth) {
            const std::string& parent_id = child->session.state().about.parent;
            Resident* parent =
                parent_id.empty() ? nullptr : transaction.sessions().residents().find(parent_id);
            // Children only affect verdicts of liveness.
            if (parent == nullptr || parent->session.state().judgement.detector != "liveness")
                break;
            if (!checked.insert(parent).second) break;
            HEADWAY_CHECK(tick(transaction, *parent));
            child = parent;
        }
    }
    return {};
}

Result<> roll_up(Transaction& transaction) {
    std::priority_queue<std::pair<std::size_t, storage::SessionKey>> work;
    const auto enter = [&](Resident& resident) -> Result<> {
        if (resident.session.state().about.parent.empty()) return {};
        HEADWAY_TRY(const std::vector<Resident*> line,
                    ancestors_of(transaction.sessions(), resident));
        const bool wanted = resident.session.state().budget.limited() ||
                            std::any_of(line.begin(), line.end(), [](const Resident* ancestor) {
                                return ancestor->session.state().budget.limited();
                            });
        if (!line.empty() && wanted) work.emplace(line.size(), resident.key);
        return {};
    };
    for (std::size_t i = 0; i < transaction.moved().size(); ++i)
        HEADWAY_CHECK(enter(*transaction.moved()[i]));
    while (!work.empty()) {
        Resident& child = *transaction.sessions().residents().find(work.top().second);
        work.pop();
        HEADWAY_TRY(Resident * parent, parent_of(transaction.sessions(), child));
        if (parent == nullptr) continue;
        const core::Context& context = transaction.context();
        std::vector<core::Event>& events = transaction.events();
        parent->session.child_progress(
            core::child_progress_of(child.session.id(), child.session.state(), context.now,
                                    context.watch),
            context, events);
        if (events.empty()) continue;
        const bool moved_before = parent->moved;
        HEADWAY_CHECK(transaction.append(*parent, events));
        if (!moved_before) HEADWAY_CHECK(enter(*parent));
    }
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
        if (!above.about.budget_rules.roll_up) break;  // use rolls up no further
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
