// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "core/base/sketch.hpp"
#include "core/meters/call_times.hpp"
#include "tests/support/gen.hpp"

// Random sessions: a sketch keeps its bounds, is near the true quantile, and no session moves it by
// more than its share.

using namespace headway::core;
using namespace headway::tests;

namespace {

std::uint64_t any_value(Gen& gen) {
    return gen.word() >> (20 + gen.below(44));
}

Samples any_samples(Gen& gen) {
    Samples samples;
    const std::uint64_t count = 1 + gen.below(gen.chance(5) ? 2000 : 12);
    for (std::uint64_t i = 0; i < count; ++i)
        samples.add(any_value(gen));
    return samples;
}

Samples poison(Gen& gen) {
    const std::uint64_t value = gen.chance(2) ? 0 : UINT64_MAX;
    Samples samples;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        samples.add(gen.chance(10) ? any_value(gen) : value);
    return samples;
}

}  // namespace

TEST_CASE("expectations property: after any sessions a sketch is bounded, sound and ordered",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    Sketch sketch;
    for (std::uint64_t i = 1; i <= 1500; ++i) {
        sketch.learn(any_samples(gen));
        REQUIRE(is_valid(sketch));
        REQUIRE(sketch.sessions == i);
        REQUIRE(sketch.ready() == (i >= limits::kExpectationSessionsMin));
        std::uint64_t before = 0;
        for (const unsigned percent : {0U, 10U, 50U, 90U, 95U, 100U}) {
            REQUIRE(sketch.quantile(percent) >= before);
            before = sketch.quantile(percent);
        }
    }
    CHECK(sketch.buckets.size() <= kSketchBucketLast + 1);
}

TEST_CASE("expectations property: no session moves a quantile past its neighbours 5 % away",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 60; ++round) {
        Sketch honest;
        const std::uint64_t sessions = limits::kExpectationSessionsMin + gen.below(700);
        for (std::uint64_t i = 0; i < sessions; ++i)
            honest.learn(any_samples(gen));
        Sketch poisoned = honest;
        poisoned.learn(poison(gen));
        REQUIRE(poisoned.weight() >= limits::kExpectationSessionsMin * kSessionWeight);
        for (unsigned percent = 10; percent <= 90; percent += 5) {
            // A halving in between may round a part away.
            REQUIRE(poisoned.quantile(percent) >= honest.quantile(percent - 6));
            REQUIRE(poisoned.quantile(percent) <= honest.quantile(percent + 6));
        }
    }
}

TEST_CASE("expectations property: a quantile is within a sixteenth of the true one", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 40; ++round) {
        Sketch sketch;
        std::vector<std::uint64_t> values;
        const std::uint64_t sessions = 20 + gen.below(400);
        for (std::uint64_t i = 0; i < sessions; ++i) {
            values.push_back(any_value(gen) % (1ULL << 40));
            Samples one;
            one.add(values.back());
            sketch.learn(one);
        }
        std::sort(values.begin(), values.end());
        for (const unsigned percent : {50U, 90U, 95U}) {
            const std::uint64_t real = values[(values.size() * percent + 99) / 100 - 1];
            const std::uint64_t shown = sketch.quantile(percent);
            REQUIRE((shown > real ? shown - real : real - shown) * 16 <= real);
        }
    }
}

TEST_CASE("expectations property: the calls of any events are bounded", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    CallTimes times;
    for (int i = 0; i < 20'000; ++i) {
        Event event;
        event.payload = gen.payload(gen.chance(2)   ? EventType::kToolFinished
                                    : gen.chance(2) ? EventType::kToolStarted
                                                    : gen.any_type());
        gen.fill(event.at);
        times.note(event);
    }
    CHECK(times.tools().size() <= limits::kExpectedToolsMax);
    for (const CallTimes::Tool& tool : times.tools()) {
        CHECK(tool.samples.counts.size() <= limits::kSamplesBucketsMax);
        CHECK(tool.name.size() <= limits::kExpectedNameBytesMax);
    }
}
