// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/background.hpp"

#include <catch2/catch.hpp>

using headway::api::hooks::is_made_prompt;

TEST_CASE("A prompt that a platform makes wakes the agent, and is no person's", "[api][hooks]") {
    CHECK(is_made_prompt("Read HEARTBEAT.md if it exists (workspace context). Follow it."));
    CHECK(is_made_prompt("  <task-notification>a build has ended"));
}

TEST_CASE("A person's prompt about the same words stays a person's", "[api][hooks]") {
    CHECK_FALSE(is_made_prompt("Read HEARTBEAT.md and fix its typos"));
    CHECK_FALSE(is_made_prompt("Why do I get <task-notification>?"));
    CHECK_FALSE(is_made_prompt(""));
}
