// SPDX-License-Identifier: Apache-2.0
#include "core/base/sketch.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway::core;

namespace {

Samples one(std::uint64_t value) {
    Samples samples;
    samples.add(value);
    return samples;
}

void learn_times(Sketch& sketch, std::uint64_t value, int times) {
    for (int i = 0; i < times; ++i)
        sketch.learn(one(value));
}

}  // namespace

TEST_CASE("sketch: small values are exact, others within a sixteenth", "[expectations]") {
    for (std::uint64_t value = 0; value < 100'000; value += value < 64 ? 1 : 37) {
        const std::uint64_t shown = value_of_bucket(bucket_of(value));
        if (value < 16) CHECK(shown == value);
        const std::uint64_t error = shown > value ? shown - value : value - shown;
        REQUIRE(error * 16 <= value);
    }
}

TEST_CASE("sketch: buckets ascend with the values and end at the last", "[expectations]") {
    std::uint32_t before = 0;
    for (std::uint64_t value = 1; value < (1ULL << 50); value += value / 16 + 1) {
        const std::uint32_t index = bucket_of(value);
        REQUIRE((index == before || index == before + 1));
        before = index;
    }
    CHECK(before == kSketchBucketLast);
    CHECK(bucket_of(UINT64_MAX) == kSketchBucketLast);
}

TEST_CASE("sketch: it says nothing before twenty sessions", "[expectations]") {
    Sketch sketch;
    learn_times(sketch, 1000, 19);
    CHECK_FALSE(sketch.ready());
    learn_times(sketch, 1000, 1);
    CHECK(sketch.ready());
    CHECK(sketch.sessions == 20);
    CHECK(sketch.quantile(50) == value_of_bucket(bucket_of(1000)));
}

TEST_CASE("sketch: quantiles are by nearest rank", "[expectations]") {
    Sketch sketch;
    CHECK(sketch.quantile(50) == 0);
    for (std::uint64_t value = 1; value <= 10; ++value)
        sketch.learn(one(value));
    CHECK(sketch.quantile(0) == 1);
    CHECK(sketch.quantile(10) == 1);
    CHECK(sketch.quantile(50) == 5);
    CHECK(sketch.quantile(51) == 6);
    CHECK(sketch.quantile(100) == 10);
}

TEST_CASE("sketch: a session with a million samples weighs as much as one with one",
          "[expectations]") {
    Sketch sketch;
    learn_times(sketch, 4, 20);
    Samples flood;
    for (int i = 0; i < 1'000'000; ++i)
        flood.add(static_cast<std::uint64_t>(i) * 1000);
    CHECK(flood.counts.size() == limits::kSamplesBucketsMax);
    sketch.learn(flood);
    CHECK(sketch.weight() == 21 * kSessionWeight);
    CHECK(sketch.quantile(95) == 4);
}

TEST_CASE("sketch: a session without samples changes nothing", "[expectations]") {
    Sketch sketch;
    sketch.learn({});
    CHECK(sketch == Sketch{});
}

TEST_CASE("sketch: the parts of a session add up to its weight", "[expectations]") {
    Samples thirds;
    for (const std::uint64_t value : {1U, 2U, 3U})
        thirds.add(value);
    Sketch sketch;
    sketch.learn(thirds);
    CHECK(sketch.weight() == kSessionWeight);
    CHECK(sketch.buckets.size() == 3);
}

TEST_CASE("sketch: what is new outweighs what is old", "[expectations]") {
    Sketch sketch;
    learn_times(sketch, 1000, 5000);
    CHECK(sketch.quantile(50) == value_of_bucket(bucket_of(1000)));
    learn_times(sketch, 10, 520);
    CHECK(sketch.quantile(50) == 10);
    CHECK(sketch.sessions == 5520);
    CHECK(sketch.weight() <= std::uint64_t{kSessionWeight} * limits::kSketchSessionsMax);
    CHECK(is_valid(sketch));
}

TEST_CASE("sketch: what no session can have taught is not sound", "[expectations]") {
    Sketch sketch;
    learn_times(sketch, 7, 3);
    CHECK(is_valid(sketch));
    CHECK(is_valid(Sketch{}));
    Sketch bad = sketch;
    bad.buckets[0].index = kSketchBucketLast + 1;
    CHECK_FALSE(is_valid(bad));
    bad = sketch;
    bad.buckets[0].weight = 0;
    CHECK_FALSE(is_valid(bad));
    bad = sketch;
    bad.buckets.push_back(bad.buckets[0]);
    CHECK_FALSE(is_valid(bad));
    bad = sketch;
    bad.buckets[0].weight = UINT32_MAX;
    CHECK_FALSE(is_valid(bad));
    bad = sketch;
    bad.sessions = 2;
    CHECK_FALSE(is_valid(bad));
}
