// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

Timestamp outbox_time(std::int64_t ms) {
    return Timestamp{Millis{ms}};
}

OutboxMessage message_for(const std::string& id, std::int64_t due_at,
                          const std::string& endpoint = "ops") {
    OutboxMessage message;
    message.endpoint = endpoint;
    message.id = id;
    message.type = "session.ended";
    message.session = "s";
    message.n = 7;
    message.at = outbox_time(1);
    message.due_at = outbox_time(due_at);
    message.body = "{\"of\":\"" + id + "\"}";
    return message;
}

struct Box {
    TablePlace dir;
    std::unique_ptr<TableStore> store;

    Box() { reopen(); }
    void reopen() {
        store.reset();
        store = dir.open();
    }
    std::vector<std::string> ids(bool dead, const std::string& endpoint = "ops") {
        std::vector<std::string> found;
        for (const OutboxMessage& one :
             store->outbox().list_messages(endpoint, dead, 0, 100).value())
            found.push_back(one.id);
        return found;
    }
    OutboxMessage next(std::int64_t now) {
        const auto found = store->outbox().next_message("ops", outbox_time(now)).value();
        REQUIRE(found.has_value());
        return *found;
    }
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("outbox: a message comes back whole, also after a restart", "[storage]") {
    Box box;
    OutboxMessage sent = message_for("m1", 10);
    sent.tries = 2;
    sent.tried_at = outbox_time(9);
    sent.away = true;
    sent.reason = "HTTP 500";
    require_ok(box.store->outbox().add_message(sent));
    box.reopen();
    const OutboxMessage back = box.next(10);
    CHECK(back.row > 0);
    CHECK(back.endpoint == "ops");
    CHECK(back.id == "m1");
    CHECK(back.type == "session.ended");
    CHECK(back.session == "s");
    CHECK(back.n == 7);
    CHECK(back.at == outbox_time(1));
    CHECK(back.tries == 2);
    CHECK(back.due_at == outbox_time(10));
    CHECK(back.tried_at == outbox_time(9));
    CHECK(back.dead_at == kNever);
    CHECK(back.away);
    CHECK(back.reason == "HTTP 500");
    CHECK(back.body == sent.body);
}

TEST_CASE("outbox: the oldest that is due is next, of its own endpoint", "[storage]") {
    Box box;
    require_ok(box.store->outbox().add_message(message_for("other", 1, "night")));
    require_ok(box.store->outbox().add_message(message_for("late", 50)));
    require_ok(box.store->outbox().add_message(message_for("first", 20)));
    require_ok(box.store->outbox().add_message(message_for("second", 10)));
    CHECK(box.store->outbox().next_due("ops").value() == outbox_time(10));
    CHECK(box.store->outbox().next_due("missing").value() == kNever);
    CHECK_FALSE(box.store->outbox().next_message("ops", outbox_time(9)).value().has_value());
    CHECK(box.next(10).id == "second");
    CHECK(box.next(20).id == "first");
    CHECK(box.next(99).id == "late");
    CHECK(box.ids(false) == Ids{"late", "first", "second"});
}

TEST_CASE("outbox: those that are due come in order, within bounds", "[storage]") {
    Box box;
    const auto due = [&box](std::int64_t until, std::size_t limit, std::size_t bytes_max) {
        Ids ids;
        for (const OutboxMessage& one :
             box.store->outbox().due_messages("ops", outbox_time(until), limit, bytes_max).value())
            ids.push_back(one.id);
        return ids;
    };
    for (OutboxMessage message : {message_for("m1", 20), message_for("m2", 10),
                                  message_for("m3", 30), message_for("m4", 10, "other")})
        require_ok(box.store->outbox().add_message(message));
    OutboxMessage dead = message_for("m5", 10);
    dead.dead_at = outbox_time(5);
    require_ok(box.store->outbox().add_message(dead));
    CHECK(due(9, 10, 1'000).empty());
    CHECK(due(20, 10, 1'000) == Ids{"m1", "m2"});
    CHECK(due(30, 10, 1'000) == Ids{"m1", "m2", "m3"});
    CHECK(due(30, 2, 1'000) == Ids{"m1", "m2"});
    CHECK(due(30, 10, 1) == Ids{"m1"});
    const auto found = box.store->outbox().due_messages("ops", outbox_time(30), 1, 1'000).value();
    CHECK(found.front().body == "{\"of\":\"m1\"}");
}

TEST_CASE("outbox: an alarm, then a request, is due before any number of others", "[storage]") {
    Box box;
    OutboxMessage asked = message_for("asked", 10);
    asked.type = "approval.requested";
    OutboxMessage alarm = message_for("alarm", 10);
    alarm.type = "approval.alarm";
    for (const OutboxMessage& message :
         {message_for("m1", 10), message_for("m2", 10), asked, alarm})
        require_ok(box.store->outbox().add_message(message));
    const auto due = [&box](std::size_t limit) {
        Ids ids;
        for (const OutboxMessage& one :
             box.store->outbox().due_messages("ops", outbox_time(10), limit, 1'000).value())
            ids.push_back(one.id);
        return ids;
    };
    CHECK(due(1) == Ids{"alarm"});
    CHECK(due(2) == Ids{"asked", "alarm"});
    CHECK(due(3) == Ids{"m1", "asked", "alarm"});
}

TEST_CASE("outbox: a message is written with its transaction or not at all", "[storage]") {
    Box box;
    require_ok(box.store->begin());
    require_ok(box.store->outbox().add_message(message_for("m", 1)));
    box.store->rollback();
    CHECK(box.ids(false).empty());
}

TEST_CASE("outbox: a failed try, a dead letter and a removal", "[storage]") {
    Box box;
    require_ok(box.store->outbox().add_message(message_for("m", 1)));
    const std::int64_t row = box.next(1).row;
    require_ok(box.store->outbox().delay_message(row, "m", {1, outbox_time(2), true, "no answer"},
                                                 outbox_time(7)));
    CHECK_FALSE(box.store->outbox().next_message("ops", outbox_time(6)).value().has_value());
    CHECK(box.next(7).tries == 1);
    CHECK(box.next(7).away);

    CHECK_FALSE(box.store->outbox()
                    .bury_message(row, "another id", {2, outbox_time(8), false, "x"})
                    .value());
    CHECK(
        box.store->outbox().bury_message(row, "m", {2, outbox_time(8), false, "HTTP 422"}).value());
    CHECK_FALSE(
        box.store->outbox().bury_message(row, "m", {3, outbox_time(9), false, "x"}).value());
    CHECK(box.ids(false).empty());
    CHECK(box.ids(true) == Ids{"m"});
    const OutboxMessage dead = box.store->outbox().list_messages("ops", true, 0, 1).value().front();
    CHECK(dead.dead_at == outbox_time(8));
    CHECK(dead.reason == "HTTP 422");
    CHECK(dead.body.empty());  // lists are short

    CHECK(box.store->outbox().revive_message("ops", "m", outbox_time(20)).value());
    CHECK_FALSE(box.store->outbox().revive_message("ops", "m", outbox_time(20)).value());
    CHECK(box.next(20).tries == 0);
    CHECK(box.next(20).body == message_for("m", 1).body);
    CHECK(box.store->outbox().remove_message(row, "another id").value() == Removed::kNothing);
    CHECK(box.store->outbox().remove_message(row, "m").value() == Removed::kPending);
    CHECK(box.store->outbox().remove_message(row, "m").value() == Removed::kNothing);
}

TEST_CASE("outbox: the oldest become dead letters, and those above the bound are dropped",
          "[storage]") {
    Box box;
    for (const char* id : {"a", "b", "c", "d", "e"})
        require_ok(box.store->outbox().add_message(message_for(id, 1)));
    CHECK(box.store->outbox().bury_oldest("ops", 3, outbox_time(5), "too many").value() == 3);
    CHECK(box.ids(true) == Ids{"a", "b", "c"});
    CHECK(box.ids(false) == Ids{"d", "e"});
    CHECK(box.store->outbox().drop_dead("ops", 2).value() == 1);
    CHECK(box.ids(true) == Ids{"b", "c"});
    CHECK(box.store->outbox().revive_oldest("ops", 1, outbox_time(9)).value() == 1);
    CHECK(box.ids(false) == Ids{"b", "d", "e"});
    CHECK(box.store->outbox().revive_oldest("ops", 100, outbox_time(9)).value() == 1);
    CHECK(box.ids(true).empty());
}

TEST_CASE("outbox: alarms and requests are given up after all other messages", "[storage]") {
    Box box;
    for (const char* id : {"alarm", "request", "a", "b", "c"}) {
        OutboxMessage message = message_for(id, 1);
        message.type = id[1] == 'l' ? "approval.alarm" : "verdict.changed";
        if (id[0] == 'r') message.type = "approval.requested";
        require_ok(box.store->outbox().add_message(message));
    }
    CHECK(box.store->outbox().bury_oldest("ops", 2, outbox_time(5), "too many").value() == 2);
    CHECK(box.ids(false) == Ids{"alarm", "request", "c"});
    CHECK(box.store->outbox().bury_oldest("ops", 2, outbox_time(5), "too many").value() == 2);
    CHECK(box.ids(false) == Ids{"alarm"});
    CHECK(box.store->outbox().bury_oldest("ops", 7, outbox_time(5), "too many").value() == 1);
    CHECK(box.store->outbox().drop_dead("ops", 3).value() == 2);
    CHECK(box.ids(true) == Ids{"alarm", "request", "c"});
    CHECK(box.store->outbox().drop_dead("ops", 1).value() == 2);
    CHECK(box.ids(true) == Ids{"alarm"});
    CHECK(box.store->outbox().drop_dead("ops", 1).value() == 0);
}

TEST_CASE("outbox: only messages delayed by an unavailable endpoint are hurried", "[storage]") {
    Box box;
    for (const char* id : {"away", "refused"})
        require_ok(box.store->outbox().add_message(message_for(id, 1)));
    const auto waiting = box.store->outbox().list_messages("ops", false, 0, 10).value();
    require_ok(box.store->outbox().delay_message(waiting[0].row, "away",
                                                 {1, outbox_time(2), true, "x"}, outbox_time(900)));
    require_ok(box.store->outbox().delay_message(
        waiting[1].row, "refused", {1, outbox_time(2), false, "x"}, outbox_time(800)));
    require_ok(box.store->outbox().hurry_messages("ops", outbox_time(3)));
    CHECK(box.next(3).id == "away");
    CHECK(box.store->outbox()
              .list_messages("ops", false, waiting[0].row, 10)
              .value()
              .front()
              .due_at == outbox_time(800));
}

TEST_CASE("outbox: the message that an unavailable endpoint failed last shows its pause",
          "[storage]") {
    Box box;
    Outbox& outbox = box.store->outbox();
    require_ok(box.store->begin());
    for (const char* id : {"m1", "m2", "m3", "m4"})
        require_ok(outbox.add_message(message_for(id, 1)));
    require_ok(outbox.add_message(message_for("other", 1, "its")));
    CHECK_FALSE(outbox.last_away("ops").value().has_value());
    for (const OutboxMessage& one : outbox.list_messages("ops", false, 0, 10).value()) {
        const auto tried = outbox_time(static_cast<std::int64_t>(10 - one.row));
        const OutboxFailure failure{3, tried, one.id != "m1", "HTTP 503"};
        require_ok(outbox.delay_message(one.row, one.id, failure, outbox_time(500 + one.row)));
        if (one.id == "m2") require_ok(outbox.bury_message(one.row, one.id, failure));
    }
    require_ok(box.store->commit());
    const auto last = outbox.last_away("ops").value();
    REQUIRE(last.has_value());
    CHECK(last->id == "m3");  // m1 was refused, m2 is a dead letter, m4 was tried before
    CHECK(last->tries == 3);
    CHECK(last->due_at - last->tried_at == Millis{500 + 2 * last->row - 10});
    CHECK_FALSE(outbox.last_away("its").value().has_value());
}

TEST_CASE("outbox: an endpoint keeps its counters until it is forgotten", "[storage]") {
    Box box;
    OutboxEndpoint endpoint;
    endpoint.name = "ops";
    endpoint.target = "t";
    endpoint.disabled_at = outbox_time(1);
    endpoint.removed_at = outbox_time(2);
    endpoint.delivered = 3;
    endpoint.failed = 4;
    endpoint.died = 5;
    endpoint.dropped = 6;
    endpoint.succeeded_at = outbox_time(7);
    endpoint.failed_at = outbox_time(8);
    endpoint.failure = "HTTP 500";
    require_ok(box.store->outbox().save_outbox_endpoint(endpoint));
    require_ok(box.store->outbox().add_message(message_for("m", 1)));
    require_ok(box.store->outbox().add_message(message_for("n", 1)));
    require_ok(box.store->outbox().bury_oldest("ops", 1, outbox_time(3), ""));
    box.reopen();
    const auto known = box.store->outbox().outbox_endpoints().value();
    REQUIRE(known.size() == 1);
    const OutboxEndpoint& back = known.front();
    CHECK(back.target == "t");
    CHECK(back.disabled_at == outbox_time(1));
    CHECK(back.removed_at == outbox_time(2));
    CHECK(back.delivered == 3);
    CHECK(back.failed == 4);
    CHECK(back.died == 5);
    CHECK(back.dropped == 6);
    CHECK(back.succeeded_at == outbox_time(7));
    CHECK(back.failed_at == outbox_time(8));
    CHECK(back.failure == "HTTP 500");
    CHECK(back.pending == 1);
    CHECK(back.dead == 1);
    require_ok(box.store->outbox().forget_outbox_endpoint("ops"));
    CHECK(box.store->outbox().outbox_endpoints().value().empty());
    CHECK(box.ids(false).empty());
    CHECK(box.ids(true).empty());
}
