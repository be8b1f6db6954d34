// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/session_tree.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/approvals/approval.hpp"
#include "core/base/limits.hpp"
#include "core/calls/tool_class.hpp"
#include "core/text/text.hpp"
#include "core/values/liveness.hpp"

namespace headway::server {

using core::Result;

namespace {

std::uint64_t digest(const std::string& call_id) {
    return core::digest_of(core::kept_call_id(call_id)).low;
}

bool contains(const std::vector<std::uint64_t>& calls, std::uint64_t id) {
    return std::find(calls.begin(), calls.end(), id) != calls.end();
}

bool launches(const std::string& tool) {
    return core::rule_covers("class:agent", tool);
}

}  // namespace

void SessionTree::note(const Resident& child) {
    const core::SessionState& state = child.session.state();
    if (state.about.parent.empty()) return;
    if (state.ended() || state.about.recorded) {
        families_.leave(child.key);
    } else {
        families_.join(state.about.parent, child.key);
        families_.hear(child.key);
    }
}

void SessionTree::clear() {
    families_.clear();
    run_files_.clear();
}

bool SessionTree::children_work(const core::Session& session, ResidentSet& residents,
                                core::Timestamp now, const core::Watch& watch) {
    std::size_t looks = Families::kLooksMax;
    return children_work(session.id(), residents, now, watch, looks, core::limits::kFamilyDepthMax);
}

bool SessionTree::children_work(const std::string& id, ResidentSet& residents, core::Timestamp now,
                                const core::Watch& watch, std::size_t& looks, std::size_t depth) {
    return families_.any(id, looks, [&](storage::SessionKey key) {
        const Resident* child = residents.find(key);
        if (child == nullptr || child->session.state().ended()) return false;
        const core::SessionState& state = child->session.state();
        const bool alive = now < core::silent_at(state.heard_at(), watch, state.asked_interval);
        const bool held_up = state.call_in_flight() || state.waits_for_human() || state.paused();
        return alive || held_up ||
               (depth > 1 &&
                children_work(child->session.id(), residents, now, watch, looks, depth - 1));
    });
}

std::vector<Resident*> SessionTree::descendants(const core::Session& session,
                                                ResidentSet& residents) const {
    std::vector<Resident*> found;
    std::unordered_set<const Resident*> known;  // parents may name each other
    const auto add = [&](storage::SessionKey key) {
        Resident* child = residents.find(key);
        if (child != nullptr && known.insert(child).second) found.push_back(child);
    };
    families_.each(session.id(), add);
    for (std::size_t depth = 1, first = 0; depth < core::limits::kFamilyDepthMax; ++depth) {
        const std::size_t last = found.size();
        for (; first < last; ++first)
            families_.each(found[first]->session.id(), add);
    }
    return found;
}

void SessionTree::note_opened(Resident& child, ResidentSet& residents) {
    const std::string& parent_id = child.session.state().about.parent;
    if (parent_id.empty() || !child.family->opened_by.empty()) return;
    const Resident* const parent = residents.find(parent_id);
    if (parent == nullptr) return;
    // Sub-agents that are launched at once are opened after all of their calls have begun: each of
    // these may be its own.
    const auto& open = parent->session.state().open_calls;
    for (const core::OpenCall& call : open) {
        if (launches(call.tool)) child.family.change().opened_by.push_back(digest(call.call_id));
    }
    if (child.family->opened_by.empty() && !open.empty())
        child.family.change().opened_by.push_back(digest(open.back().call_id));
}

void SessionTree::take_change_below(Resident& resident, std::vector<core::Event>& events) {
    if (!resident.family.has_value()) return;
    for (core::Event& event : events) {
        auto* call = std::get_if<core::ToolFinished>(&event.payload);
        if (call == nullptr) continue;
        FamilyMemory& family = resident.family.change();
        if (std::erase(family.changed_below, digest(call->call_id)) != 0) {
            call->changed_below = true;
        } else if (family.changed_beside && call->ok && launches(call->tool)) {
            call->changed_below = true;
            family.changed_beside = false;
        }
    }
}

void SessionTree::note_change(const Resident& child, std::uint64_t hard_n, ResidentSet& residents) {
    const core::SessionState& state = child.session.state();
    if (state.about.parent.empty() || state.ledger->hard_n == hard_n) return;
    Resident* const parent = residents.find(state.about.parent);
    if (parent == nullptr) return;
    FamilyMemory& above = parent->family.change();
    std::vector<std::uint64_t> changed;  // only calls in flight stay, so that the list is bounded
    bool opener_runs = false;
    for (const core::OpenCall& call : parent->session.state().open_calls) {
        const std::uint64_t id = digest(call.call_id);
        const bool opener = contains(child.family->opened_by, id);
        opener_runs = opener_runs || opener;
        if (opener || contains(above.changed_below, id)) changed.push_back(id);
    }
    above.changed_below = std::move(changed);
    if (!opener_runs) above.changed_beside = true;
}

/// The root session of the run: the topmost known parent. Empty for a session without relatives.
std::string SessionTree::run_of(const core::Session& session, ResidentSet& residents) const {
    constexpr int kAncestorsMax = 16;  // parents could name each other
    std::string run = session.id();
    std::string parent = session.state().about.parent;
    if (parent.empty() && !families_.has_children(run)) return {};
    for (int i = 0; i < kAncestorsMax && !parent.empty(); ++i) {
        run = parent;
        const Resident* resident = residents.find(parent);
        parent = resident == nullptr ? std::string{} : resident->session.state().about.parent;
    }
    return run;
}

void SessionTree::add_conflicts(core::Session& session, ResidentSet& residents,
                                const core::Context& context, std::vector<core::Event>& events) {
    if (families_.empty()) return;
    const std::string run = run_of(session, residents);
    if (run.empty()) return;
    const std::size_t reported = events.size();
    for (std::size_t i = 0; i < reported; ++i) {
        auto conflict = run_files_.observe(run, session.id(), events[i]);
        if (conflict) session.note_conflict(*std::move(conflict), context, events);
    }
}

Result<Resident*> parent_of(Sessions& sessions, const Resident& child) {
    auto parent = sessions.find(child.session.state().about.parent);
    if (!parent && is_unreadable(parent.error().code)) return static_cast<Resident*>(nullptr);
    return parent;
}

Result<std::vector<Resident*>> ancestors_of(Sessions& sessions, const Resident& resident) {
    std::vector<Resident*> line;
    const Resident* child = &resident;
    while (!child->session.state().about.parent.empty()) {
        HEADWAY_TRY(Resident * parent, parent_of(sessions, *child));
        if (parent == nullptr) break;
        const bool circle =
            parent == &resident || std::find(line.begin(), line.end(), parent) != line.end();
        if (circle || line.size() == core::limits::kFamilyDepthMax) return std::vector<Resident*>{};
        line.push_back(parent);
        child = parent;
    }
    return line;
}

}  // namespace headway::server
