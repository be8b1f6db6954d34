// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Messages, plans, sleeps and heartbeats without work (docs/detection.md, section 13).

using namespace headway::tests::catalogue;
using headway::core::Verdict;

TEST_CASE("S22: a plan that is rewritten with nothing done is stuck") {
    Agent agent{each_hook()};
    SECTION("by a tool") {
        for (int i = 0; i < 12; ++i) {
            agent.does(
                call(
                    "update_plan",
                    with(
                        R"({"plan":[{"step":"Look at the failing test, draft {}","status":"pending"}]})",
                        i))
                    .result("Plan updated"));
        }
    }
    SECTION("by events") {
        for (int i = 0; i < 12; ++i) {
            agent.passes(std::chrono::seconds{4});
            agent.reports("plan.updated",
                          with(R"({"text":"Look at the failing test, draft {}"})", i));
        }
    }
    expect_stuck(agent);
}

TEST_CASE("S23: sleeping with nothing in flight is stuck") {
    Agent agent{each_hook()};
    agent.does(read_file("README.md").result(source_of("readme")));
    for (int i = 0; i < 40; ++i)
        agent.does(bash("sleep 30"));
    expect_stuck(agent);
}

TEST_CASE("S31: ten compactions without an action are stuck") {
    Agent agent{each_hook()};
    agent.does(read_file("README.md").result(source_of("readme")));
    for (int i = 0; i < 10; ++i) {
        agent.passes(std::chrono::seconds{8});
        agent.reports("compacted",
                      R"({"trigger":"auto","tokens_before":199000,"tokens_after":196000})");
    }
    expect_stuck(agent);
}

TEST_CASE("S32: heartbeats that only count themselves are stuck") {
    Agent agent{each_hook()};
    agent.reports("phase.started", R"({"name":"implementation"})");
    agent.does(read_file("README.md").result(source_of("readme")));
    for (int beat = 1; beat <= 20; ++beat)
        agent.beats(with(R"({"phase":"implementation","iteration":{},"last_event":3})", beat));
    expect_stuck(agent);
}

TEST_CASE("S33: a working agent is alive regardless of its heartbeat's content") {
    Agent agent{each_hook()};
    for (int step = 0; step < 15; ++step) {
        agent.beats(R"({"phase":"starting","iteration":0,"note":"starting"})");
        agent.does(edit(with("src/unit_{}.cpp", step), "NULL", "nullptr"));
        agent.does(bash("make test").result(pytest_green(40 + step)));
    }
    expect_progress(agent);
    CHECK(agent.verdict() == Verdict::kProgressing);
}

TEST_CASE("S34: a patrol loop that has stopped or idles for hours is stuck") {
    Agent agent{each_hook()};
    agent.does(call("list_queue", R"({"queue":"merge"})").answers("[]"));
    SECTION("its loop stands still") {
        for (int beat = 1; beat <= 14 * 360; ++beat)
            agent.beats(R"({"phase":"asleep","iteration":88})");
    }
    SECTION("its loop runs and does nothing") {
        for (int beat = 1; beat <= 14 * 360; ++beat)
            agent.beats(with(R"({"phase":"asleep","iteration":{}})", 88 + beat));
    }
    expect_stuck(agent);
}

TEST_CASE("S38: repeated thoughts without an action are stuck") {
    Agent agent{each_hook()};
    SECTION("the same thought in every message") {
        for (int i = 0; i < 8; ++i)
            agent.says(
                "Wait, I should check whether the cache is invalidated before the write. Let me "
                "think about it.");
    }
    SECTION("the same thought within one message") {
        agent.says("Let me think about the cache. " +
                   repeated("Wait, the write could come before the invalidation, so no. ", 40));
    }
    expect_stuck(agent);
}

TEST_CASE("S39: one word thousands of times is stuck") {
    Agent agent{each_hook()};
    agent.says("The contract is subject to the jurisdiction of the " + repeated("court ", 14'645));
    expect_stuck(agent);
}

TEST_CASE("S40: turns of nothing but reasoning up to the token limit are stuck") {
    Agent agent{each_hook()};
    for (int i = 0; i < 3; ++i) {
        agent.passes(std::chrono::seconds{15});
        agent.reports(
            "error.reported",
            R"({"message":"the response reached max_tokens before any content","class":"max_tokens"})");
    }
    expect_stuck(agent);
}

TEST_CASE("S41: one thought in varying words is suspect") {
    Agent agent{each_hook()};
    agent.says(
        "I need to look at the database configuration before I can change the connection pool "
        "size.");
    agent.says(
        "I need to look at the database configuration before I change the size of the connection "
        "pool.");
    agent.says(
        "Before I can change the connection pool size I need to look at the database "
        "configuration.");
    agent.says(
        "I need to look at the database configuration first, before I can change the connection "
        "pool size.");
    agent.says(
        "I still need to look at the database configuration before I can change the connection "
        "pool size.");
    agent.says(
        "So I need to look at the database configuration before I can change the connection pool "
        "size.");
    expect_suspect(agent);
    CHECK(agent.count(Verdict::kProgressing) == 0);
}

TEST_CASE("S45: a plateau of estimates at 95 % without work is suspect, never progress") {
    Agent agent{each_hook()};
    for (const char file : std::string_view{"abcde"})
        agent.does(read_file(std::string{file} + ".py").result(source_of({&file, 1})));
    const auto estimate = [&] {
        agent.passes(std::chrono::seconds{5});
        agent.reports("progress.estimated", R"({"percent":95,"reasoning":"nearly there"})");
    };
    SECTION("nothing else happens") {
        for (int i = 0; i < 5; ++i)
            estimate();
    }
    SECTION("known files are read again") {
        for (const char file : std::string_view{"caebd"}) {
            agent.does(read_file(std::string{file} + ".py").result(source_of({&file, 1})));
            estimate();
        }
    }
    expect_suspect(agent);
    CHECK(agent.count(Verdict::kProgressing) == 0);
}

TEST_CASE("one text in ever more new files is no progress, by its arguments or by its digest") {
    Agent agent{each_hook()};
    for (int copy = 0; copy < 90; ++copy)
        agent.does(write_file(with("src/fix_{}.py", copy), "print(1)\n"));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a turn with words ends a row of silent ones, and no row of those that were cut off") {
    Agent chat;
    Agent cut;
    for (int turn = 0; turn < 12; ++turn) {
        chat.says("").says(with("The answer is {}.", turn));
        cut.says(with("This is part {} of", turn));
        cut.reports("error.reported", R"({"message":"cut off","class":"max_tokens"})");
    }
    INFO(chat.trace());
    CHECK_FALSE(chat.ever(Verdict::kSuspect));
    CHECK(cut.ever(Verdict::kSuspect));
}
