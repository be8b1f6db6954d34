// SPDX-License-Identifier: Apache-2.0
#include "cli/run/spool.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using headway::cli::Json;
using headway::cli::Spool;
using headway::tests::parsed;

namespace {

Json batch_of(Spool& spool) {
    return parsed(spool.batch());
}

}  // namespace

TEST_CASE("spool: events keep their order and their id until they are confirmed", "[cli]") {
    Spool spool("run-x");
    spool.add("tool.started", {{"call_id", "run"}});
    spool.add("heartbeat", Json::object());
    const Json first = batch_of(spool);
    REQUIRE(first.size() == 2);
    CHECK(first[0]["event_id"] == "run-x-1");
    CHECK(first[1]["type"] == "heartbeat");
    spool.add("message", Json::object());
    CHECK(batch_of(spool) == first);  // a retry sends the same
    spool.confirm();
    const Json second = batch_of(spool);
    REQUIRE(second.size() == 1);
    CHECK(second[0]["event_id"] == "run-x-3");
}

TEST_CASE("spool: an event with an author has an id that begins with it", "[cli]") {
    Spool spool("run-x");
    spool.add("message", Json::object());
    spool.add_as("keep-going-", "message", Json::object());
    CHECK(batch_of(spool)[0]["event_id"] == "run-x-1");
    CHECK(batch_of(spool)[1]["event_id"] == "keep-going-run-x-2");
}

TEST_CASE("spool: batches are bounded", "[cli]") {
    Spool spool("p");
    for (std::size_t i = 0; i < Spool::kBatchMax + 1; ++i)
        spool.add("message", Json::object());
    CHECK(batch_of(spool).size() == Spool::kBatchMax);
    spool.confirm();
    CHECK(batch_of(spool).size() == 1);
}

TEST_CASE("spool: full, it gives up heartbeats first and never what is on its way", "[cli]") {
    Spool spool("p");
    spool.add("heartbeat", Json::object());
    static_cast<void>(spool.batch());
    spool.add("tool.started", Json::object());
    spool.add("heartbeat", Json::object());
    while (spool.size() < Spool::kEventsMax)
        spool.add("message", Json::object());
    spool.add("tool.finished", Json::object());
    CHECK(spool.size() == Spool::kEventsMax);
    CHECK(spool.dropped() == 1);
    spool.add("message", Json::object());
    CHECK(spool.dropped() == 2);
    CHECK(batch_of(spool)[0]["event_id"] == "p-1");
    spool.confirm();
    const Json next = batch_of(spool);
    CHECK(next[0]["type"] == "tool.started");
    CHECK(next[1]["event_id"] == "p-5");  // 3 was a heartbeat, 4 the oldest message
}

TEST_CASE("spool: full of calls, the oldest goes, and figures stay", "[cli]") {
    Spool spool("p");
    spool.add("heartbeat", {{"usage", {{"tokens", 1}}}});
    while (spool.size() < Spool::kEventsMax)
        spool.add("tool.finished", Json::object());
    spool.add("heartbeat", Json::object());
    const Json batch = batch_of(spool);
    CHECK(batch[0]["event_id"] == "p-1");
    CHECK(batch[1]["event_id"] == "p-3");
    CHECK(spool.size() == Spool::kEventsMax);
}

TEST_CASE("spool: full of figures, they become sums, and no call goes", "[cli]") {
    Spool spool("p");
    spool.add("tool.finished", Json::object());
    while (spool.size() < Spool::kEventsMax)
        spool.add("heartbeat", {{"usage", {{"input_tokens", 1}}}});
    spool.add("tool.finished", Json::object());
    const Json batch = batch_of(spool);
    CHECK(batch[0]["event_id"] == "p-1");
    CHECK(batch[1]["data"]["usage"]["input_tokens"] == 2);
    CHECK(spool.size() == Spool::kEventsMax);
    CHECK(spool.dropped() == 0);
}

TEST_CASE("spool: a batch of long events stays under the body limit", "[cli]") {
    Spool spool("p");
    for (int i = 0; i < 10; ++i)
        spool.add("message", {{"text", std::string(200'000, 'x')}});
    CHECK(batch_of(spool).size() == 2);
    spool.confirm();
    CHECK(batch_of(spool)[0]["event_id"] == "p-3");
}

TEST_CASE("spool: a refused batch goes again one by one, so that one event is lost alone",
          "[cli]") {
    Spool spool("p");
    for (int i = 0; i < 3; ++i)
        spool.add("message", Json::object());
    CHECK(batch_of(spool).size() == 3);
    REQUIRE(spool.narrow());
    spool.add("message", Json::object());
    for (const char* id : {"p-1", "p-2", "p-3"}) {
        const Json alone = batch_of(spool);
        REQUIRE(alone.size() == 1);
        CHECK(alone[0]["event_id"] == id);
        CHECK_FALSE(spool.narrow());
        spool.confirm();
    }
    spool.add("message", Json::object());
    CHECK(batch_of(spool).size() == 2);
}

TEST_CASE("spool: what hooks may tell is taken out, but for what is on its way", "[cli]") {
    Spool spool("p");
    spool.add("tool.started", {{"call_id", "a"}}, true);
    static_cast<void>(spool.batch());
    spool.add("tool.finished", {{"call_id", "a"}}, true, true);
    spool.add("heartbeat", Json::object());
    CHECK(spool.has_told());
    const auto told = spool.take_told();
    REQUIRE(told.size() == 1);
    CHECK(told[0].type == "tool.finished");
    CHECK(told[0].data.text_of("call_id") == "a");
    CHECK(told[0].other_ids);
    CHECK(spool.size() == 2);
    spool.confirm();
    CHECK_FALSE(spool.has_told());
    CHECK(batch_of(spool)[0]["type"] == "heartbeat");
}

TEST_CASE("spool: it tells which calls wait", "[cli]") {
    Spool spool("p");
    spool.add("tool.started", {{"call_id", "a"}});
    CHECK(spool.names_call("a"));
    CHECK_FALSE(spool.names_call("b"));
    static_cast<void>(spool.batch());
    CHECK(spool.names_call("a"));
    spool.confirm();
    CHECK_FALSE(spool.names_call("a"));
}

TEST_CASE("spool: in a next generation the ends of calls of the one before are dropped", "[cli]") {
    Spool spool("run-x");
    spool.add("tool.finished", {{"call_id", "before"}});
    spool.add("heartbeat", {{"usage", {{"tokens", 5}}}});
    spool.add("tool.started", {{"call_id", "own"}});
    spool.add("tool.finished", {{"call_id", "own"}});
    REQUIRE(batch_of(spool).size() == 4);
    spool.drop_ends_of_earlier_calls();
    const Json rest = batch_of(spool);
    REQUIRE(rest.size() == 3);
    CHECK(rest[0]["type"] == "heartbeat");
    CHECK(rest[2]["data"]["call_id"] == "own");
    spool.confirm();
    CHECK(spool.size() == 0);
}
