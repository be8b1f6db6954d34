// SPDX-License-Identifier: Apache-2.0
#include "server/engine/cluster/cluster.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/postgres_daemon.hpp"

using namespace headway::server;
using namespace headway::tests;

TEST_CASE("cluster: a stream goes on at a daemon that had not heard of its position", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    two.stream({});
    one.report("s", {beat_with_id("a"), beat_with_id("b")});
    const std::int64_t head = one.stream({}).head;
    REQUIRE(head >= 3);
    const StreamReply reply = two.stream(head);
    CHECK(reply.reset.empty());
    CHECK(reply.from == head);
    CHECK(reply.events.empty());
    CHECK(reply.caught_up);
    // It has published them on the way, to those who follow it.
    REQUIRE(two.events.size() == static_cast<std::size_t>(head));
    CHECK(two.events.back().cursor == head);
    one.report("s", {beat_with_id("c")});
    const std::int64_t newest = one.stream({}).head;
    CHECK(two.stream(newest).reset.empty());
    CHECK(two.events.size() == static_cast<std::size_t>(newest));
    CHECK_FALSE(two.stream(std::numeric_limits<std::int64_t>::max() / 4).reset.empty());
}

TEST_CASE("cluster: daemons that report to one session in turn continue each other", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    const auto first = one.report("s", {beat_with_id("a")});
    const auto second = two.report("s", {beat_with_id("b"), beat_with_id("a")});
    REQUIRE(second.size() == 2);
    CHECK(second[0] > first[0]);
    CHECK(second[1] == first[0]);  // a duplicate
    CHECK(one.report("s", {beat_with_id("b")}) == std::vector{second[0]});
    CHECK(one.report("s", {beat_with_id("c")})[0] > second[0]);
}

TEST_CASE(
    "cluster: a daemon says that another one has deleted a session, also when its id is used "
    "again",
    "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    one.report("s", {beat_with_id("a"), ended(core::Outcome::kCompleted)});
    two.ask(StreamQuery{"s", 0});
    one.ask(ForgetCommand{"s"});
    const auto sessions = [&] { return here.number("SELECT count(*) FROM session"); };
    for (int steps = 0; steps < 20 && sessions() > 0; ++steps)
        one.upkeep();
    REQUIRE(sessions() == 0);
    CHECK(two.deleted.empty());
    SECTION("to who asks for it") {
        CHECK(code_of(two.try_ask(StreamQuery{"s", 0})) == core::ErrorCode::kUnknownSession);
        CHECK(two.deleted == std::vector<std::string>{"s"});
        CHECK(two.replaced.empty());
    }
    SECTION("when it follows the next one's first event") {
        one.report("s", {beat_with_id("a")});
        two.stream(one.stream({}).head);
        CHECK(two.replaced == std::vector<std::string>{"s"});
    }
    SECTION("when it writes to the next one") {
        one.report("s", {beat_with_id("a")});
        two.report("s", {beat_with_id("b")});
        CHECK(two.replaced == std::vector<std::string>{"s"});
    }
}

TEST_CASE("cluster: a daemon that knows a commit before it follows says so to those who wait",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    const auto ask = [&two](const Command& command) {  // while no stream is open
        std::vector<Request> requests;
        requests.push_back(command.request({0, 1}));
        two.replies().clear();
        two.run(std::move(requests));
        two.turn_until_answered();
    };
    one.report("s", {beat_with_id("a")});
    ask(StreamQuery{{}, one.stream({}).head});
    if (GENERATE(false, true)) two.report("s", {beat_with_id("b")});  // has it in memory
    ask(StreamQuery{{}, one.stream({}).head});
    two.views.clear();
    two.followed = false;
    one.report("s", {ended(core::Outcome::kCompleted)});
    ask(SessionQuery{"s"});
    ask(StreamQuery{{}, one.stream({}).head});
    CHECK(two.followed);
    CHECK(std::any_of(two.views.begin(), two.views.end(),
                      [](const core::SessionView& view) { return view.ended; }));
}
