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

/// Whether what an agent does arrives by its hooks.
enum class ChannelHealth : std::uint8_t {
    kOk,
    kDegraded,  ///< hooks of one kind do not come although others say that they should
    kMute,      ///< none come, although the agent should be at work
};
template <>
struct EnumNames<ChannelHealth> {
    static constexpr std::array<std::string_view, 3> kNames{"ok", "degraded", "mute"};
};

/// Observations of the hooks of one session's agent. Not part of the session: no verdict rests on
/// it, and after a restart it begins again.
struct HookChannel {
    std::string adapter;        ///< as in the route of the hooks
    std::string agent_version;  ///< empty: not known
    Timestamp last_hook_at = kNever;
    bool process = false;       ///< the process of the agent is followed, and lives
    std::uint32_t calls = 0;    ///< begun since a result came
    std::uint32_t results = 0;  ///< since a call began
    std::uint32_t prompts = 0;  ///< since a turn ended
    std::uint32_t ends = 0;     ///< of turns of which nothing else was seen

    void note_call();
    void note_result();
    void note_prompt();
    void note_turn_end();
};

/// How a channel is doing.
struct ChannelState {
    ChannelHealth health = ChannelHealth::kOk;
    /// Hooks that do not come, as the neutral form calls them: `pre`, `post`, `stop`, `prompt`.
    std::vector<std::string_view> missing;
};

/// Pure. A channel is mute as soon as the session would be silent if its agent's process were
/// not known to live (liveness.hpp): a living process postpones silence, but must not hide a broken
/// channel.
ChannelState examine_channel(const HookChannel& channel, const SessionState& state, Timestamp now,
                             const Watch& watch);

}  // namespace headway::core
