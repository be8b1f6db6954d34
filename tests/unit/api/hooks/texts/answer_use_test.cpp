// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/answer_use.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace headway;
using namespace headway::api::hooks;

TEST_CASE("answer use: items are read in their order", "[api]") {
    const auto uses = read_answer_uses(
        "msg_1;2026-11-24T02:24:48.732Z;137;20,resp-2:b.c;2026-11-24T02:24:49Z;0;1");
    REQUIRE(uses.size() == 2);
    CHECK(uses[0].id == "msg_1");
    CHECK(uses[0].usage.input_tokens == 137);
    CHECK(uses[0].usage.output_tokens == 20);
    CHECK(uses[1].id == "resp-2:b.c");
    CHECK(uses[1].at - uses[0].at == core::Millis{268});
}

TEST_CASE("answer use: what is no item is left out, and the others are kept", "[api]") {
    const std::string good = "a;2026-11-24T02:24:48Z;1;2";
    for (const std::string bad :
         {"", ";2026-11-24T02:24:48Z;1;2", "a;yesterday;1;2", "a;2026-11-24T02:24:48Z;-1;2",
          "a;2026-11-24T02:24:48Z;1", "a;2026-11-24T02:24:48Z;1;2;3",
          "a;2026-11-24T02:24:48Z;1;2;3;0;0;m;x", "a;2026-11-24T02:24:48Z;1;2;2;0;0;m",
          "a;2026-11-24T02:24:48Z;1;2;0;0;3;m", "a;2026-11-24T02:24:48Z;;",
          "a;2026-11-24T02:24:48Z;1;1000000000001", "a;2026-11-24T02:24:48Z;1;2x",
          "\xff;2026-11-24T02:24:48Z;1;2", "a;2026-11-24T02:24:48Z;1;2;0;0;0;m\xc3"}) {
        CHECK(read_answer_uses(bad).empty());
        CHECK(read_answer_uses(bad + "," + good + "," + bad).size() == 1);
    }
    CHECK(read_answer_uses(std::string(65, 'a') + ";2026-11-24T02:24:48Z;1;2").empty());
}

TEST_CASE("answer use: at most 32 items are read", "[api]") {
    std::string header;
    for (int i = 0; i < 100; ++i)
        header += "a" + std::to_string(i) + ";2026-11-24T02:24:48Z;1;2,";
    CHECK(read_answer_uses(header).size() == kAnswerUsesMax);
}

TEST_CASE("answer use: the parts of an item do not overlap once they are read", "[api]") {
    const auto uses =
        read_answer_uses("@2026-11-24T02:30:00Z,m;2026-11-24T02:24:48Z;137;20;30;7;5;claude-x[1m]");
    REQUIRE(uses.size() == 1);
    CHECK(uses[0].usage.input_tokens == 100);
    CHECK(uses[0].usage.cached_tokens == 30);
    CHECK(uses[0].usage.cache_write_tokens == 7);
    CHECK(uses[0].usage.output_tokens == 15);
    CHECK(uses[0].usage.reasoning_tokens == 5);
    CHECK(uses[0].usage.model == "claude-x[1m]");
}

TEST_CASE("answer use: the agent's clock comes first, or is the time of its last answer", "[api]") {
    const std::string items = "a;2026-11-24T02:24:48Z;1;2,b;2026-11-24T02:24:50Z;1;2";
    CHECK(answer_clock(items) == read_answer_uses(items).back().at);
    CHECK(answer_clock("@2026-11-24T02:25:00Z," + items) - answer_clock(items) ==
          headway::core::Millis{10'000});
    CHECK(answer_clock("@never," + items) == answer_clock(items));
    CHECK(answer_clock("") == headway::core::kNever);
}
