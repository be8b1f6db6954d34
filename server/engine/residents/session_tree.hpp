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

/// Relations between the sessions of a run: children that work while their parent is quiet, files
/// that two sessions keep reverting, and ancestors. Engine thread only.
class SessionTree {
public:
    /// Called when a child was opened, changed, ended or loaded.
    void note(const Resident& child);
    /// Forgets everything. Called after a child, or all sessions, were deleted.
    void clear();
    /// True if an open child of the session is in memory.
    bool has_children(const std::string& session) const { return families_.has_children(session); }

    /// True if a descendant of the session works: it has reported lately; it waits for a call, a
    /// person or the end of a pause; or it has itself a descendant that works.
    bool children_work(const core::Session& session, ResidentSet& residents, core::Timestamp now,
                       const core::Watch& watch);
    /// The open descendants in memory, at most Families::kLooksMax children of each session.
    std::vector<Resident*> descendants(const core::Session& session, ResidentSet& residents) const;
    /// Notes the calls of the parent, if that is in memory, that may have opened this session.
    static void note_opened(Resident& child, ResidentSet& residents);
    /// Called before the session takes `events`. Marks each finished call during which a child that
    /// it opened has changed something. Without the mark, an orchestrator that gives the same task
    /// to one sub-agent after the other would seem to repeat itself.
    static void take_change_below(Resident& resident, std::vector<core::Event>& events);
    /// If the session has changed something since its Ledger::hard_n was `hard_n`, notes this in
    /// the parent, provided that the parent is in memory. The note is for the parent's call that
    /// opened the session. If that call is over or was never reported, the note is for the next
    /// call that ends and launches agents.
    static void note_change(const Resident& child, std::uint64_t hard_n, ResidentSet& residents);
    /// `events` are the events that the session has just decided. Appends the session's conflicts
    /// over files that other sessions of its run write too.
    void add_conflicts(core::Session& session, ResidentSet& residents, const core::Context& context,
                       std::vector<core::Event>& events);

private:
    bool children_work(const std::string& id, ResidentSet& residents, core::Timestamp now,
                       const core::Watch& watch, std::size_t& looks, std::size_t depth);
    std::string run_of(const core::Session& session, ResidentSet& residents) const;

    Families families_;
    core::RunFiles run_files_;
};

/// The parent session; null if it is unknown or damaged on the disk. Readers of the parent get an
/// error for the damage, but the damage must not block writes to the children.
core::Result<Resident*> parent_of(Sessions& sessions, const Resident& child);

/// The ancestors of a session, its parent first; empty if it has no parent, if there is a cycle, or
/// if there are more than limits::kFamilyDepthMax ancestors.
core::Result<std::vector<Resident*>> ancestors_of(Sessions& sessions, const Resident& resident);

}  // namespace headway::server
