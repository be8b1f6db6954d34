// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "server/engine/commands/admin_commands.hpp"
#include "server/engine/durability/upkeep.hpp"
#include "server/testclock/jumps.hpp"
#include "tests/support/postgres_daemon.hpp"

// Housekeeping of a daemon whose store others use, too.

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
using testclock::Jump;

namespace {

constexpr std::size_t kStep = Upkeep::kIdsPerStep;
constexpr std::size_t kBatch = 500;

/// Reports `count` events with ids of their own, from `first` on.
void report_many(PostgresDaemon& daemon, const std::string& session, std::size_t first,
                 std::size_t count) {
    for (std::size_t done = 0; done < count; done += kBatch) {
        std::vector<core::Event> events;
        for (std::size_t i = 0; i < kBatch; ++i)
            events.push_back(beat_with_id("id-" + std::to_string(first + done + i)));
        daemon.report(session, std::move(events));
    }
}

void settle(PostgresDaemon& daemon) {
    daemon.upkeep();  // what has come until now makes no later step longer
    testclock::jump(Jump::pass(core::Millis{6'000}));
}

std::size_t ids_in(const PostgresHere& here) {
    return static_cast<std::size_t>(here.number("SELECT count(*) FROM event_id"));
}

}  // namespace

TEST_CASE("cluster: event ids are saved in steps, ahead of their snapshot", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    PostgresDaemon two{here, "two"};
    report_many(one, "s", 0, 2 * kStep + kBatch);
    settle(one);
    CHECK(ids_in(here) == 0);
    one.upkeep();
    CHECK(ids_in(here) == kStep);
    CHECK(here.number("SELECT count(*) FROM snapshot") == 0);
    // In memory and in the table, each is known at each daemon.
    const std::uint64_t last = static_cast<std::uint64_t>(here.number("SELECT n FROM session"));
    for (PostgresDaemon* daemon : {&one, &two}) {
        report_many(*daemon, "s", 0, 2 * kStep + kBatch);
        CHECK(static_cast<std::uint64_t>(here.number("SELECT n FROM session")) == last);
    }
    settle(one);
    one.upkeep();
    CHECK(ids_in(here) == 2 * kStep);
    CHECK(here.number("SELECT count(*) FROM snapshot") == 0);
    one.upkeep();
    CHECK(ids_in(here) == 2 * kStep + kBatch);
    CHECK(here.number("SELECT count(*) FROM snapshot") == 1);
    PostgresDaemon three{here, "three"};
    report_many(three, "s", 0, kBatch);
    CHECK(static_cast<std::uint64_t>(here.number("SELECT n FROM session")) == last);
}

TEST_CASE("cluster: many sessions with a few ids each are saved in steps as well", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    PostgresDaemon one{here, "one"};
    for (std::size_t session = 0; session < 5; ++session)
        report_many(one, "s" + std::to_string(session), 0, kBatch);
    settle(one);
    one.upkeep();
    CHECK(ids_in(here) <= kStep);
    CHECK(here.number("SELECT count(*) FROM snapshot") == 2);
    one.upkeep();
    one.upkeep();
    CHECK(ids_in(here) == 5 * kBatch);
    CHECK(here.number("SELECT count(*) FROM snapshot") == 5);
}

TEST_CASE("cluster: a step saves as many ids as have come since the one before", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    settings.resident_max = 1;  // all are wanted at once
    PostgresDaemon one{here, "one", std::move(settings)};
    for (int round = 1; round <= 3; ++round) {
        for (std::size_t session = 0; session < 6; ++session) {
            const std::string name = "s" + std::to_string(round) + std::to_string(session);
            report_many(one, name, 0, kBatch);
        }
        one.upkeep();
        CHECK(ids_in(here) >= static_cast<std::size_t>(round) * 5 * kBatch);
    }
}

TEST_CASE("cluster: a daemon that sends no messages sees that another has sent them", "[cluster]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    EngineSettings settings;
    core::WebhookRule rule;
    rule.name = "ops";
    rule.target = "its address";
    rule.events.set(static_cast<std::size_t>(core::EventType::kSessionEnded));
    settings.webhooks = {{rule}, {core::Millis{0}}};
    PostgresDaemon one{here, "one", settings};
    PostgresDaemon two{here, "two", settings};
    std::vector<WebhookJob> jobs;
    two.engine().send_webhooks_with([&jobs](WebhookJob job) {
        jobs.push_back(std::move(job));
        return true;
    });
    for (const char* session : {"a", "b", "c"})
        one.ask(EndCommand{(one.report(session, {beat()}), session), {}});
    const auto figures = [](PostgresDaemon& daemon) {
        REQUIRE(daemon.stats.webhooks);
        const WebhookStats& ops = daemon.stats.webhooks->front();
        return std::array{ops.pending, ops.delivered, ops.dead};
    };
    CHECK(figures(one) == std::array<std::uint64_t, 3>{3, 0, 0});
    for (std::size_t sent = 0; sent < 3;) {
        testclock::jump(Jump::pass(core::Millis{1'100}));
        two.turn();
        for (; sent < jobs.size(); ++sent) {
            WebhookDoneCommand done;
            done.result.job = jobs[sent];
            done.result.outcome = WebhookOutcome::kDelivered;
            two.ask(std::move(done));
        }
    }
    testclock::jump(Jump::pass(core::Millis{1'100}));
    one.turn();
    CHECK(figures(one) == std::array<std::uint64_t, 3>{0, 3, 0});
    const Answer shown = one.ask(WebhooksQuery{});
    CHECK(std::get<BodyReply>(shown).body.find("\"pending\":0") != std::string::npos);
    // An address that is gone is gone for all of them.
    one.report("d", {beat()});
    one.ask(EndCommand{"d", {}});
    for (int turns = 0; turns < 10 && jobs.size() < 4; ++turns) {
        testclock::jump(Jump::pass(core::Millis{1'100}));
        two.turn();
    }
    REQUIRE(jobs.size() == 4);
    WebhookDoneCommand gone;
    gone.result.job = jobs.back();
    gone.result.outcome = WebhookOutcome::kGone;
    two.ask(std::move(gone));
    testclock::jump(Jump::pass(core::Millis{1'100}));
    one.turn();
    CHECK(figures(one) == std::array<std::uint64_t, 3>{0, 3, 1});
}

TEST_CASE("cluster: a clock of the database that is ahead of the machine's deletes nothing",
          "[cluster]") {
    if (!PostgresHere::found()) return;
    using std::chrono::days;
    const PostgresHere here;
    EngineSettings settings;
    settings.retention = days{10};
    const auto kept = [&here] {
        return here.number("SELECT count(*) FROM session WHERE name IS NOT NULL");
    };
    {
        PostgresDaemon one{here, "one", settings};
        one.ask(EndCommand{(one.report("s", {beat()}), "s"), {}});
        here.run("UPDATE session SET ended_at=ended_at-20*86400000::bigint");
        testclock::jump(Jump::step(-days{15}));
        one.turn();
        one.upkeep();
        CHECK(kept() == 1);
        testclock::jump(Jump::step(days{15}));
    }
    PostgresDaemon two{here, "two", settings};
    two.turn();
    two.upkeep();
    CHECK(kept() == 0);
}
