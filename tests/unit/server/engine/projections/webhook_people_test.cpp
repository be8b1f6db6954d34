// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/base/limits.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

// Messages of the outbox to people: together, in bounds, and all of it.

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;

namespace {

/// A scheduler with one endpoint for people, on a real outbox. Time is in milliseconds.
struct People {
    TempDir dir;
    std::unique_ptr<headway::storage::SqliteStore> store;
    WebhookRules rules;
    std::unique_ptr<WebhookScheduler> scheduler;
    std::vector<WebhookJob> sent;
    std::map<std::string, Session> sessions;
    std::map<std::string, std::uint64_t> numbers;

    explicit People(PeopleLimits limits = {3, 10min, 2s}) {
        WebhookRule rule;
        rule.name = "ops";
        rule.target = "x";
        rule.format = WebhookFormat::kSlack;
        rule.limits = limits;
        for (const EventType type : {EventType::kVerdictChanged, EventType::kApprovalRequested})
            rule.events.set(static_cast<std::size_t>(type));
        rule.verdicts.set();
        rules = {{rule}, {0s, 5s, 10s, 1h}};
        auto opened = headway::storage::SqliteStore::open(dir.file());
        require_ok(opened);
        store = *std::move(opened);
        restart(0);
    }
    void restart(std::int64_t now) {
        scheduler = std::make_unique<WebhookScheduler>(store->outbox(), rules);
        scheduler->send_with([this](WebhookJob job) {
            sent.push_back(std::move(job));
            return true;
        });
        require_ok(scheduler->load(at(now)));
        require_ok(scheduler->save_changes());
    }
    void happens(std::int64_t now, const std::string& id, Payload payload) {
        Event event;
        event.payload = std::move(payload);
        event.n = ++numbers[id];
        event.at = at(now);
        require_ok(scheduler->note(sessions.try_emplace(id, id).first->second, {&event, 1}));
    }
    void is(std::int64_t now, const std::string& id, Verdict verdict) {
        VerdictChanged change;
        change.to = verdict;
        happens(now, id, std::move(change));
    }
    void asks(std::int64_t now, const std::string& id) {
        ApprovalRequested asked;
        asked.tool = "bash";
        happens(now, id, std::move(asked));
    }
    std::optional<WebhookJob> goes(std::int64_t now) {
        const std::size_t before = sent.size();
        require_ok(scheduler->send_due(at(now)));
        if (sent.size() == before) return std::nullopt;
        REQUIRE(sent.size() == before + 1);
        return sent.back();
    }
    void ends(const WebhookJob& job, WebhookOutcome outcome, std::int64_t now) {
        WebhookResult result;
        result.job = job;
        result.outcome = outcome;
        if (outcome != WebhookOutcome::kDelivered) result.reason = "HTTP 500";
        scheduler->landed(result);
        require_ok(scheduler->settle(result, at(now)));
    }
    std::vector<std::string> arrives(std::int64_t now) {
        const auto job = goes(now);
        if (!job) return {};
        ends(*job, WebhookOutcome::kDelivered, now);
        return names_of(*job);
    }
    static std::vector<std::string> names_of(const WebhookJob& job) {
        std::vector<std::string> names{job.session};
        for (const WebhookPart& other : job.others)
            names.push_back(other.session);
        return names;
    }
    headway::api::WebhookDocument shown() { return scheduler->documents().front(); }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("webhook people: events of one cause are one message, settled together", "[server]") {
    People d;
    d.is(0, "a", Verdict::kSilent);
    d.is(1'000, "b", Verdict::kStuck);
    d.is(1'500, "c", Verdict::kSilent);
    CHECK_FALSE(d.goes(1'900).has_value());  // others may come
    CHECK(d.scheduler->next_wake() == at(2'000));
    const auto job = d.goes(2'000);
    REQUIRE(job.has_value());
    CHECK(People::names_of(*job) == Names{"a", "c"});
    CHECK_FALSE(job->backlog);
    CHECK(job->others.front().body.find("\"session\":\"c\"") != std::string::npos);
    d.ends(*job, WebhookOutcome::kDelivered, 2'100);
    CHECK(d.shown().pending == 1);
    CHECK(d.shown().delivered == 2);
    CHECK(d.arrives(3'000) == Names{"b"});
    CHECK(d.scheduler->next_wake() == kNever);
}

TEST_CASE("webhook people: a request for approval waits for nothing", "[server]") {
    People d;
    d.is(0, "a", Verdict::kStuck);
    d.asks(100, "b");
    CHECK(d.arrives(100) == Names{"b"});
    d.asks(2'500, "c");
    d.asks(2'500, "d");
    CHECK(d.arrives(2'500) == Names{"c"});  // before the older one, each by itself
    CHECK(d.arrives(2'500) == Names{"d"});
}

TEST_CASE("webhook people: what exceeds a window is one message at its end", "[server]") {
    People d;
    for (int i = 0; i < 3; ++i) {
        d.asks(i, "q" + std::to_string(i));
        CHECK(d.arrives(i) == Names{"q" + std::to_string(i)});
    }
    d.is(10'000, "a", Verdict::kStuck);
    d.is(20'000, "b", Verdict::kSilent);
    d.asks(30'000, "c");
    CHECK_FALSE(d.goes(599'999).has_value());
    CHECK(d.scheduler->next_wake() == at(600'000));
    CHECK(d.shown().next_at == at(600'000));
    d.is(600'000, "late", Verdict::kStuck);
    const auto job = d.goes(600'000);
    REQUIRE(job.has_value());
    CHECK(People::names_of(*job) == Names{"a", "b", "c"});
    CHECK(job->backlog);
    d.ends(*job, WebhookOutcome::kDelivered, 600'000);
    CHECK(d.arrives(602'000) == Names{"late"});
}

TEST_CASE("webhook people: half of a window is for requests, whatever else happens", "[server]") {
    People d{{4, 10min, 2s}};
    d.is(0, "a", Verdict::kStuck);
    CHECK(d.arrives(2'000) == Names{"a"});
    d.is(10'000, "b", Verdict::kStuck);
    CHECK(d.arrives(12'000) == Names{"b"});
    d.is(20'000, "c", Verdict::kStuck);
    CHECK_FALSE(d.goes(22'000).has_value());
    CHECK(d.scheduler->next_wake() == at(602'000));
    d.asks(30'000, "q");
    CHECK(d.arrives(30'000) == Names{"q"});
    CHECK_FALSE(d.goes(30'000).has_value());
    CHECK(d.scheduler->next_wake() == at(602'000));
    d.asks(40'000, "r");
    CHECK(d.arrives(40'000) == Names{"r"});
    d.asks(50'000, "s");
    CHECK_FALSE(d.goes(50'000).has_value());
    CHECK(d.scheduler->next_wake() == at(602'000));
    CHECK(d.arrives(602'000) == Names{"c", "s"});
}

TEST_CASE("webhook people: a failed message is tried again as a whole", "[server]") {
    People d;
    d.is(0, "a", Verdict::kSilent);
    d.is(0, "b", Verdict::kSilent);
    const auto first = d.goes(2'000);
    REQUIRE(first.has_value());
    d.ends(*first, WebhookOutcome::kAway, 2'000);
    CHECK(d.shown().failed == 1);
    CHECK_FALSE(d.goes(6'900).has_value());
    const auto again = d.goes(9'000);
    REQUIRE(again.has_value());
    CHECK(People::names_of(*again) == Names{"a", "b"});
    CHECK(again->tries == 1);
    CHECK(again->others.front().tries == 1);
    d.ends(*again, WebhookOutcome::kRefused, 9'000);
    // Messages that were refused together are tried one by one: one of them may be at fault.
    const auto alone = d.goes(30'000);
    REQUIRE(alone.has_value());
    CHECK(alone->others.empty());
    d.ends(*alone, WebhookOutcome::kRefused, 30'000);
    CHECK(d.arrives(30'000).size() == 1);
    CHECK(d.shown().pending == 1);
}

TEST_CASE("webhook people: a crash before the settlement repeats all of a message", "[server]") {
    People d;
    d.is(0, "a", Verdict::kSilent);
    d.is(0, "b", Verdict::kSilent);
    const auto first = d.goes(2'000);
    d.restart(2'000);
    const auto again = d.goes(2'000);
    REQUIRE(again.has_value());
    CHECK(People::names_of(*again) == People::names_of(*first));
    CHECK(again->id == first->id);
    CHECK(again->others.front().id == first->others.front().id);
}

TEST_CASE("webhook people: a test goes at once and is not counted", "[server]") {
    People d{{1, 10min, 2s}};
    CHECK(d.arrives(0).empty());
    for (int i = 0; i < 3; ++i) {
        require_ok(d.scheduler->test("ops", {}));
        CHECK(d.sent.back().type == "webhook.test");
        d.ends(d.sent.back(), WebhookOutcome::kDelivered, 0);
    }
    d.asks(0, "a");
    CHECK(d.arrives(0) == Names{"a"});
    d.asks(1, "b");
    CHECK_FALSE(d.goes(1).has_value());
}

TEST_CASE("webhook people: nothing is lost, nothing comes twice, requests keep their order",
          "[server]") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Gen gen(seed);
        CAPTURE(seed);
        const auto max = static_cast<std::uint32_t>(1 + gen.below(5));
        People d{{max, 1min, gen.chance(2) ? Millis{0} : Millis{2'000}}};
        std::vector<std::string> asked, told_of;
        std::map<std::string, int> sent;
        std::vector<std::int64_t> messages;
        std::int64_t now = 0;
        std::size_t created = 0;
        const bool fails = gen.chance(2);
        const auto deliver = [&] {
            const auto job = d.goes(now);
            if (!job) return;
            if (fails && gen.chance(4)) {
                d.ends(*job, gen.chance(2) ? WebhookOutcome::kAway : WebhookOutcome::kRefused, now);
                return;
            }
            messages.push_back(now);
            const auto count = [&](const WebhookPart& part) {
                ++sent[part.session];
                if (part.type == "approval.requested") told_of.push_back(part.session);
            };
            count(*job);
            for (const WebhookPart& other : job->others)
                count(other);
            d.ends(*job, WebhookOutcome::kDelivered, now);
        };
        for (int step = 0; step < 120; ++step) {
            now += static_cast<std::int64_t>(gen.below(gen.chance(4) ? 20'000 : 300));
            const std::string id = "s" + std::to_string(created++);
            if (gen.chance(4)) {
                d.asks(now, id);
                asked.push_back(id);
            } else {
                d.is(now, id, gen.chance(2) ? Verdict::kStuck : Verdict::kSilent);
            }
            if (gen.chance(2)) deliver();
            if (fails && gen.chance(40)) d.restart(now);
        }
        while (d.scheduler->next_wake() != kNever) {
            now = std::max(now, (d.scheduler->next_wake() - at(0)).count());
            deliver();
        }
        const auto shown = d.shown();
        CHECK(shown.pending == 0);
        CHECK(sent.size() + shown.dead == created);
        if (fails) continue;
        CHECK(shown.dead == 0);
        CHECK(
            std::all_of(sent.begin(), sent.end(), [](const auto& one) { return one.second == 1; }));
        CHECK(told_of == asked);
        // So many are in three windows at least, of which the one in the middle is whole.
        for (std::size_t i = 2 * max; i < messages.size(); ++i)
            CHECK(messages[i] - messages[i - 2 * max] >= 60'000);
    }
}
