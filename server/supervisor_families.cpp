// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "core/limits.hpp"
#include "core/liveness.hpp"
#include "server/supervisor_turn.hpp"

// Parents that are quiet because their children work.

namespace headway::server {

void Supervisor::note_family(const Resident& resident) {
    const core::SessionState& state = resident.session.state();
    if (state.about.parent.empty()) return;
    if (state.ended()) {
        families_.leave(state.about.parent, resident.key);
    } else {
        families_.join(state.about.parent, resident.key);
        families_.hear(resident.key);
    }
}

/// Rechecks the parents of changed children, whose silence or waiting may end. A parent that
/// changes joins the list after its child. Each is checked once per turn.
core::Result<> Supervisor::look_at_parents(Turn& turn) {
    for (const Resident* child : turn.touched)
        note_family(*child);
    std::unordered_set<const Resident*> looked;
    for (std::size_t i = 0; i < turn.touched.size(); ++i) {
        const Resident* child = turn.touched[i];
        for (std::size_t depth = 0; depth < core::limits::kFamilyDepthMax; ++depth) {
            const std::string& parent_id = child->session.state().about.parent;
            Resident* parent = parent_id.empty() ? nullptr : residents_.find(parent_id);
            // Children only affect verdicts of liveness.
            if (parent == nullptr || parent->session.state().judgement.detector != "liveness")
                break;
            if (!looked.insert(parent).second) break;
            HEADWAY_CHECK(tick(*parent, turn));
            child = parent;
        }
    }
    return {};
}

bool Supervisor::children_work(const core::Session& session, core::Timestamp now) {
    std::size_t looks = Families::kLooksMax;
    return children_work(session.id(), now, looks, core::limits::kFamilyDepthMax);
}

/// True if a descendant works. A quiet child counts as working if one of its own works, or if it
/// waits for a call or a person.
bool Supervisor::children_work(const std::string& id, core::Timestamp now, std::size_t& looks,
                               std::size_t depth) {
    return families_.any(id, looks, [&](storage::SessionKey key) {
        const Resident* child = residents_.find(key);
        if (child == nullptr || child->session.state().ended()) return false;
        const core::SessionState& state = child->session.state();
        const bool alive = now < core::silent_at(state.heard_at(), watch_, state.asked_interval);
        const bool held_up = state.call_in_flight() || state.waits_for_human() || state.paused();
        return alive || held_up ||
               (depth > 1 && children_work(child->session.id(), now, looks, depth - 1));
    });
}

}  // namespace headway::server
