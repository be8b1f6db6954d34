// SPDX-License-Identifier: Apache-2.0
#include "storage/base/event_ids.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/support/gen.hpp"

using namespace headway::storage;
using headway::tests::Gen;

TEST_CASE("event ids: none is found among none") {
    const EventIds ids;
    CHECK(ids.empty());
    CHECK(ids.bytes() == 0);
    CHECK(ids.find("a") == std::nullopt);
    CHECK(ids.find("") == std::nullopt);
    CHECK(ids == EventIds{});
}

TEST_CASE("event ids: an id is found with its number, another is not, and none by a part of it") {
    const EventIds ids{{"ab", 1}, {"c", 2}, {"abc", 3}};
    CHECK(ids.find("ab") == 1);
    CHECK(ids.find("c") == 2);
    CHECK(ids.find("abc") == 3);
    CHECK(ids.find("a") == std::nullopt);
    CHECK(ids.find("bc") == std::nullopt);
    CHECK(ids.find("abcabc") == std::nullopt);
}

TEST_CASE("event ids: of two equal ids the first one counts") {
    EventIds ids{{"a", 1}, {"a", 2}};
    CHECK(ids.find("a") == 1);
    ids.add("a", 3);
    CHECK(ids.find("a") == 1);
    CHECK(ids.size() == 3);
}

TEST_CASE("event ids: what is added after a look is found by the next one") {
    EventIds ids;
    for (std::uint64_t n = 1; n <= 200; ++n) {
        const std::string id = "id-" + std::to_string(n);
        CHECK(ids.find(id) == std::nullopt);
        ids.add(id, n);
        CHECK(ids.find(id) == n);
    }
    CHECK(ids.find("id-1") == 1);
}

TEST_CASE("event ids: the first ones are copied and dropped, in their order") {
    EventIds ids{{"a", 1}, {"b", 2}, {"c", 3}};
    CHECK(ids.find("a") == 1);
    CHECK(ids.first(2) == EventIds{{"a", 1}, {"b", 2}});
    CHECK(ids.first(9) == ids);
    ids.drop_first(2);
    CHECK(ids == EventIds{{"c", 3}});
    CHECK(ids.find("a") == std::nullopt);
    CHECK(ids.find("c") == 3);
    ids.drop_first(0);
    CHECK(ids.size() == 1);
    ids.drop_first(9);
    CHECK(ids.empty());
}

TEST_CASE("event ids: dropped a few at a time, the others are still found") {
    EventIds ids;
    for (std::uint64_t n = 1; n <= 100; ++n)
        ids.add("id-" + std::to_string(n), n);
    CHECK(ids.find("id-1") == 1);
    for (std::uint64_t dropped = 0; dropped < 99; dropped += 3) {
        ids.drop_first(3);
        CHECK(ids.size() == 97 - dropped);
        CHECK(ids[0] == EventIds::Id{"id-" + std::to_string(dropped + 4), dropped + 4});
        CHECK(ids.find("id-" + std::to_string(dropped + 1)) == std::nullopt);
        CHECK(ids.find("id-100") == 100);
        const EventIds copy = ids;
        CHECK(copy == ids);
        CHECK(copy.find("id-100") == 100);
        CHECK(copy.find("id-" + std::to_string(dropped + 3)) == std::nullopt);
    }
}

TEST_CASE("event ids: order and numbers make them equal") {
    CHECK_FALSE(EventIds{{"a", 1}} == EventIds{{"a", 2}});
    CHECK_FALSE(EventIds{{"a", 1}, {"b", 2}} == EventIds{{"b", 2}, {"a", 1}});
    CHECK_FALSE(EventIds{{"a", 1}} == EventIds{});
}

TEST_CASE("event ids: clearing gives the memory back") {
    EventIds ids;
    for (std::uint64_t n = 1; n <= 1000; ++n)
        ids.add(std::string(16, 'x') + std::to_string(n), n);
    CHECK(ids.bytes() > 16'000);
    ids.clear();
    CHECK(ids.bytes() == 0);
    CHECK(ids.find("x") == std::nullopt);
}

TEST_CASE("event ids: they are a map, whatever is added and looked for") {
    Gen gen{7};
    for (int round = 0; round < 50; ++round) {
        EventIds ids;
        std::map<std::string, std::uint64_t> model;
        for (std::uint64_t n = 1; n <= 300; ++n) {
            const std::string id = gen.bytes(1 + gen.index(2));
            if (gen.chance(2)) {
                ids.add(id, n);
                model.emplace(id, n);
            } else {
                const auto known = model.find(id);
                const auto found = ids.find(id);
                REQUIRE(found.has_value() == (known != model.end()));
                if (found) REQUIRE(*found == known->second);
            }
        }
    }
}
