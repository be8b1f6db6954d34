// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

UseRecord record(std::string agent, std::uint64_t steps, std::int64_t ended_ms) {
    UseRecord use_record;
    use_record.agent = std::move(agent);
    use_record.outcome = Outcome::kBudgetExhausted;
    use_record.ended_at = at(ended_ms);
    use_record.elapsed_ms = 1234;
    use_record.steps = steps;
    use_record.tokens = 99;
    use_record.cost_micros = 7;
    return use_record;
}

void add_all(TableStore& store, const std::vector<UseRecord>& records) {
    require_ok(store.begin());
    for (const UseRecord& one : records)
        require_ok(store.history().add_use(one));
    require_ok(store.commit());
}

}  // namespace

TEST_CASE("history: records are returned newest first", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    add_all(*store, {record("plan", 1, 10), record("", 2, 20), record("plan", 3, 30)});
    const auto all = store->history().list_uses(std::nullopt, 10).value();
    REQUIRE(all.size() == 3);
    CHECK(all[0] == record("plan", 3, 30));
    CHECK(all[1] == record("", 2, 20));
    CHECK(store->history().list_uses("plan", 10).value() ==
          std::vector{record("plan", 3, 30), record("plan", 1, 10)});
    CHECK(store->history().list_uses("", 10).value().size() == 1);
    CHECK(store->history().list_uses("explore", 10).value().empty());
    CHECK(store->history().list_uses(std::nullopt, 2).value().size() == 2);
}

TEST_CASE("history: a rolled-back record is gone", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    require_ok(store->begin());
    require_ok(store->history().add_use(record("plan", 1, 10)));
    store->rollback();
    CHECK(store->history().list_uses(std::nullopt, 10).value().empty());
}

TEST_CASE("history: retention deletes the old ones only", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    add_all(*store, {record("plan", 1, 10), record("plan", 2, 20), record("plan", 3, 30)});
    while (store->delete_some(at(25)).value().more) {
    }
    const auto left = store->history().list_uses(std::nullopt, 10).value();
    REQUIRE(left.size() == 1);
    CHECK(left[0].steps == 3);
}
