// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/wait_table.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::server;
using headway::core::kNever;
using headway::tests::at;

namespace {

using Table = WaitTable<std::string>;
using Places = std::vector<Table::Place>;

const Table::Place kFirst{1, 1};
const Table::Place kSecond{1, 2};
const Table::Place kOther{2, 1};

void none(const Table::Place&, const headway::core::Error&) {
    FAIL("a place was given up");
}

}  // namespace

TEST_CASE("wait table: a reply is found by each of its subjects, though one is named twice",
          "[server]") {
    Table table;
    table.add(kFirst, {"a", "b", "a"}, "first");
    table.add(kOther, {"a"}, "other");
    CHECK(table.waiting_for("a") == Places{kFirst, kOther});
    CHECK(table.waiting_for("b") == Places{kFirst});
    CHECK(table.waiting_for("c").empty());
    table.remove(kFirst);
    CHECK(table.waiting_for("a") == Places{kOther});
    CHECK(table.waiting_for("b").empty());
    CHECK(table.find(kFirst) == nullptr);
    CHECK(table.size() == 1);
}

TEST_CASE("wait table: a reply waits for its newest subjects only", "[server]") {
    Table table;
    table.add(kFirst, {"a"}, "first");
    table.wait_for(kFirst, {"b"});
    CHECK(table.waiting_for("a").empty());
    CHECK(table.waiting_for("b") == Places{kFirst});
    CHECK(table.at(kFirst) == "first");
}

TEST_CASE("wait table: replies of one connection are found, and of no other", "[server]") {
    Table table;
    table.add(kSecond, {}, "second");
    table.add(kFirst, {}, "first");
    table.add(kOther, {}, "other");
    CHECK(table.of_connection(1) == Places{kFirst, kSecond});
    CHECK(table.of_connection(3).empty());
    CHECK(table.all() == Places{kFirst, kSecond, kOther});
}

TEST_CASE("wait table: replies are due at their newest time", "[server]") {
    Table table;
    CHECK(table.next_due() == kNever);
    table.add(kFirst, {}, "first");
    table.add(kSecond, {}, "second");
    table.add(kOther, {}, "other");
    table.look_at(kFirst, at(30));
    table.look_at(kSecond, at(20));
    CHECK(table.next_due() == at(20));
    CHECK(table.due(at(20)) == Places{kSecond});
    CHECK(table.due(kNever) == Places{kSecond, kFirst});
    table.look_at(kFirst, at(10));
    CHECK(table.next_look_at(kFirst) == at(10));
    CHECK(table.due(at(19)) == Places{kFirst});
    table.look_at(kFirst, kNever);
    table.remove(kSecond);
    CHECK(table.next_due() == kNever);
    CHECK(table.due(kNever).empty());
}

TEST_CASE("wait table: a full one refuses and says to try again", "[server]") {
    Table table;
    for (std::uint64_t slot = 0; slot < headway::core::limits::kWaitersMax; ++slot) {
        REQUIRE(table.make_room("a", 1, none));
        table.add({1, slot}, {}, {}, "a");
    }
    CHECK(table.full());
    const auto room = table.make_room("a", 1, none);
    REQUIRE_FALSE(room);
    CHECK(room.error().code == headway::core::ErrorCode::kOverloaded);
}

TEST_CASE("wait table: the subjects of all replies are bounded, and who waits for most gives way",
          "[server]") {
    Table table;
    const std::vector<std::string> hundred(100, "s");
    Places gone;
    const auto give_up = [&](const Table::Place& place, const headway::core::Error&) {
        gone.push_back(place);
        table.remove(place);
    };
    for (std::uint64_t slot = 0; slot < Table::kSubjectsMax / 100; ++slot) {
        REQUIRE(table.make_room("greedy", 100, give_up));
        table.add({1, slot}, hundred, {}, "greedy");
    }
    CHECK_FALSE(table.make_room("greedy", 1, give_up));
    CHECK(gone.empty());
    REQUIRE(table.make_room("other", 100, give_up));
    CHECK(gone == Places{{1, Table::kSubjectsMax / 100 - 1}});
}

TEST_CASE("wait table: no reply is given up for one that finds no room all the same", "[server]") {
    Table table;
    const std::vector<std::string> hundred(100, "s");
    for (std::uint64_t slot = 0; slot < Table::kSubjectsMax / 100; ++slot)
        table.add({1, slot}, hundred, {}, "caller " + std::to_string(slot));
    CHECK_FALSE(table.make_room("other", 1, none));  // none would keep as much
    CHECK_FALSE(table.make_room("other", 100, none));
}

TEST_CASE("wait table: a wait with many subjects takes no room from one with few", "[server]") {
    Table table;
    std::uint64_t slot = 0;
    for (; slot < headway::core::limits::kWaitersMax - 2; ++slot)
        table.add({1, slot}, {"s"}, {}, "agents");
    const std::vector<std::string> hundred(100, "s");
    table.add({2, 0}, hundred, {}, "person");
    table.add({2, 1}, hundred, {}, "person");
    Places gone;
    const auto give_up = [&](const Table::Place& place, const headway::core::Error&) {
        gone.push_back(place);
        table.remove(place);
    };
    REQUIRE(table.make_room("person", 100, give_up));
    CHECK(gone == Places{{1, slot - 1}});  // the table is full of replies, and not of subjects
}
