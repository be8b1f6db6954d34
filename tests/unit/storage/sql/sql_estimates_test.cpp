// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/table_store.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

EstimateMade made(std::uint64_t n) {
    return {n, 12.5, n / 2, "judge", "m1"};
}

EstimateScore score(std::string model, std::string source = "judge") {
    return {std::move(source), std::move(model), 3, 2, 1, 45'000, -5'000};
}

}  // namespace

TEST_CASE("estimates: a session's estimates are returned once, oldest first", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    require_ok(store->begin());
    const SessionKey a = store->create("a", at(0)).value();
    const SessionKey b = store->create("b", at(0)).value();
    require_ok(store->estimates().add_estimate(a, made(7)));
    require_ok(store->estimates().add_estimate(a, made(3)));
    require_ok(store->estimates().add_estimate(b, made(4)));
    CHECK(store->estimates().take_estimates(a).value() == std::vector{made(3), made(7)});
    CHECK(store->estimates().take_estimates(a).value().empty());
    CHECK(store->estimates().take_estimates(b).value().size() == 1);
    require_ok(store->commit());
}

TEST_CASE("estimates: the newest are kept", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    require_ok(store->begin());
    const SessionKey key = store->create("a", at(0)).value();
    for (std::uint64_t n = 1; n <= limits::kEstimatesKeptMax + 5; ++n)
        require_ok(store->estimates().add_estimate(key, made(n)));
    const auto kept = store->estimates().take_estimates(key).value();
    REQUIRE(kept.size() == limits::kEstimatesKeptMax);
    CHECK(kept.front().n == 6);
    require_ok(store->commit());
}

TEST_CASE("estimates: scores of one source, model and decile add up", "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    require_ok(store->begin());
    require_ok(store->estimates().add_estimate_score(score("m1")));
    require_ok(store->estimates().add_estimate_score(score("m1")));
    require_ok(store->estimates().add_estimate_score(score("", "agent")));
    require_ok(store->commit());
    CHECK(store->estimates().estimate_scores().value() ==
          std::vector{score("", "agent"), EstimateScore{"judge", "m1", 3, 4, 2, 90'000, -10'000}});
}

TEST_CASE("estimates: an endpoint that keeps renaming its model does not fill the table",
          "[storage]") {
    const TablePlace dir;
    auto store = dir.open();
    require_ok(store->begin());
    for (std::size_t i = 0; i < limits::kEstimateModelsMax + 10; ++i)
        require_ok(store->estimates().add_estimate_score(score("m" + std::to_string(i))));
    require_ok(store->estimates().add_estimate_score(score("m0")));
    require_ok(store->estimates().add_estimate_score(score("", "agent")));
    require_ok(store->commit());
    const auto scores = store->estimates().estimate_scores().value();
    CHECK(scores.size() == limits::kEstimateModelsMax + 2);
    for (const EstimateScore& one : scores) {
        if (one.model == "other") CHECK(one.count == 20);
        if (one.model == "m0") CHECK(one.count == 4);
    }
}
