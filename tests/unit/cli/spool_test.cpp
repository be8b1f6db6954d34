#include "cli/spool.hpp"

#include <catch2/catch.hpp>

using headway::cli::Spool;
using nlohmann::json;

TEST_CASE("spool: events keep their order and their id until they are confirmed", "[cli]") {
    Spool spool("run-x");
    spool.add("tool.started", {{"call_id", "run"}});
    spool.add("heartbeat", json::object());
    const json first = spool.batch();
    REQUIRE(first.size() == 2);
    CHECK(first[0]["event_id"] == "run-x-1");
    CHECK(first[1]["type"] == "heartbeat");
    spool.add("message", json::object());
    CHECK(spool.batch() == first);  // a retry sends the same
    spool.confirm();
    const json second = spool.batch();
    REQUIRE(second.size() == 1);
    CHECK(second[0]["event_id"] == "run-x-3");
}

TEST_CASE("spool: batches are bounded", "[cli]") {
    Spool spool("p");
    for (std::size_t i = 0; i < Spool::kBatchMax + 1; ++i)
        spool.add("message", json::object());
    CHECK(spool.batch().size() == Spool::kBatchMax);
    spool.confirm();
    CHECK(spool.batch().size() == 1);
}

TEST_CASE("spool: full, it gives up heartbeats first and never what is on its way", "[cli]") {
    Spool spool("p");
    spool.add("heartbeat", json::object());
    static_cast<void>(spool.batch());
    spool.add("tool.started", json::object());
    spool.add("heartbeat", json::object());
    while (spool.size() < Spool::kEventsMax)
        spool.add("message", json::object());
    spool.add("tool.finished", json::object());
    CHECK(spool.size() == Spool::kEventsMax);
    CHECK(spool.dropped() == 1);
    spool.add("message", json::object());
    CHECK(spool.dropped() == 2);
    CHECK(spool.batch()[0]["event_id"] == "p-1");
    spool.confirm();
    const json next = spool.batch();
    CHECK(next[0]["type"] == "tool.started");
    CHECK(next[1]["event_id"] == "p-5");  // 3 was a heartbeat, 4 the oldest message
}
