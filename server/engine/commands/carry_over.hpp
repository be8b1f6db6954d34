// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/events/session_payloads.hpp"
#include "core/state/session_state.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// Limits and state that the next generation of a session takes over from the one that has ended. An
// agent may end its own session, and its hooks go on in the next: that must rid it of nothing.

namespace headway::server {

/// Resumes of one session, each with an id of its own. Further ones go to the last.
inline constexpr int kGenerationsMax = 64;

/// The generation before `session`, once that has ended; or null.
core::Result<const Resident*> ended_before(Reader& reader, const std::string& session);

/// A person or a rule ended it, or had told its agent to stop before it ended itself: the agent
/// does not go on in another session by itself. Pure.
bool was_stopped(const core::SessionState& state);

/// Whether a session of this id may begin. Error: kForbidden for a generation before its turn, for
/// what it takes over is not known yet, and, unless a person begins it, for one behind a session
/// that was stopped.
core::Result<> check_turn(Reader& reader, const std::string& session, bool by_person = false);

/// Names a session that a report may open (WriteTask::name).
core::Result<> name_opening(Reader& reader, SessionNames& names, const std::string& session);

/// The settings that the next generation takes over.
enum class Takes : std::uint8_t {
    kAll,
    /// Runs of a job: what was set for one is not for the next. Changes by the operator stay, since
    /// a job may ping as it likes.
    kOperators,
};

/// A session that is to begin.
struct Beginning {
    std::string session;
    core::SessionStarted about;
    bool controls = false;  ///< as OpenCommand::controls
    core::BudgetSuggestion suggestion = {};
    Takes takes = Takes::kAll;
};

/// Adds to an opening what `before` was ruled by: the policy where it was stricter, the type of its
/// agent, its parent and its labels. `base` is the policy for what the opening leaves open. Returns
/// the fields that were weaker.
std::vector<std::string> take_rules(const core::SessionState& before, const core::Policy& base,
                                    core::SessionStarted& about);

/// The opening that a report or a request of `controls` gives a session that is unknown. Error:
/// that of check_turn().
core::Result<core::SessionStarted> implicit_opening(Transaction& transaction,
                                                    const std::string& session, bool controls);

/// Begins a session into `events`. After `before`, unless that is null, it has what is left of the
/// limits that were set for that one, and is paused if that one was; take_rules() comes first,
/// where all is taken.
core::Result<Resident*> begin_after(Transaction& transaction, const Resident* before,
                                    Beginning&& begun, std::vector<core::Event>& events);

}  // namespace headway::server
