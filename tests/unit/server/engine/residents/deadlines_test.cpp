// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/deadlines.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::server;
using headway::core::kNever;
using headway::tests::at;

TEST_CASE("deadlines: keys come due in the order of their time", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, at(30));
    deadlines.schedule(2, at(10));
    deadlines.schedule(3, at(20));
    CHECK(deadlines.next() == at(10));
    CHECK(deadlines.pop_due(at(9)) == std::nullopt);
    CHECK(deadlines.pop_due(at(20)) == 2);
    CHECK(deadlines.pop_due(at(20)) == 3);
    CHECK(deadlines.pop_due(at(20)) == std::nullopt);
    CHECK(deadlines.next() == at(30));
}

TEST_CASE("deadlines: never is no deadline", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, kNever);
    CHECK(deadlines.next() == std::nullopt);
    CHECK(deadlines.pop_due(at(1'000'000)) == std::nullopt);
}

TEST_CASE("deadlines: an earlier one takes over and fires once", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, at(30));
    deadlines.schedule(1, at(10));
    CHECK(deadlines.pop_due(at(10)) == 1);
    CHECK(deadlines.pop_due(at(1'000)) == std::nullopt);
}

TEST_CASE("deadlines: a later one is not pushed, the entry fires early", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, at(10));
    deadlines.schedule(1, at(30));
    CHECK(deadlines.pop_due(at(10)) == 1);
    CHECK(deadlines.pop_due(at(1'000)) == std::nullopt);
}

TEST_CASE("deadlines: after it fired a key can be scheduled at a superseded time", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, at(30));
    deadlines.schedule(1, at(10));
    CHECK(deadlines.pop_due(at(10)) == 1);
    deadlines.schedule(1, at(30));
    CHECK(deadlines.pop_due(at(30)) == 1);
    CHECK(deadlines.pop_due(at(30)) == std::nullopt);
}

TEST_CASE("deadlines: a heap of thousands of moves gives each key once", "[server]") {
    Deadlines deadlines;
    for (int round = 0; round < 20; ++round) {
        for (int key = 1; key <= 100; ++key)
            deadlines.schedule(key, at(10'000 - round * 100 + key));
    }
    int fired = 0;
    while (deadlines.pop_due(at(100'000)))
        ++fired;
    CHECK(fired == 100);
}

TEST_CASE("deadlines: cleared is empty", "[server]") {
    Deadlines deadlines;
    deadlines.schedule(1, at(10));
    deadlines.clear();
    CHECK(deadlines.next() == std::nullopt);
    deadlines.schedule(1, at(20));
    CHECK(deadlines.pop_due(at(20)) == 1);
}
