// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/supervised.hpp"

// The turn of the day, for sessions that a daily cap holds.

using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;
namespace core = headway::core;

namespace {

core::Event tokens(std::uint64_t count) {
    core::Event event = beat();
    std::get<core::Heartbeat>(event.payload).usage.emplace().tokens = count;
    return event;
}

bool is_paused(Supervised& s) {
    const auto shown = s.ask(SessionQuery{"a"});
    require_ok(shown);
    return std::get<BodyReply>(*shown).body.find("\"paused_at\":\"") != std::string::npos;
}

EngineSettings capped() {
    EngineSettings settings;
    settings.day.all.max_tokens = 100;
    return settings;
}

/// The cap holds the session `a`, and its day is over.
void hold_until_next_day(Supervised& s) {
    s.engine().upkeep(false);
    (void)s.report("a", {tokens(200)});
    REQUIRE(is_paused(s));
    s.clock().advance_to(s.clock().now() + 24h);
}

}  // namespace

TEST_CASE("engine: who a cap of yesterday held goes on, also when a commit fails first",
          "[server]") {
    Supervised s{capped(), core::Timestamp{std::chrono::hours{480'000}}};
    hold_until_next_day(s);
    const bool fails = GENERATE(false, true);
    s.engine().upkeep(false);
    if (fails) {
        s.store().fail(FailingStore::Step::kCommit);
        (void)s.turn({ReportCommand{"b", {beat()}, false, {}}});
        s.engine().upkeep(false);
        s.store().fail(FailingStore::Step::kNone);
    }
    for (int turns = 0; turns < 3; ++turns) {
        (void)s.turn({ReportCommand{"b", {beat()}, false, {}}});
        s.engine().upkeep(false);
    }
    CHECK_FALSE(is_paused(s));
}

TEST_CASE("engine: a commit that fails later in the day looks at none of those sessions again",
          "[server]") {
    Supervised s{capped(), core::Timestamp{std::chrono::hours{480'000}}};
    hold_until_next_day(s);
    const auto turns = [&s] {
        for (int i = 0; i < 3; ++i) {
            (void)s.turn({ReportCommand{"b", {beat()}, false, {}}});
            s.engine().upkeep(false);
        }
    };
    s.engine().upkeep(false);
    turns();
    REQUIRE_FALSE(is_paused(s));
    (void)s.report("a", {event(core::SessionEnded{})});
    s.clock().advance_to(s.clock().now() + 1h);
    s.engine().upkeep(true);  // all is in snapshots, so that none is read again at once
    s.store().fail(FailingStore::Step::kCommit);
    (void)s.turn({ReportCommand{"b", {beat()}, false, {}}});
    s.engine().upkeep(false);
    s.store().fail(FailingStore::Step::kNone);
    const int before = s.store().loads();
    turns();
    CHECK(s.store().loads() - before == 1);  // the session that reports
}
