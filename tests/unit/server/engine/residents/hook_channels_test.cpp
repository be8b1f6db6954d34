// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/hook_channels.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway;
using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using api::hooks::Hook;
using api::hooks::HookKind;

namespace {

Hook hook(HookKind kind, const std::string& agent = {}) {
    Hook built;
    built.kind = kind;
    built.agent = agent;
    return built;
}

const api::hooks::Dialect& dialect(std::string_view name) {
    return *api::hooks::find_dialect(name);
}

}  // namespace

TEST_CASE("hook channels: a session has one from its first hook on", "[server]") {
    HookChannels channels;
    CHECK(channels.find(1) == nullptr);
    channels.note_call(1);
    channels.note_process_gone(1);
    CHECK(channels.find(1) == nullptr);
    Hook first = hook(HookKind::kStart);
    first.agent_version = "2.1";
    channels.note(1, dialect("claude"), first, true, at(5));
    channels.note(1, dialect("claude"), hook(HookKind::kPrompt), false, at(9));
    const HookChannel* found = channels.find(1);
    REQUIRE(found != nullptr);
    CHECK(found->adapter == "claude");
    CHECK(found->agent_version == "2.1");
    CHECK(found->last_hook_at == at(9));
    CHECK(found->process);
    CHECK(found->prompts == 1);
    channels.note_process_gone(1);
    CHECK_FALSE(channels.find(1)->process);
    channels.forget(1);
    CHECK(channels.find(1) == nullptr);
}

TEST_CASE("hook channels: ends of rounds are missing where an agent reports them", "[server]") {
    HookChannels channels;
    Hook numbered = hook(HookKind::kPost);
    numbered.round = 7;
    for (int i = 0; i < 40; ++i) {
        for (const HookKind kind : {HookKind::kPre, HookKind::kPost}) {
            channels.note(1, dialect("claude"), hook(kind), false, at(i));
            channels.note(2, dialect("codex"), hook(kind), false, at(i));
        }
        channels.note(3, dialect("cline"), numbered, false, at(i));
        CHECK(channels.find(1)->lacks_batches() == (i >= 31));
    }
    CHECK_FALSE(channels.find(2)->lacks_batches());
    CHECK_FALSE(channels.find(3)->lacks_batches());
    channels.note(1, dialect("claude"), hook(HookKind::kBatch), false, at(50));
    CHECK_FALSE(channels.find(1)->lacks_batches());
}

TEST_CASE("hook channels: the neutral form says whose hooks they are", "[server]") {
    HookChannels channels;
    channels.note(1, dialect("generic"), hook(HookKind::kStart, "opencode"), false, at(1));
    channels.note(2, dialect("generic"), hook(HookKind::kStart), false, at(1));
    CHECK(channels.find(1)->adapter == "opencode");
    CHECK(channels.find(2)->adapter == "generic");
}

TEST_CASE("hook channels: the one that was not heard for longest gives way", "[server]") {
    HookChannels channels;
    const auto most = static_cast<storage::SessionKey>(HookChannels::kChannelsMax);
    for (storage::SessionKey key = 1; key <= most; ++key)
        channels.note(key, dialect("codex"), hook(HookKind::kStart), false, at(key));
    channels.note(1, dialect("codex"), hook(HookKind::kPrompt), false, at(most + 1));
    channels.note(most + 1, dialect("codex"), hook(HookKind::kStart), false, at(most + 2));
    CHECK(channels.find(1) != nullptr);
    CHECK(channels.find(2) == nullptr);
    CHECK(channels.find(most + 1) != nullptr);
}
