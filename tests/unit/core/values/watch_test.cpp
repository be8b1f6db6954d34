// SPDX-License-Identifier: Apache-2.0
#include "core/values/watch.hpp"

#include <catch2/catch.hpp>

#include "core/values/liveness.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr Millis kAsked{10'000};

}  // namespace

TEST_CASE("watch: a gap of a quarter of the interval restarts the count, a shorter one does not",
          "[core]") {
    Watch watch{at(1'000)};
    CHECK(watch.since(kAsked) == at(1'000));
    watch.note_gap(at(50'000), at(52'499));
    CHECK(watch.since(kAsked) == at(1'000));
    watch.note_gap(at(60'000), at(62'500));
    CHECK(watch.since(kAsked) == at(62'500));
    CHECK(watch.since(Millis{30'000}) == at(1'000));
    CHECK(watch.since(Millis{1'000}) == at(62'500));
}

TEST_CASE("watch: a short gap after a long one leaves the long one counted", "[core]") {
    Watch watch;
    watch.note_gap(at(10'000), at(20'000));
    watch.note_gap(at(30'000), at(30'400));
    CHECK(watch.since(kAsked) == at(20'000));
    CHECK(watch.since(Millis{1'000}) == at(30'400));
}

TEST_CASE("watch: overlapping gaps are merged", "[core]") {
    Watch watch;
    watch.note_gap(at(10'000), at(11'500));
    watch.note_gap(at(10'000), at(12'000));
    watch.note_gap(at(11'900), at(12'600));
    CHECK(watch.since(kAsked) == at(12'600));
    CHECK(watch.unheard_after(at(0)) == Millis{2'600});
}

TEST_CASE("watch: a restart clears the gaps", "[core]") {
    Watch watch;
    watch.note_gap(at(10'000), at(20'000));
    watch.begin_anew(at(15'000));
    CHECK(watch.since(kAsked) == at(15'000));
    CHECK(watch.unheard_after(at(12'000)) == Millis{3'000});
}

TEST_CASE("watch: only attention gaps are unheard", "[core]") {
    Watch watch{at(100'000)};
    CHECK(watch.unheard_after(at(40'000)) == Millis{60'000});
    watch.note_gap(at(200'000), at(203'000));
    watch.note_gap(at(210'000), at(210'999));  // a hiccup
    watch.note_gap(at(220'000), at(222'000));
    CHECK(watch.unheard_after(at(40'000)) == Millis{65'000});
    CHECK(watch.unheard_after(at(150'000)) == Millis{5'000});
    CHECK(watch.unheard_after(at(201'000)) == Millis{4'000});
    CHECK(watch.unheard_after(at(230'000)) == Millis{0});
}

TEST_CASE("watch: any number of short gaps keeps a long one", "[core]") {
    Watch watch;
    watch.note_gap(at(10'000), at(110'000));
    for (int i = 0; i < 1'000; ++i)
        watch.note_gap(at(200'000 + i * 500), at(200'400 + i * 500));
    CHECK(watch.since(Millis{300'000}) == at(110'000));
    CHECK(watch.since(Millis{1'000}) == at(200'400 + 999 * 500));
}

TEST_CASE("watch: long gaps of long ago make room for new ones", "[core]") {
    constexpr std::int64_t kHour = 3'600'000;
    Watch watch;
    for (int i = 0; i < 100; ++i)
        watch.note_gap(at(i * kHour), at(i * kHour + 60'000));
    watch.note_gap(at(200 * kHour), at(200 * kHour + 3'000));
    CHECK(watch.since(kAsked) == at(200 * kHour + 3'000));
}

TEST_CASE("watch: an agent on time is never late, whichever heartbeats fall into gaps", "[core]") {
    // It sends a heartbeat, waits for its reply, and sends the next after the interval; each
    // heartbeat and each reply may meet a gap.
    for (const std::int64_t gap_ms : {300, 1'000, 2'499, 2'500, 9'000, 60'000}) {
        Watch watch;
        std::int64_t heard = 0;
        for (int i = 0; i < 50; ++i) {
            const std::int64_t sent =
                heard + kAsked.count() + (i % 2) * gap_ms;  // its reply met one
            watch.note_gap(at(sent), at(sent + gap_ms));
            const std::int64_t now = sent + gap_ms;
            CHECK(at(now) < silent_at(at(heard), watch, kAsked));
            heard = now;
        }
    }
}

TEST_CASE("watch: with a slow disk an agent that is gone still turns silent", "[core]") {
    Watch watch;
    for (int i = 0; i < 1'000; ++i)
        watch.note_gap(at(i * 450), at(i * 450 + 400));
    CHECK(silent_at(at(5'000), watch, kAsked) == at(25'000));
}
