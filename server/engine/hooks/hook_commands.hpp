// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/hooks/texts/goal_report.hpp"
#include "core/events/event.hpp"
#include "server/engine/base/answers.hpp"
#include "server/engine/commands/check_commands.hpp"
#include "server/engine/transaction/transaction.hpp"

// Commands for agents' hooks: store their reports and answer them.

namespace headway::server {

/// Usage of one answer of the model. The id of its event ensures that the usage is counted once,
/// even if a later hook, or one after a restart, reports it again.
struct HookUse {
    std::string event_id;
    core::Timestamp at = core::kNever;  ///< time of the answer by the agent's clock
    core::Usage usage;
};

/// Stores the report of a hook, and answers the hook. Opens the session, or its next generation
/// (`~2`) when an agent resumes an ended session.
struct HookCommand {
    std::string session;  ///< id of the session, without generation
    std::string parent;   ///< a sub-agent's parent session, without generation; or empty
    HookCall call;
    core::SessionStarted about;  ///< the opening, without goal and parent
    bool controls = false;       ///< the caller may control sessions
    std::vector<core::Event> events;
    std::vector<api::WholeArgs> whole_args = {};
    std::optional<core::ApprovalRequested> dialog = {};  ///< request of the agent's own dialog
    std::vector<std::size_t> untold = {};                ///< as HookReport::untold
    std::vector<HookUse> uses = {};            ///< usage of the model's answers, oldest first
    core::Timestamp use_clock = core::kNever;  ///< the agent's clock when it reported `uses`
    api::hooks::GoalReport goal = {};
    std::string target = {};  ///< the session in force
    /// The sessions that name() named: the session in force, and its next generation (or empty).
    /// Kept here because the transaction refers to these texts.
    std::string named = {};
    std::string next = {};

    static constexpr bool kFillsDisk = true;
    static constexpr bool kRationed = true;
    /// Names the session in force, and its next generation. Errors: those of the store.
    core::Result<> name(Reader& reader, SessionNames& names);
    /// True if the session that name() named is still in force.
    core::Result<bool> is_well_named(Reader& reader) const;
    core::Result<HookAnswered> operator()(Transaction& transaction);
    /// The answer while nothing can be stored: it refuses a call that needs approval, or that is
    /// stopped by a person's decision about the session or an ancestor, and any call of a session
    /// that cannot be read, since such a decision may be in it. Nothing for all other hooks.
    std::optional<HookAnswered> unstored(Reader& reader, const core::Error& error) const;
};

/// Asks again for the answer to a hook that waits. Stores only the changes that the answer makes.
/// Error: that of a session that does not exist any more.
struct HookAgainCommand {
    std::string session;
    HookCall call;
    bool time_is_up = false;

    static constexpr bool kRationed = true;
    core::Result<> name(Reader&, SessionNames& names) const {
        names.push_back(session);
        return {};
    }
    core::Result<HookAnswered> operator()(Transaction& transaction);
};

/// Reports that the process of an agent has ended. Gets no reply.
struct AgentGoneCommand {
    std::string session;

    static constexpr bool kRationed = true;  // so that it runs after the agent's hooks, which are
                                             // rationed too
    static bool delivered() { return true; }
    core::Result<> name(Reader&, SessionNames& names) const {
        names.push_back(session);
        return {};
    }
    core::Result<Unanswered> operator()(Transaction& transaction);
};

}  // namespace headway::server
