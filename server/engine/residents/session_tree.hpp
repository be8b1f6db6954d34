// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/policies/run_files.hpp"
#include "core/session/session.hpp"
#include "server/engine/residents/families.hpp"
#include "server/engine/residents/sessions.hpp"

namespace headway::server {

/// Relations of the sessions of one run: parents that are quiet because their children work, files
/// that two sessions revert, and the ancestors. Engine thread only.
class SessionTree {
public:
    /// Notes that a child was opened, changed, ended or loaded.
    void note(const Resident& child);
    /// Forgets everything, after a child or all sessions were deleted.
    void clear();
    /// True if an open child of the session is in memory.
    bool has_children(const std::string& session) const { return families_.has_children(session); }

    /// True if a descendant of the session works: it has reported, or waits for a call or a person,
    /// or itself has a working descendant.
    bool children_work(const core::Session& session, ResidentSet& residents, core::Timestamp now,
                       const core::Watch& watch);
    /// The open descendants in memory, at most Families::kLooksMax children per session.
    std::vector<Resident*> descendants(const core::Session& session, ResidentSet& residents) const;
    /// Appends to `events`, which the session has just decided, conflicts over files that other
    /// sessions of its run write.
    void add_conflicts(core::Session& session, ResidentSet& residents, const core::Context& context,
                       std::vector<core::Event>& events);

private:
    bool children_work(const std::string& id, ResidentSet& residents, core::Timestamp now,
                       const core::Watch& watch, std::size_t& looks, std::size_t depth);
    std::string run_of(const core::Session& session, ResidentSet& residents) const;

    Families families_;
    core::RunFiles run_files_;
};

/// The parent session; null when it is unknown or damaged on the disk. Damage is reported to
/// readers of the parent and must not block writes of its children.
core::Result<Resident*> parent_of(Sessions& sessions, const Resident& child);

/// The ancestors of a session, its parent first; empty without a parent, with a cycle, or with more
/// than limits::kFamilyDepthMax ancestors.
core::Result<std::vector<Resident*>> ancestors_of(Sessions& sessions, Resident& resident);

}  // namespace headway::server
