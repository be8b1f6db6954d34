// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "api/hooks/dialect.hpp"
#include "core/hooks/hook_channel.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "storage/base/keys.hpp"

namespace headway::server {

/// The hook channels of sessions whose agents have sent hooks since the start of the daemon. Kept
/// in memory only. Engine thread only.
class HookChannels {
public:
    /// Numbers of open sessions, by health of their channel.
    using Tally = std::array<std::uint64_t, core::EnumNames<core::ChannelHealth>::kNames.size()>;

    /// A daemon is meant for fewer agents than this. If there are more, the channel that has been
    /// silent longest is dropped.
    static constexpr std::size_t kChannelsMax = 4'096;

    /// Notes a hook of this session's agent. `process`: the agent's process is followed.
    void note(storage::SessionKey session, const api::hooks::Dialect& dialect,
              const api::hooks::Hook& hook, bool process, core::Timestamp now);
    /// Notes the start of a call that was not refused.
    void note_call(storage::SessionKey session);
    void note_process_gone(storage::SessionKey session);
    void forget(storage::SessionKey session) { channels_.erase(session); }

    /// The session's channel; null if the session's agent has sent no hooks.
    const core::HookChannel* find(storage::SessionKey session) const;
    /// Counts the channels of open sessions in memory, and stores the result for tally(). True if
    /// the result has changed.
    bool count(ResidentSet& residents, core::Timestamp now, const core::Watch& watch);
    const Tally& tally() const noexcept { return tally_; }

private:
    void make_room();

    std::unordered_map<storage::SessionKey, core::HookChannel> channels_;
    Tally tally_{};
};

}  // namespace headway::server
