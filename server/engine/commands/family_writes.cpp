// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/family_writes.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/values/liveness.hpp"
#include "server/engine/commands/carry_over.hpp"

namespace headway::server {

using core::Result;

namespace {

/// For an agent that does not report: looks at its process, once a turn at most.
bool agent_works(Resident& resident, const core::Context& context) {
    const core::SessionState& state = resident.session.state();
    const bool heard =
        context.now < core::silent_at(state.heard_at(), context.watch, state.asked_interval);
    if (!resident.agent_runs || heard || state.ended()) return false;
    return resident.agent_work.look(context.now);
}

}  // namespace

Result<bool> tick(Transaction& transaction, Resident& resident) {
    core::Context context = transaction.context();
    context.children_work = transaction.children_work(resident);
    context.agent_runs = resident.agent_runs;
    context.agent_works = agent_works(resident, context);
    HEADWAY_TRY(const auto above, policies_above(transaction, resident));
    context.policies_above = above;
    // Time approves nothing that a person has rejected.
    const core::Approvals& approvals = resident.session.state().approvals;
    const bool expires = std::any_of(
        approvals.requests.begin(), approvals.requests.end(), [](const core::Approval& one) {
            return one.pending() && one.on_expiry == core::OnExpiry::kApprove;
        });
    std::vector<std::uint64_t> rejected;
    if (expires) {
        HEADWAY_TRY(rejected,
                    rejected_elsewhere(transaction, resident, waiting_requests(approvals)));
    }
    context.rejected_elsewhere = rejected;
    const bool paused = resident.session.state().paused();
    std::vector<core::Event>& events = transaction.events();
    resident.session.tick(context, events);
    const bool due = !events.empty();
    HEADWAY_CHECK(transaction.append(resident, events));
    HEADWAY_CHECK(release_day(transaction, resident));
    if (paused && !resident.session.state().paused()) touch_below(transaction, resident);
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

namespace {

/// Children of one session that learn of its end; more than a family has at once.
constexpr std::size_t kChildrenToldMax = 100'000;
constexpr std::size_t kChildrenPage = 1000;

bool has_ended_now(const Transaction& transaction, const Resident& resident) {
    const core::SessionState& state = resident.session.state();
    return state.ended() && state.ended_at == transaction.now();
}

/// Tells the open children of a session that it has ended. They decide in their own turns, and a
/// restart loses none of it.
Result<> tell_children(Transaction& transaction, const Resident& parent) {
    const core::SessionState& state = parent.session.state();
    const bool has_any = !state.budget.children.empty() || state.budget.evicted->count > 0 ||
                         transaction.tree().has_children(parent.session.id());
    if (!has_any) return {};
    storage::SessionFilter filter;
    filter.open = true;
    filter.parent = parent.session.id();
    storage::SessionKey before = std::numeric_limits<storage::SessionKey>::max();
    for (std::size_t sent = 0; sent < kChildrenToldMax; sent += kChildrenPage) {
        HEADWAY_TRY(const auto page,
                    transaction.store().index().list(filter, before, kChildrenPage));
        for (const storage::SessionKey child : page) {
            if (child == parent.key) continue;  // its own parent
            core::SessionEnded end;
            end.outcome = *state.outcome;
            HEADWAY_CHECK(transaction.tell(child, std::move(end)));
        }
        if (page.size() < kChildrenPage) break;
        before = page.back();
    }
    return {};
}

/// Ended generations of one ancestor whose figures are looked at: each may come from the disk.
constexpr int kGenerationsLooked = 4;

/// The session in whose figures the use of `child` counts: its parent; once that has ended, the
/// generation in which it goes on, else its parent, and so on. Null: none. Takes out of `progress`
/// what other sessions on the way counted before; `counted`: there was one.
Result<const Resident*> payer_of(Transaction& transaction, const Resident& child,
                                 const std::vector<Resident*>& line, core::ChildProgress& progress,
                                 bool& counted) {
    const Resident* const none = nullptr;
    const Resident* payer = nullptr;
    const auto take_out = [&](const Resident& other) {
        const core::BudgetMeter& meter = other.session.state().budget;
        counted = counted || core::knows_child(meter, progress);
        progress = core::without_counted(std::move(progress), meter);
    };
    for (const Resident* const ancestor : line) {
        const core::SessionState& state = ancestor->session.state();
        // An event of today would move the times of a recording.
        if (state.about.recorded && payer == nullptr) return none;
        if (payer == nullptr && !state.ended()) {
            payer = ancestor;
            if (payer == line.front()) return payer;  // as with nearly all
            continue;
        }
        take_out(*ancestor);
        if (payer != nullptr) continue;  // one above it that counted while there was none
        const Resident* one = ancestor;
        for (int looked = 0; one != nullptr && looked < kGenerationsLooked; ++looked) {
            HEADWAY_TRY(one, generation_after(transaction, one->session.id()));
            if (one != nullptr && one->session.state().ended()) take_out(*one);
        }
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *ancestor));
        const bool goes_on = after != nullptr && after != &child &&
                             !after->session.state().ended() &&
                             !after->session.state().about.recorded;
        if (goes_on) payer = after;
        if (!goes_on && !state.about.budget_rules->roll_up) return none;
    }
    return payer;
}

/// True if the use that `payer` counts would come back to `child`: generations may name parents
/// that make a circle.
Result<bool> comes_back(Transaction& transaction, const Resident& child, const Resident* payer) {
    for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax; ++depth) {
        HEADWAY_TRY(const auto line, ancestors_of(transaction.sessions(), *payer));
        core::ChildProgress ignored;
        bool counted = false;
        HEADWAY_TRY(payer, payer_of(transaction, *payer, line, ignored, counted));
        if (payer == nullptr) return false;
        if (payer == &child) return true;
    }
    return true;
}

