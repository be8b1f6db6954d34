// SPDX-License-Identifier: Apache-2.0
#include "core/hooks/hook_channel.hpp"

#include <catch2/catch.hpp>

#include "core/values/liveness.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;
using Names = std::vector<std::string_view>;

namespace {

const Watch kWatch{at(0)};

SessionState working() {
    SessionState state;
    state.n = 3;
    state.asked_interval = Millis{10'000};
    state.last_beat_at = at(1'000);
    state.agent_state = AgentState::kProcessingPrompt;
    return state;
}

HookChannel alive() {
    HookChannel channel;
    channel.adapter = "claude";
    channel.process = true;
    return channel;
}

ChannelHealth health(const HookChannel& channel, const SessionState& state, std::int64_t now_ms) {
    return examine_channel(channel, state, at(now_ms), kWatch).health;
}

constexpr std::int64_t kLate = 10 * 60'000;

}  // namespace

TEST_CASE("hook channel: hooks of one kind are missing when many of the other came", "[core]") {
    HookChannel channel;
    for (int i = 0; i < 15; ++i)
        channel.note_call();
    CHECK(examine_channel(channel, working(), at(2'000), kWatch).missing.empty());
    channel.note_call();
    const ChannelState found = examine_channel(channel, working(), at(2'000), kWatch);
    CHECK(found.health == ChannelHealth::kDegraded);
    CHECK(found.missing == Names{"post"});
    channel.note_result();
    CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
    for (int i = 0; i < 15; ++i)
        channel.note_result();
    CHECK(examine_channel(channel, working(), at(2'000), kWatch).missing == Names{"pre"});
    for (int i = 0; i < 8; ++i)
        channel.note_prompt();
    CHECK(examine_channel(channel, working(), at(2'000), kWatch).missing == Names{"pre", "stop"});
    channel.note_turn_end();
    channel.note_call();
    CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
}

TEST_CASE("hook channel: results without the end of a round are missing it", "[core]") {
    HookChannel channel;
    for (int i = 0; i < 32; ++i) {
        CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
        channel.note_call();
        channel.note_result();
        channel.note_in_round(false);
    }
    CHECK(examine_channel(channel, working(), at(2'000), kWatch).missing == Names{"batch"});
    channel.note_in_round(true);
    CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
}

TEST_CASE("hook channel: ends of turns without anything else say that hooks by HTTP do not come",
          "[core]") {
    HookChannel channel = alive();
    for (int i = 0; i < 7; ++i)
        channel.note_turn_end();
    CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
    channel.note_turn_end();
    const ChannelState found = examine_channel(channel, working(), at(2'000), kWatch);
    CHECK(found.health == ChannelHealth::kDegraded);
    CHECK(found.missing == Names{"prompt"});
    channel.note_prompt();
    CHECK(health(channel, working(), 2'000) == ChannelHealth::kOk);
}

TEST_CASE("hook channel: it is mute while a living process excuses silence", "[core]") {
    CHECK(health(alive(), working(), 2'000) == ChannelHealth::kOk);
    CHECK(health(alive(), working(), 20'999) == ChannelHealth::kOk);
    CHECK(health(alive(), working(), 21'000) == ChannelHealth::kMute);
    HookChannel unknown = alive();
    unknown.process = false;  // the verdict says what is known
    CHECK(health(unknown, working(), kLate) == ChannelHealth::kOk);
    SessionState silent = working();
    silent.judgement.change().verdict = Verdict::kSilent;
    CHECK(health(unknown, silent, kLate) == ChannelHealth::kMute);
}

TEST_CASE("hook channel: who need not be heard is not mute", "[core]") {
    SessionState idle = working();
    idle.agent_state = AgentState::kIdle;
    CHECK(health(alive(), idle, kLate) == ChannelHealth::kOk);
    SessionState calling = working();
    calling.open_calls.push_back({});
    CHECK(health(alive(), calling, kLate) == ChannelHealth::kOk);
    SessionState ended = working();
    ended.ended_at = at(5'000);
    ended.outcome = Outcome::kCompleted;
    CHECK(health(alive(), ended, kLate) == ChannelHealth::kOk);
    SessionState paused = working();
    paused.paused_at = at(2'000);
    CHECK(health(alive(), paused, kLate) == ChannelHealth::kOk);
}

TEST_CASE("hook channel: a mute one still names what was missing", "[core]") {
    HookChannel channel = alive();
    for (int i = 0; i < 16; ++i)
        channel.note_call();
    const ChannelState found = examine_channel(channel, working(), at(kLate), kWatch);
    CHECK(found.health == ChannelHealth::kMute);
    CHECK(found.missing == Names{"post"});
}
