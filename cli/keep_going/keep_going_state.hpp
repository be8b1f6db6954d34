// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "core/base/result.hpp"

// The state shared by all agents that are kept going, stored as files in the state directory. One
// file is the switch for all. For each kind of agent, a file has the turns in which its agents
// begin, and the conversations in which they work. A file is locked with flock(2) while it is
// changed, and replaced by its next version. A keeper is the process that keeps one agent going.
// The lines of keepers that no longer run are ignored, so a kill -9 leaves nothing behind.

namespace headway::cli {

/// A period in which only one agent begins.
struct ProviderTurn {
    WallTime at{};
    WallTime until{};
    std::int64_t pid = 0;  ///< PID of its keeper
    std::string began{};   ///< start time of that process in /proc, since a PID may be reused
    bool operator==(const ProviderTurn&) const = default;
};

/// The conversation of a keeper's agent.
struct KeptConversation {
    std::int64_t pid = 0;
    std::string began{};  ///< as in ProviderTurn
    std::string key{};    ///< a word that stands for the agent's id of the conversation
    bool operator==(const KeptConversation&) const = default;
};

/// The provider's limit, as a resumed agent found it.
struct KnownLimit {
    std::string home{};  ///< a word that stands for the agent's home, which has one account
    WallTime until{};    ///< end of the limit
    WallTime noted{};    ///< time of the finding
    bool operator==(const KnownLimit&) const = default;
};

struct ProviderTurns {
    std::vector<KnownLimit> limits{};  ///< at most one of each home, the last finding last
    std::vector<ProviderTurn> taken;   ///< turns of running keepers, by time
    /// The conversations of running keepers, in the order in which the keepers came to them.
    std::vector<KeptConversation> kept{};
    bool operator==(const ProviderTurns&) const = default;
};

/// Takes the first turn that is free and not before `wanted`, for this keeper. A turn that begins
/// where another turn ends lasts half a margin; any other turn is a probe and lasts two margins.
/// Changes only `turns`.
WallTime take_turn(ProviderTurns& turns, WallTime wanted, std::chrono::milliseconds margin,
                   std::int64_t pid, const std::string& began);

enum class GiveWayTo : std::uint8_t {
    kEarlier,  ///< the keeper that came earlier, when an agent has ended
    kAny,      ///< any other keeper, when it is time to start, because that keeper's agent works
};
/// PID of another keeper of the same conversation, to which this keeper gives way; 0: none. Pure.
std::int64_t keeper_ahead(const ProviderTurns& turns, std::int64_t pid, const std::string& key,
                          GiveWayTo whom);

/// print_turns() writes the turns as text, one on each line; read_turns() is the inverse and skips
/// unreadable lines. Pure.
std::string print_turns(const ProviderTurns& turns);
ProviderTurns read_turns(std::string_view text);

/// The state directory that a command of `headway` uses, by its options and the environment.
std::string state_folder_of(const ClientOptions& client,
                            std::map<std::string, std::string> environment);

/// Makes the folder and those above it, for this user alone. Errors are ignored, because the later
/// use of a file in the folder reports them.
void make_state_folder(const std::string& folder);

/// Access to the files of this state, for the keeper that this process is. A call may wait for the
/// lock of a file. If a file cannot be used, functions without a Result change nothing.
class KeepGoingState {
public:
    /// `folder`: the state directory.
    explicit KeepGoingState(std::string folder) : folder_(std::move(folder)) {}

    /// True after `headway keep-going off`.
    bool is_off() const;
    /// Switches keep-going off or on. Error: kInternal, with the path and the reason.
    core::Result<> set_off(bool off) const;

    /// take_turn() among all agents of this name. Returns `wanted` if the file cannot be used.
    WallTime take_turn_of(const std::string& agent, WallTime wanted,
                          std::chrono::milliseconds margin) const;
    /// Records that the provider's limit still holds: an agent of this name and home was resumed
    /// at the reset, and met the limit again. The limit may be that of one model, so it may delay
    /// another run but never end it. Not to be called for the first limit of a run: each run waits
    /// for its own limit.
    void note_limit(const std::string& agent, const std::string& home, WallTime until,
                    WallTime now) const;
    /// The end of a limit that another agent of this home found at or after `since`; a time in the
    /// past if no agent found one.
    WallTime limited_until(const std::string& agent, const std::string& home, WallTime since) const;

    /// Records that the agent of this keeper works in the conversation, its only one from now on.
    void keep_conversation(const std::string& agent, const std::string& id) const;
    /// keeper_ahead() of this keeper. If there is a keeper ahead, this keeper leaves the
    /// conversation. Thus exactly one of two keepers goes on.
    std::int64_t give_way(const std::string& agent, const std::string& id, GiveWayTo whom) const;
    /// Forgets the conversation of this keeper, whose agent does not go on.
    void leave_conversation(const std::string& agent) const;

    /// Path of the file that exists while keep-going is switched off.
    std::string switch_file() const;

private:
    std::string turns_file(const std::string& agent) const;

    const std::string folder_;
};

}  // namespace headway::cli