/// True if its hooks are those of a sub-agent, which lives in the process of its parent.
bool lives_in_parent(Transaction& transaction, const Resident& child) {
    const std::string& parent = child.session.state().about.parent;
    const std::string first = parent.substr(0, parent.find('~'));  // of its generations
    return transaction.channels().find(child.key) != nullptr &&
           child.session.id().starts_with(first + ".");
}

Result<> tell_parent(Transaction& transaction, Resident& child) {
    const core::Context& context = transaction.context();
    const core::SessionState& state = child.session.state();
    // An event behind an end, as an alarm that a person has seen, is no news of a child.
    if (state.about.parent.empty() || (state.ended() && !has_ended_now(transaction, child)))
        return {};
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), child));
    core::ChildProgress progress =
        core::child_progress_of(child.session.id(), state, context.now, context.watch);
    progress.of_hooks = lives_in_parent(transaction, child);
    bool counted = false;
    HEADWAY_TRY(const Resident* const payer, payer_of(transaction, child, line, progress, counted));
    if (payer == nullptr) return {};
    if (payer != line.front()) {
        HEADWAY_TRY(const bool back, comes_back(transaction, child, payer));
        // Nothing is new of a child that was one of those of its parent.
        counted = counted && core::is_use_of_nothing(progress) &&
                  !core::knows_child(payer->session.state().budget, progress);
        if (back || counted) return {};
    }
    const bool limited = payer->session.state().budget.limited() || state.budget.limited() ||
                         std::any_of(line.begin(), line.end(), [](const Resident* one) {
                             return one->session.state().budget.limited();
                         });
    const bool opened = state.opened_at == transaction.now();
    const core::BudgetMeter& above = payer->session.state().budget;
    if (!limited && !core::child_moved_far(above, progress, opened)) return {};
    return transaction.tell(payer->key, std::move(progress));
}

}  // namespace

Result<> tell_rejection(Transaction& transaction, Resident& child, std::uint64_t n) {
    const core::Approval* const asked = child.session.state().approvals.find(n);
    if (asked == nullptr || asked->decision != core::Decision::kReject || !asked->by_person() ||
        asked->kind != core::ApprovalKind::kTool || asked->of_dialog() ||
        asked->args_digest.empty())
        return {};
    core::DirectiveIssued no;
    no.kind = core::DirectiveKind::kChangeApproach;
    no.reason = "A person rejected a call of " + asked->tool + " in " + child.session.id() +
                (asked->reason.empty() ? "." : ": " + asked->reason) +
                " The same call may not run in this session either.";
    no.by = asked->by;
    no.rejects = true;
    no.tool = asked->tool;
    no.args_digest = asked->args_digest;
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), child));
    for (const Resident* ancestor : line) {
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *ancestor));
        const bool goes_on = after != nullptr && after != &child;
        HEADWAY_CHECK(transaction.tell((goes_on ? after : ancestor)->key, no));
    }
    return {};
}

