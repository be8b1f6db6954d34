// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/session_payloads.hpp"
#include "core/state/session_state.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// Limits and state that the next generation of a session takes over from the ended generation. An
// agent may end its own session and go on in the next generation, but must not get rid of limits in
// this way.

namespace headway::server {

/// Maximum number of generations of one session. Later resumes go on in the last generation.
inline constexpr int kGenerationsMax = 999;

/// Agent type of `headway run`, which ends its sessions itself: hooks neither end them nor give
/// their next generations this type.
inline constexpr std::string_view kRunType = "command";

/// The id of the first generation of a session; the session's own id if it has no other generation.
/// Pure.
std::string base_of(const std::string& session);

/// Whether a report begins the next generation of an ended session.
enum class Begins : std::uint8_t {
    kNever,   ///< never: the report comes late
    kByCall,  ///< unless the session was stopped: the report shows that its agent is at work
    kAnew,    ///< always: the report comes from a person or a new process
};

/// The id of the generation in force: the newest known generation; or the next one, if the newest
/// has ended and the report may begin another.
core::Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins);

/// The generation of `session` after generation `now`; `now` itself if no further generation is
/// allowed.
std::string next_generation(const std::string& session, const std::string& now);

/// The generation after `session`; null if it is unknown or damaged on the disk.
core::Result<Resident*> generation_after(Transaction& transaction, const std::string& session);

/// The newest generation of the session `ended`, in which its agent goes on. Null if `ended` is
/// open, if it is itself the newest, or if the newest is damaged on the disk.
core::Result<const Resident*> successor(Reader& reader, const Resident& ended);

/// The generation before `session`, if that generation has ended or is a recording; else null.
core::Result<const Resident*> ended_before(Reader& reader, const std::string& session);

/// True if a person or a rule ended the session, or had directed its agent to stop before the
/// session ended. The agent may then not go on in another session by itself. Pure.
bool was_stopped(const core::SessionState& state);

/// True if a person or a rule ended the session; false if its agent or a budget ended it. Pure.
bool was_ended_for_it(const core::SessionState& state);

/// The author of a session's opening.
enum class BegunBy : std::uint8_t {
    kAgent,
    kPrompt,    ///< a person at the agent, as its hook reports
    kOperator,  ///< the operator, through the API
};

/// Checks whether a session with this id may begin. Error: kForbidden if the previous generation
/// has not ended, because its carry-over is then unknown; if an agent begins a generation after a
/// stopped session; or if the base of the generation is unknown and the opening is not the
/// operator's.
core::Result<> check_turn(Reader& reader, const std::string& session, BegunBy by = BegunBy::kAgent);

/// Names the sessions for a report that may open `session` (WriteTask::name).
core::Result<> name_opening(Reader& reader, SessionNames& names, const std::string& session);

/// The settings that the next generation takes over.
enum class Takes : std::uint8_t {
    kAll,
    /// For a generation that a person's prompt begins: like kAll, but limits that are the defaults
    /// of the agent type start at their full amount.
    kSet,
    /// For the runs of a job, which starts as many runs as it likes: the next run takes over the
    /// limits only if the operator has set them, and then at their full amount.
    kOperators,
};

/// The arguments of begin_after() for the session that it opens.
struct Beginning {
    std::string session;
    core::SessionStarted about;
    bool controls = false;  ///< as OpenCommand::controls
    core::BudgetSuggestion suggestion = {};
    Takes takes = Takes::kAll;
};

/// Adds the rules of `before` to an opening: the policy of `before` where it was stricter, the type
/// and name of its agent, its parent and its labels. `base` is the policy for fields that the
/// opening does not set. Returns the fields in which the opening was weaker.
std::vector<std::string> take_rules(const core::SessionState& before, const core::Policy& base,
                                    core::SessionStarted& about);

/// The opening for an unknown session that a report or a request names. Error: as in check_turn().
core::Result<core::SessionStarted> implicit_opening(Transaction& transaction,
                                                    const std::string& session);

/// Replaces `parent` with the newest generation of the same session: usage is no longer charged to
/// an earlier generation, and a generation that does not exist has no rules. Clears `parent` if it
/// is a generation of `session` itself.
core::Result<> name_newest_parent(Reader& reader, const std::string& session, std::string& parent);

/// Begins a session and appends its events to `events`. If `before` is not null, the session gets
/// the unused part of the limits of `before`. With Takes::kSet, this holds only for limits that
/// were set for `before`; with Takes::kOperators, the session gets the operator's limits at their
/// full amount. The session is paused if `before` was paused, unless a daily cap was the reason.
/// Does not apply take_rules(); except with Takes::kOperators, the caller does this first.
core::Result<Resident*> begin_after(Transaction& transaction, const Resident* before,
                                    Beginning&& begun, std::vector<core::Event>& events);

}  // namespace headway::server
