// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/receivers.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

using namespace headway::server;
using headway::storage::SessionKey;
using Keys = std::vector<SessionKey>;

TEST_CASE("receivers: those of one turn are bounded, and each comes in its turn", "[server]") {
    Keys all(10 * kReceiversPerTurn + 7);
    std::iota(all.begin(), all.end(), 1);
    SessionKey last = 0;
    std::multiset<SessionKey> taken;
    for (Keys receivers = all; !receivers.empty();) {
        const Keys later = hold_back(receivers, last);
        REQUIRE(receivers.size() <= kReceiversPerTurn);
        REQUIRE(std::is_sorted(receivers.begin(), receivers.end()));
        REQUIRE(std::is_sorted(later.begin(), later.end()));
        taken.insert(receivers.begin(), receivers.end());
        receivers = {};
        add_receivers(receivers, later);
    }
    CHECK(std::equal(taken.begin(), taken.end(), all.begin(), all.end()));
}

TEST_CASE("receivers: those that are woken again and again delay no other without end",
          "[server]") {
    Keys busy(kReceiversPerTurn);
    std::iota(busy.begin(), busy.end(), 1);
    const SessionKey quiet = 10'000;
    SessionKey last = 0;
    Keys receivers = busy;
    add_receivers(receivers, {quiet});
    bool came = false;
    for (int turn = 0; turn < 3 && !came; ++turn) {
        const Keys later = hold_back(receivers, last);
        came = std::find(receivers.begin(), receivers.end(), quiet) != receivers.end();
        receivers = busy;
        add_receivers(receivers, later);
    }
    CHECK(came);
}

TEST_CASE("receivers: none stands there twice", "[server]") {
    Keys receivers{1, 4, 9};
    add_receivers(receivers, {2, 4, 10});
    CHECK(receivers == Keys{1, 2, 4, 9, 10});
}