Result<> tell_relatives(Transaction& transaction) {
    for (Resident* resident : transaction.take_news()) {
        if (resident->session.state().about.recorded) continue;  // no news
        if (has_ended_now(transaction, *resident))
            HEADWAY_CHECK(tell_children(transaction, *resident));
        HEADWAY_CHECK(tell_parent(transaction, *resident));
    }
    return {};
}

namespace {

/// Reads a row of the inbox: a message about another session.
Result<> heed_told(Transaction& transaction, Resident& resident, core::Payload& payload) {
    if (auto* progress = std::get_if<core::ChildProgress>(&payload))
        return transaction.change(resident, &core::Session::child_progress, std::move(*progress));
    if (auto* no = std::get_if<core::DirectiveIssued>(&payload))
        return transaction.change(resident, &core::Session::note_rejection, std::move(*no));
    if (!std::holds_alternative<core::SessionEnded>(payload)) return {};  // of a newer version
    const bool within = lives_in_parent(transaction, resident);
    return transaction.change(resident, &core::Session::parent_ended, within);
}

/// Lets one session decide about its messages.
Result<> receive_one(Transaction& transaction, storage::SessionKey key) {
    HEADWAY_TRY(Resident * resident, transaction.sessions().find_key(key));
    if (resident == nullptr && transaction.keeps_inbox(key)) return {};
    HEADWAY_TRY(std::vector<core::Event> messages, transaction.store().inbox().take(key));
    if (resident == nullptr) return {};  // deleted or damaged meanwhile
    for (core::Event& event : messages) {
        HEADWAY_CHECK(heed_told(transaction, *resident, event.payload));
    }
    if (resident->session.state().ended()) return {};
    HEADWAY_CHECK(tick(transaction, *resident));
    return {};
}

}  // namespace

Result<> receive(Transaction& transaction, std::vector<storage::SessionKey> receivers) {
    // Held by another daemon, or too many for this turn: each may have told as many again.
    std::vector<storage::SessionKey> waiting;
    std::size_t left = kReceiversPerTurn;
    for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax && !receivers.empty();
         ++depth) {
        for (const storage::SessionKey key : receivers) {
            if (left > 0 && transaction.holds(key)) {
                --left;
                HEADWAY_CHECK(receive_one(transaction, key));
            } else {
                waiting.push_back(key);
            }
        }
        HEADWAY_CHECK(tell_relatives(transaction));
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
    const core::ParentBudget& parent_budget = *resident.session.state().budget.parent;
    core::BudgetLevel level = core::BudgetLevel::kNominal;
    std::string whose;
    bool may_fall = false;  // set when the ancestor in question has room again
    const auto look_at = [&](const Resident& one) {
        const core::SessionState& above = one.session.state();
        if (one.session.id() == parent_budget.session) may_fall = !above.ended();
        const bool spent = above.outcome == core::Outcome::kBudgetExhausted;
        if (!above.budget.limited() || (above.ended() && !spent)) return;
        const core::BudgetLevel its = spent ? core::BudgetLevel::kExhausted : above.budget.level;
        if (its <= level) return;
        level = its;
        whose = one.session.id();
    };
    for (const Resident* ancestor : line) {
        if (!ancestor->session.state().about.budget_rules->roll_up) break;  // rolls up no further
        look_at(*ancestor);
        // It counts the use since its earlier generation has ended.
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *ancestor));
        if (after != nullptr && after != &resident) look_at(*after);
    }
    if (level < parent_budget.level && !may_fall) return {};
    resident.session.heed_parent(whose, level, transaction.context(), events);
    return {};
}

void touch_below(Transaction& transaction, const Resident& resident) {
    for (Resident* child :
         transaction.tree().descendants(resident.session, transaction.sessions().residents()))
        transaction.touch(*child);
}

}  // namespace headway::server
