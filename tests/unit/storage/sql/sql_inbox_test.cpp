// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "storage/sql/sqlite_handle.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

struct InboxRoom {
    TablePlace dir;
    std::unique_ptr<TableStore> store;

    InboxRoom() { reopen(); }
    void reopen() {
        store.reset();
        store = dir.open();
    }
    Inbox& inbox() { return store->inbox(); }
};

Event progress(const std::string& child, std::uint64_t steps) {
    ChildProgress built;
    built.child = child;
    built.steps = steps;
    Event one_event = event(std::move(built));
    one_event.at = at(7);
    return one_event;
}

std::uint64_t steps_of(const Event& event) {
    return std::get<ChildProgress>(event.payload).steps;
}

}  // namespace

TEST_CASE("inbox: messages are taken once, in the order of their posting", "[storage]") {
    InboxRoom box;
    require_ok(box.store->begin());
    require_ok(box.inbox().post(4, progress("a", 1)));
    require_ok(box.inbox().post(5, progress("b", 2)));
    require_ok(box.inbox().post(4, progress("c", 3)));
    require_ok(box.store->commit());
    CHECK(box.inbox().receivers().value() == std::vector<SessionKey>{4, 5});
    require_ok(box.store->begin());
    const auto messages = box.inbox().take(4).value();
    require_ok(box.store->commit());
    REQUIRE(messages.size() == 2);
    CHECK(steps_of(messages[0]) == 1);
    CHECK(messages[0].at == at(7));
    CHECK(steps_of(messages[1]) == 3);
    CHECK(box.inbox().take(4).value().empty());
    CHECK(box.inbox().receivers().value() == std::vector<SessionKey>{5});
}

TEST_CASE("inbox: messages outlive the process, and go with a rollback", "[storage]") {
    InboxRoom box;
    require_ok(box.store->begin());
    require_ok(box.inbox().post(4, progress("a", 1)));
    require_ok(box.store->commit());
    box.reopen();
    CHECK(box.inbox().receivers().value() == std::vector<SessionKey>{4});
    require_ok(box.store->begin());
    CHECK(box.inbox().take(4).value().size() == 1);
    require_ok(box.inbox().post(9, progress("b", 1)));
    box.store->rollback();
    CHECK(box.inbox().receivers().value() == std::vector<SessionKey>{4});
    CHECK(box.inbox().take(4).value().size() == 1);
}

#ifndef HEADWAY_TABLES_ON_POSTGRES
TEST_CASE("inbox: a damaged message is skipped and gone", "[storage]") {
    InboxRoom box;
    require_ok(box.store->begin());
    require_ok(box.inbox().post(4, progress("a", 1)));
    require_ok(box.inbox().post(4, progress("b", 2)));
    require_ok(box.store->commit());
    box.store.reset();
    {
        auto database = Database::open(box.dir.file().string());
        require_ok(database);
        require_ok(database->execute("UPDATE inbox SET event=x'0001ff' WHERE id=1"));
    }
    box.reopen();
    const auto messages = box.inbox().take(4).value();
    REQUIRE(messages.size() == 1);
    CHECK(steps_of(messages[0]) == 2);
    CHECK(box.inbox().receivers().value().empty());
}
#endif
