// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/fair_queue.hpp"

#include <catch2/catch.hpp>

using namespace headway::server;

namespace {

std::vector<int> drained(FairQueue<int>& queue) {
    std::vector<int> order;
    while (const auto item = queue.pop())
        order.push_back(*item);
    return order;
}

}  // namespace

TEST_CASE("fair queue: one session after the other, in order within each", "[server]") {
    FairQueue<int> queue;
    for (const int item : {11, 12, 13, 14})
        queue.push_back("busy", item);
    queue.push_back("b", 21);
    queue.push_back("c", 31);
    queue.push_back("b", 22);
    CHECK(queue.size() == 7);
    CHECK(drained(queue) == std::vector{11, 21, 31, 12, 22, 13, 14});
    CHECK(queue.empty());
    CHECK_FALSE(queue.pop().has_value());
}

TEST_CASE("fair queue: a session that comes back is served after those that wait", "[server]") {
    FairQueue<int> queue;
    queue.push_back("a", 11);
    queue.push_back("b", 21);
    CHECK(queue.pop() == 11);
    queue.push_back("a", 12);
    CHECK(drained(queue) == std::vector{21, 12});
}

TEST_CASE("fair queue: what is tried again comes before the session's others", "[server]") {
    FairQueue<int> queue;
    queue.push_back("a", 11);
    queue.push_back("a", 12);
    queue.push_back("b", 21);
    CHECK(queue.pop() == 11);
    queue.push_front("a", 11);
    CHECK(drained(queue) == std::vector{21, 11, 12});
    queue.push_front("a", 11);
    CHECK(drained(queue) == std::vector{11});
}

TEST_CASE("fair queue: all of one session can be taken", "[server]") {
    FairQueue<int> queue;
    queue.push_back("a", 11);
    queue.push_back("b", 21);
    queue.push_back("a", 12);
    CHECK(queue.take("a") == std::vector{11, 12});
    CHECK(queue.take("a").empty());
    CHECK(queue.take("unknown").empty());
    CHECK(queue.size() == 1);
    queue.push_back("a", 13);
    CHECK(drained(queue) == std::vector{21, 13});
}
