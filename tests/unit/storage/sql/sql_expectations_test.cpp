// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "storage/codec/codec.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

Sketch learned(std::uint64_t sessions, std::uint64_t value = 1000) {
    Sketch sketch;
    Samples one;
    one.add(value);
    for (std::uint64_t i = 0; i < sessions; ++i)
        sketch.learn(one);
    return sketch;
}

UseSketches used(std::uint64_t sessions) {
    return {learned(sessions, 60'000), learned(sessions, 12), learned(sessions, 0), {}};
}

/// A store in a transaction.
struct Open {
    Open() { require_ok(store->begin()); }
    ExpectationTable& table() { return store->expectations(); }
    std::size_t agents() { return table().list_uses().value().size(); }
    std::size_t tools(const char* agent, bool ready = false) {
        return table().list_calls(agent, 1000, ready).value().size();
    }

    TablePlace dir;
    std::unique_ptr<TableStore> store = dir.open();
};

}  // namespace

TEST_CASE("expectations: what was saved is read back, by agent type, complexity and tool",
          "[storage]") {
    Open open;
    CHECK(open.table().use("plan", std::nullopt).value() == UseSketches{});
    CHECK(open.table().calls("plan", "bash").value() == Sketch{});
    require_ok(open.table().save_use("plan", std::nullopt, used(3), at(0)));
    require_ok(open.table().save_use("plan", Complexity::kHigh, used(2), at(0)));
    require_ok(open.table().save_use("plan", std::nullopt, used(4), at(5)));
    require_ok(open.table().save_calls("plan", "bash", learned(7), at(0)));
    require_ok(open.store->commit());
    open.store.reset();
    open.store = open.dir.open();
    CHECK(open.table().use("plan", std::nullopt).value() == used(4));
    CHECK(open.table().use("plan", Complexity::kHigh).value() == used(2));
    CHECK(open.table().use("plan", Complexity::kLow).value() == UseSketches{});
    CHECK(open.table().calls("plan", "bash").value() == learned(7));
    CHECK(open.table().calls("explore", "bash").value() == Sketch{});
    require_ok(open.store->begin());
    require_ok(open.table().save_use({}, std::nullopt, used(1), at(0)));
    require_ok(open.table().save_calls({}, "bash", learned(2), at(0)));
    CHECK(open.table().use("", std::nullopt).value() == used(1));
    CHECK(open.table().list_calls({}, 10, false).value().size() == 1);
    open.store->rollback();
    const auto all = open.table().list_uses().value();
    REQUIRE(all.size() == 1);
    CHECK(all[0].agent == "plan");
    CHECK(all[0].use == used(4));
}

TEST_CASE("expectations: tools are listed by what has been learned", "[storage]") {
    Open open;
    require_ok(open.table().save_calls("plan", "b", learned(30), at(0)));
    require_ok(open.table().save_calls("plan", "a", learned(30), at(0)));
    require_ok(open.table().save_calls("plan", "c", learned(19), at(0)));
    const auto calls = open.table().list_calls("plan", 10, false).value();
    REQUIRE(calls.size() == 3);
    CHECK(calls[0].tool == "a");
    CHECK(calls[0].sessions == 30);
    CHECK(calls[0].ms.has_value());
    CHECK(calls[2].tool == "c");
    CHECK_FALSE(calls[2].ms.has_value());
    CHECK(open.tools("plan", true) == 2);
    CHECK(open.table().list_calls("plan", 1, true).value().size() == 1);
}

TEST_CASE("expectations: a new tool replaces one that few sessions taught, the oldest first",
          "[storage]") {
    Open open;
    for (std::size_t i = 0; i < limits::kExpectedToolsMax; ++i) {
        const bool few = i == 5 || i == 9;
        require_ok(open.table().save_calls("plan", "t" + std::to_string(i), learned(few ? 3 : 20),
                                           at(static_cast<std::int64_t>(i))));
    }
    require_ok(open.table().save_calls("plan", "new", learned(1), at(1000)));
    CHECK(open.tools("plan") == limits::kExpectedToolsMax);
    CHECK(open.table().calls("plan", "t5").value() == Sketch{});
    CHECK(open.table().calls("plan", "t9").value() == learned(3));
    // Invented names push each other out, and not what is known.
    for (int i = 0; i < 200; ++i)
        require_ok(open.table().save_calls("plan", "made up " + std::to_string(i), learned(1),
                                           at(2000 + i)));
    CHECK(open.tools("plan", true) == limits::kExpectedToolsMax - 2);
    // Until it has not been used for long.
    const std::int64_t later = Millis{limits::kExpectationKeptFor}.count() + 3;
    require_ok(open.table().save_calls("plan", "later", learned(1), at(later)));
    CHECK(open.table().calls("plan", "t0").value() == Sketch{});
}

TEST_CASE("expectations: agent types are bounded, and go with all of their rows", "[storage]") {
    Open open;
    for (std::size_t i = 0; i < limits::kExpectedAgentsMax + 10; ++i) {
        const std::string agent = "a" + std::to_string(i);
        const auto now = at(static_cast<std::int64_t>(i));
        require_ok(open.table().save_use(agent, std::nullopt, used(i == 0 ? 20 : 1), now));
        require_ok(open.table().save_use(agent, Complexity::kLow, used(1), now));
        require_ok(open.table().save_calls(agent, "bash", learned(1), now));
    }
    CHECK(open.agents() == limits::kExpectedAgentsMax);
    CHECK(open.table().use("a0", std::nullopt).value() == used(20));
    CHECK(open.table().use("a1", std::nullopt).value() == UseSketches{});
    CHECK(open.table().use("a1", Complexity::kLow).value() == UseSketches{});
    CHECK(open.tools("a1") == 0);
    CHECK(open.tools("a20") == 1);
}

#ifndef HEADWAY_TABLES_ON_POSTGRES
TEST_CASE("expectations: what cannot be decoded or learned counts as nothing", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    Open open;
    require_ok(open.table().save_use("plan", std::nullopt, used(25), at(0)));
    require_ok(open.table().save_calls("plan", "bash", learned(25), at(0)));
    require_ok(open.store->commit());
    open.store.reset();
    for (int i = 0; i < 50; ++i) {
        UseSketches use;
        gen.fill(use);
        const std::string text =
            gen.chance(2) ? gen.bytes(gen.below(60)) : encode_use_sketches(use);
        {
            auto database = Database::open(open.dir.file().string()).value();
            auto spoil = database.prepare("UPDATE expectation SET sketches=?1").value();
            require_ok(spoil.bind_blob(1, text).run());
        }
        open.store = open.dir.open();
        CHECK(is_valid(open.table().use("plan", std::nullopt).value()));
        CHECK(is_valid(open.table().calls("plan", "bash").value()));
        require_ok(open.table().list_uses());
        require_ok(open.table().list_calls("plan", 10, true));
        open.store.reset();
    }
}
#endif

TEST_CASE("expectations: a full sketch takes less than 4 KB", "[storage]") {
    Sketch sketch;
    for (std::uint32_t index = 0; index <= kSketchBucketLast; ++index) {
        Samples one;
        one.add(value_of_bucket(index));
        sketch.learn(one);
    }
    CHECK(sketch.buckets.size() == kSketchBucketLast + 1);
    CHECK(encode_sketch(sketch).size() < 4096);
    CHECK(decode_sketch(encode_sketch(sketch)).value() == sketch);
    CHECK_FALSE(decode_sketch("\x01").has_value());
}
