// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/hook_channels.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::server {

using api::hooks::HookKind;

void HookChannels::note(storage::SessionKey session, const api::hooks::Dialect& dialect,
                        const api::hooks::Hook& hook, bool process, core::Timestamp now) {
    auto found = channels_.find(session);
    if (found == channels_.end()) {
        make_room();
        found = channels_.try_emplace(session).first;
    }
    core::HookChannel& channel = found->second;
    channel.adapter = hook.agent.empty() ? std::string{dialect.name} : hook.agent;
    if (!hook.agent_version.empty()) channel.agent_version = hook.agent_version;
    channel.last_hook_at = now;
    channel.process |= process;
    const bool ends_round = hook.kind == HookKind::kBatch || hook.round;
    if (dialect.reports_rounds && (ends_round || hook.kind == HookKind::kPost))
        channel.note_in_round(ends_round);
    switch (hook.kind) {
        case HookKind::kPost:
        case HookKind::kBatch:
            channel.note_result();
            break;
        case HookKind::kPrompt:
            if (!hook.synthetic) channel.note_prompt();
            break;
        case HookKind::kStop:
        case HookKind::kInterrupt:
            channel.note_turn_end();
            break;
        case HookKind::kError:
            if (hook.ends_turn) channel.note_turn_end();
            break;
        case HookKind::kIdle:
            channel.prompts = 0;
            break;
        default:
            break;
    }
}

void HookChannels::note_call(storage::SessionKey session) {
    const auto found = channels_.find(session);
    if (found != channels_.end()) found->second.note_call();
}

void HookChannels::note_process_gone(storage::SessionKey session) {
    const auto found = channels_.find(session);
    if (found != channels_.end()) found->second.process = false;
}

const core::HookChannel* HookChannels::find(storage::SessionKey session) const {
    const auto found = channels_.find(session);
    return found == channels_.end() ? nullptr : &found->second;
}

bool HookChannels::count(ResidentSet& residents, core::Timestamp now, const core::Watch& watch) {
    const Tally before = std::exchange(tally_, Tally{});
    for (const auto& [key, channel] : channels_) {
        const Resident* resident = residents.find(key);
        if (resident == nullptr || resident->session.state().ended()) continue;
        const auto found = core::examine_channel(channel, resident->session.state(), now, watch);
        ++tally_[static_cast<std::size_t>(found.health)];
    }
    return tally_ != before;
}

void HookChannels::make_room() {
    if (channels_.size() < kChannelsMax) return;
    const auto oldest = std::min_element(
        channels_.begin(), channels_.end(),
        [](const auto& a, const auto& b) { return a.second.last_hook_at < b.second.last_hook_at; });
    channels_.erase(oldest);
    HEADWAY_ASSERT(channels_.size() < kChannelsMax);
}

}  // namespace headway::server
