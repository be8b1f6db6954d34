// SPDX-License-Identifier: Apache-2.0
#include "core/hooks/hook_channel.hpp"

#include "core/base/assert.hpp"
#include "core/values/liveness.hpp"

namespace headway::core {
namespace {

/// More calls than agents run at the same time, so some must have ended.
constexpr std::uint32_t kCallsWithoutResult = 16;
/// Results of calls that began before the first hook came are fewer.
constexpr std::uint32_t kResultsWithoutCall = 16;
/// More calls than a model's turn has. Older versions of agents have no such hook, and settings by
/// hand may lack it.
constexpr std::uint32_t kResultsWithoutBatch = 32;
/// A person may interrupt several turns in a row: then no end of a turn is reported.
constexpr std::uint32_t kPromptsWithoutEnd = 8;
/// Hooks by command come where hooks by HTTP do not: behind a proxy.
constexpr std::uint32_t kEndsWithoutPrompt = 8;

void raise(std::uint32_t& count) {
    if (count < UINT32_MAX) ++count;
}

/// The agent is neither at its prompt nor kept waiting, and no call of it runs.
bool should_work(const SessionState& state) {
    return state.agent_state != AgentState::kIdle && state.open_calls.empty() &&
           !state.waits_for_human() && !state.paused();
}

}  // namespace

void HookChannel::note_call() {
    raise(calls);
    results = 0;
    ends = 0;
}

void HookChannel::note_result() {
    raise(results);
    calls = 0;
    ends = 0;
}

void HookChannel::note_prompt() {
    raise(prompts);
    ends = 0;
}

void HookChannel::note_turn_end() {
    if (prompts == 0) raise(ends);
    prompts = 0;
}

void HookChannel::note_in_round(bool ends_round) {
    if (ends_round) unbatched = 0;
    if (!ends_round) raise(unbatched);
}

bool HookChannel::lacks_batches() const noexcept {
    return unbatched >= kResultsWithoutBatch;
}

ChannelState examine_channel(const HookChannel& channel, const SessionState& state, Timestamp now,
                             const Watch& watch) {
    ChannelState found;
    if (channel.results >= kResultsWithoutCall) found.missing.emplace_back("pre");
    if (channel.calls >= kCallsWithoutResult) found.missing.emplace_back("post");
    if (channel.lacks_batches()) found.missing.emplace_back("batch");
    if (channel.prompts >= kPromptsWithoutEnd) found.missing.emplace_back("stop");
    if (channel.ends >= kEndsWithoutPrompt) found.missing.emplace_back("prompt");
    if (!found.missing.empty()) found.health = ChannelHealth::kDegraded;
    if (state.ended()) return found;
    const bool overdue =
        should_work(state) && now >= silent_at(state.heard_at(), watch, state.asked_interval);
    if (state.judgement->verdict == Verdict::kSilent || (channel.process && overdue))
        found.health = ChannelHealth::kMute;
    HEADWAY_ASSERT(found.missing.empty() || found.health != ChannelHealth::kOk);
    return found;
}

}  // namespace headway::core
