// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <queue>
#include <utility>

#include "api/encode_budget.hpp"
#include "core/budget.hpp"
#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Budgets: limits of new sessions, changes by operators, roll-up to parents, history.

namespace headway::server {

using core::Result;

/// Sets the limits and rules that a session starts with.
void Supervisor::give_budget(core::SessionStarted& about) const {
    const core::OpeningBudget budget =
        core::opening_budget(settings_.budget, about.agent.type, about.budget);
    about.budget = budget.limits;
    about.budget_source = budget.source;
    about.budget_rules = settings_.budget.rules;
    about.budget_rules.timeout_seconds_max = settings_.budget.bounds.timeout_seconds_max;
}

/// The same for a session with the limits `now`: where its opening names no limit, that of its
/// agent type applies only if it is tighter, so that an opening never lifts a limit by omission.
void Supervisor::add_budget(core::SessionStarted& about, const core::BudgetLimits& now) const {
    const core::BudgetLimits asked = about.budget;
    give_budget(about);
    core::for_each_field<core::BudgetLimits>([&](const auto& field, std::size_t) {
        auto& limit = about.budget.*field.member;
        const auto& before = now.*field.member;
        const bool looser = before && (!limit || *limit > *before);
        if (!(asked.*field.member) && looser) limit = before;
    });
}

Result<Answer> Supervisor::handle(BudgetCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    api::BudgetChange& change = command.change;
    events_.clear();
    if (change.extends) {
        HEADWAY_CHECK(core::check_extension(change.limits, settings_.budget.bounds, "/extend"));
        HEADWAY_CHECK(resident->session.extend_budget(
            change.limits, std::move(change.by), std::move(change.reason), {}, context, events_));
    } else {
        HEADWAY_CHECK(core::check_bounds(change.limits, settings_.budget.bounds, "/set"));
        core::BudgetSet set{change.limits, std::move(change.by), std::move(change.reason)};
        HEADWAY_CHECK(resident->session.set_budget(std::move(set), context, events_));
    }
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    api::Advice advice;
    advice.n = resident->session.state().n;
    return advise(*resident, std::move(advice), turn);
}

/// Records the use of an ended session for the analytics.
Result<> Supervisor::note_use(const Resident& resident) {
    return store_.add_use(core::use_record_of(resident.session.state()));
}

/// The parent session; null when it is unknown or damaged on the disk. Damage is reported to
/// readers of the parent and must not block writes of its children.
Result<Resident*> Supervisor::parent_of(const Resident& child) {
    auto parent = find_resident(child.session.state().about.parent);
    if (!parent && parent.error().code == core::ErrorCode::kInternal)
        return static_cast<Resident*>(nullptr);
    return parent;
}

/// The ancestors of a session, its parent first; empty without a parent, with a cycle, or when
/// there are too many.
Result<std::vector<Resident*>> Supervisor::ancestors(Resident& resident) {
    std::vector<Resident*> line;
    Resident* child = &resident;
    while (!child->session.state().about.parent.empty()) {
        HEADWAY_TRY(Resident * parent, parent_of(*child));
        if (parent == nullptr) break;
        const bool circle =
            parent == &resident || std::find(line.begin(), line.end(), parent) != line.end();
        if (circle || line.size() == core::limits::kFamilyDepthMax) return std::vector<Resident*>{};
        line.push_back(parent);
        child = parent;
    }
    return line;
}

/// Rolls the use of children up to their parents: once per turn and parent, the youngest generation
/// first, so that it reaches the oldest in the same commit. Families without a budget are skipped.
Result<> Supervisor::roll_up(Turn& turn) {
    std::priority_queue<std::pair<std::size_t, storage::SessionKey>> work;
    const auto enter = [&](Resident& resident) -> Result<> {
        HEADWAY_TRY(const std::vector<Resident*> line, ancestors(resident));
        const bool wanted = resident.session.state().budget.limited() ||
                            std::any_of(line.begin(), line.end(), [](const Resident* ancestor) {
                                return ancestor->session.state().budget.limited();
                            });
        if (!line.empty() && wanted) work.emplace(line.size(), resident.key);
        return {};
    };
    for (std::size_t i = 0; i < turn.moved.size(); ++i) {
        if (!turn.moved[i]->session.state().about.parent.empty()) {
            HEADWAY_CHECK(enter(*turn.moved[i]));
        }
    }
    core::Context context;
    context.now = turn.now;
    context.watch = watch_;
    while (!work.empty()) {
        Resident& child = *residents_.find(work.top().second);
        work.pop();
        HEADWAY_TRY(Resident * parent, parent_of(child));
        if (parent == nullptr) continue;
        events_.clear();
        parent->session.child_progress(
            core::child_progress_of(child.session.id(), child.session.state(), turn.now, watch_),
            context, events_);
        if (events_.empty()) continue;
        const bool moved_before = parent->moved;
        HEADWAY_CHECK(store_events(*parent, events_, turn));
        if (!moved_before && !parent->session.state().about.parent.empty()) {
            HEADWAY_CHECK(enter(*parent));
        }
    }
    return {};
}

/// Applies the pressure of ancestors' budgets, as far as this session's use rolls up to them: the
/// worst of their directives, if it changed. Appends to events_, so that the reply has it.
Result<> Supervisor::heed_ancestors(Resident& resident, const core::Context& context) {
    if (resident.session.state().about.parent.empty()) return {};
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors(resident));
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
    resident.session.heed_parent(whose, level, context, events_);
    return {};
}

Result<core::BudgetPrediction> Supervisor::prediction_for(const core::Session& session) {
    const core::SessionState& state = session.state();
    const std::string& agent = state.about.agent.type;
    HEADWAY_TRY(const auto records, store_.list_uses(agent, core::limits::kPredictionSamplesMax));
    const api::ReadingTime time = reading_time();
    const core::BudgetStatus status = core::budget_status(state, time.now, time.watch);
    return core::predict(agent, records, status.steps.used, status.time.used);
}

Result<Answer> Supervisor::answer(const BudgetQuery& query) {
    HEADWAY_TRY(Resident * resident, require_resident(query.session));
    HEADWAY_TRY(const core::BudgetPrediction prediction, prediction_for(resident->session));
    BodyReply reply;
    api::append_budget(reply.body, resident->session, reading_time(), prediction);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const BudgetAnalyticsQuery& query) {
    constexpr std::size_t kMax = core::limits::kHistoryScanMax;
    HEADWAY_TRY(auto records, store_.list_uses(query.agent, kMax + 1));
    const bool more = records.size() > kMax;
    if (more) records.pop_back();
    BodyReply reply;
    api::append_budget_analytics(reply.body, core::summarize(records), records.size(), more);
    return Answer{std::move(reply)};
}

}  // namespace headway::server
