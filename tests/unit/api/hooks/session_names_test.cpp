// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/session_names.hpp"

#include <catch2/catch.hpp>

#include "api/decode/decode.hpp"

using namespace headway::api;

TEST_CASE("session names: an id that a session may have is kept, any other is a digest", "[api]") {
    CHECK(hooks::agent_session("claude", "0a1b-2c") == "claude-0a1b-2c");
    for (const std::string& native : {std::string("../../etc"), std::string("a b"),
                                      std::string("\xff"), std::string(500, 'x')}) {
        const std::string id = hooks::agent_session("claude", native);
        CHECK(valid_id(id));
        CHECK(id.starts_with("claude-h"));
        CHECK(id == hooks::agent_session("claude", native));
    }
    CHECK(hooks::agent_session("claude", "a b") != hooks::agent_session("claude", "a  b"));
}

TEST_CASE("session names: a sub-agent stays in the scope of its parent's token", "[api]") {
    CHECK(hooks::child_session("claude-1", "sub") == "claude-1.sub");
    const std::string parent = "claude-" + std::string(110, 'p');
    for (const std::string& agent : {std::string(200, 'a'), std::string("a/b")}) {
        const std::string id = hooks::child_session(parent, agent);
        CHECK(valid_id(id));
        CHECK(id.starts_with("claude-ppp"));
        CHECK(id != hooks::child_session(parent, agent + "x"));
    }
}
