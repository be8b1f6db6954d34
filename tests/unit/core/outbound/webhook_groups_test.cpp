// SPDX-License-Identifier: Apache-2.0
#include "core/outbound/webhook_groups.hpp"

#include <catch2/catch.hpp>

#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;
using namespace std::chrono_literals;
using Places = std::vector<std::size_t>;

namespace {

const WaitingNotice kAsk{true, false, ""};
const WaitingNotice kStuck{false, false, "stuck"};
const WaitingNotice kSilent{false, false, "silent"};
const WaitingNotice kRefused{false, true, "stuck"};

Places told(const std::vector<WaitingNotice>& waiting, bool backlog = false) {
    return told_together(waiting, backlog);
}

}  // namespace

TEST_CASE("webhook groups: the oldest goes with all of its cause", "[core]") {
    CHECK(told({kStuck}) == Places{0});
    CHECK(told({kStuck, kSilent, kStuck, kSilent}) == Places{0, 2});
    CHECK(told({kSilent, kStuck, kSilent}) == Places{0, 2});
    const WaitingNotice unlike{};
    CHECK(told({unlike, unlike}) == Places{0});
}

TEST_CASE("webhook groups: a question goes first, in order, and alone", "[core]") {
    CHECK(told({kStuck, kAsk, kStuck, kAsk}) == Places{1});
    CHECK(told({kAsk, kAsk}) == Places{0});
}

TEST_CASE("webhook groups: many questions leave room for an alarm, which goes first", "[core]") {
    const WaitingNotice alarm{false, false, "", true};
    CHECK(told({kAsk, kStuck, alarm, alarm}) == Places{2});
    const std::vector<WaitingNotice> many{kStuck, kAsk, kAsk, kStuck, kAsk};
    CHECK(told_together(many, false, true) == Places{1, 2, 4});
    CHECK(told_together(std::vector<WaitingNotice>{kAsk, alarm, kAsk}, false, true) == Places{1});
    const PeopleLimits limits{4, 10min, 0ms};
    SendWindow window;
    CHECK_FALSE(window.crowded(limits, at(1)));
    window.delivered(limits, at(1), true);
    CHECK_FALSE(window.crowded(limits, at(2)));
    window.delivered(limits, at(2), true);
    CHECK(window.crowded(limits, at(3)));
    CHECK_FALSE(window.crowded(limits, at(1 + 600'000)));
}

TEST_CASE("webhook groups: what had to wait goes together", "[core]") {
    CHECK(told({kStuck, kAsk, kSilent}, true) == Places{0, 1, 2});
    CHECK(told({kStuck}, true) == Places{0});
}

TEST_CASE("webhook groups: what was refused holds up no other", "[core]") {
    CHECK(told({kRefused, kStuck, kStuck}) == Places{0});
    CHECK(told({kStuck, kRefused, kStuck}) == Places{0, 2});
    CHECK(told({kStuck, kRefused, kAsk}, true) == Places{0, 2});
    CHECK(told({kRefused, kStuck, kAsk}, true) == Places{0});
    CHECK(told({kStuck, WaitingNotice{true, true, ""}}) == Places{0});
}

TEST_CASE("send window: so many messages, then none until its end", "[core]") {
    const PeopleLimits limits{2, 10min, 0s};
    SendWindow window;
    CHECK(window.closed_until(limits, true) == kNever);
    window.delivered(limits, at(1'000), true);
    CHECK(window.closed_until(limits, true) == kNever);
    window.delivered(limits, at(2'000), true);
    CHECK(window.closed_until(limits, true) == at(601'000));
    window.delivered(limits, at(601'000), true);  // which begins the next one
    CHECK(window.closed_until(limits, true) == kNever);
    window.delivered(limits, at(601'001), true);
    CHECK(window.closed_until(limits, true) == at(1'201'000));
}

TEST_CASE("send window: a clock that went back keeps none closed", "[core]") {
    const PeopleLimits limits{1, 10min, 0s};
    SendWindow window;
    window.delivered(limits, at(10'000'000), true);
    window.delivered(limits, at(0), true);
    CHECK(window.closed_until(limits, true) == at(600'000));
}

TEST_CASE("send window: half is for requests and alarms, and they take nothing of the other half",
          "[core]") {
    const PeopleLimits limits{4, 10min, 0s};
    SendWindow window;
    window.delivered(limits, at(1'000), true);
    window.delivered(limits, at(2'000), true);
    CHECK(window.closed_until(limits, false) == kNever);
    window.delivered(limits, at(3'000), false);
    CHECK(window.closed_until(limits, false) == kNever);
    window.delivered(limits, at(4'000), false);
    CHECK(window.closed_until(limits, true) == at(601'000));

    SendWindow others;
    others.delivered(limits, at(1'000), false);
    others.delivered(limits, at(2'000), false);
    CHECK(others.closed_until(limits, false) == at(601'000));
    CHECK(others.closed_until(limits, true) == kNever);
}
