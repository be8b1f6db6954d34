// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/state/session_state.hpp"
#include "core/values/watch.hpp"

namespace headway::core {

/// Whether the hooks of an agent arrive.
enum class ChannelHealth : std::uint8_t {
    kOk,
    kDegraded,  ///< hooks of one kind are missing although other hooks imply them
    kMute,      ///< no hook arrives, although the agent should be at work
};
template <>
struct EnumNames<ChannelHealth> {
    static constexpr std::array<std::string_view, 3> kNames{"ok", "degraded", "mute"};
};

/// Observations of the hooks of one session's agent. They are not part of the session: no verdict
/// uses them, and a restart resets them.
struct HookChannel {
    std::string adapter;        ///< name of the adapter, as in the route of its hooks
    std::string agent_version;  ///< the agent's version; empty = not known
    Timestamp last_hook_at = kNever;
    bool process = false;       ///< the agent's process is watched and alive
    std::uint32_t calls = 0;    ///< starts of calls since the last result
    std::uint32_t results = 0;  ///< results since the last start of a call
    std::uint32_t prompts = 0;  ///< prompts since the last end of a turn
    std::uint32_t ends = 0;     ///< consecutive ends of turns without another hook in between
    /// Results since the last end of a round, of an agent that reports rounds.
    std::uint32_t unbatched = 0;

    void note_call();
    void note_result();
    void note_prompt();
    void note_turn_end();
    /// A result, or the end of a round, of an agent that reports rounds.
    void note_in_round(bool ends_round);
    /// True if ends of rounds do not come, so that rounds are counted as for agents that report
    /// none.
    bool lacks_batches() const noexcept;
};

/// The state of a channel.
struct ChannelState {
    ChannelHealth health = ChannelHealth::kOk;
    /// Missing hooks, by their neutral names: `pre`, `post`, `batch`, `stop`, `prompt`.
    std::vector<std::string_view> missing;
};

/// Determines the state of a channel. A living process of the agent postpones the verdict `silent`
/// (liveness.hpp), but must not hide a broken channel. Therefore the channel is mute as soon as the
/// session would be silent without that process. Pure.
ChannelState examine_channel(const HookChannel& channel, const SessionState& state, Timestamp now,
                             const Watch& watch);

}  // namespace headway::core
