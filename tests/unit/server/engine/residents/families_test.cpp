// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/families.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/base/limits.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/supervised.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;
using headway::storage::SessionKey;

namespace {

OpenCommand opening(const std::string& id, const std::string& parent = {}) {
    OpenCommand command;
    command.session = id;
    command.about.parent = parent;
    command.about.policy.heartbeat_interval_ms = 1'000;
    return command;
}

Verdict verdict(Supervised& s, const std::string& id) {
    const auto reply = s.ask(ViewQuery{id});
    require_ok(reply);
    return std::get<ViewReply>(*reply).view->judgement->verdict;
}

/// A family on a clock of its own, where everybody is quiet but who beats.
struct Quiet {
    Timestamp now = at(0);
    Supervised s{EngineSettings{}, at(0)};

    void pass(std::int64_t ms, std::initializer_list<const char*> beating = {}) {
        for (const Timestamp end = now + Millis{ms}; now < end;) {
            now += Millis{500};
            s.clock().advance_to(now);
            for (const char* id : beating)
                (void)s.report(id, {beat()});
            (void)s.turn({});
        }
    }
};

}  // namespace

TEST_CASE("families: joining, leaving and looking agree with a plain set", "[server]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    Families families;
    std::map<std::string, std::set<SessionKey>> plain;
    const auto leaves = [&plain](SessionKey child) {
        for (auto& [parent, children] : plain)
            children.erase(child);
    };
    for (int i = 0; i < 20'000; ++i) {
        const auto child = static_cast<SessionKey>(1 + gen.below(60));
        // A child may change to another parent.
        const std::string parent =
            "p" + std::to_string((static_cast<std::uint64_t>(child) + gen.below(2)) % 5);
        switch (gen.below(3)) {
            case 0:
                families.join(parent, child);
                leaves(child);
                plain[parent].insert(child);
                break;
            case 1:
                families.leave(child);
                leaves(child);
                break;
            default:
                families.hear(child);
                break;
        }
        std::set<SessionKey> seen;
        bool twice = false;
        std::size_t looks = Families::kLooksMax;
        const bool found = families.any(parent, looks, [&seen, &twice](SessionKey key) {
            twice = twice || !seen.insert(key).second;
            return false;
        });
        REQUIRE_FALSE(found);
        REQUIRE_FALSE(twice);
        REQUIRE(seen == plain[parent]);
        REQUIRE(families.has_children(parent) == !plain[parent].empty());
    }
}

TEST_CASE("families: who was heard is looked at first, and a look is bounded", "[server]") {
    Families families;
    for (SessionKey child = 1; child <= 20'000; ++child)
        families.join("p", child);
    families.hear(12'345);
    std::size_t looks = Families::kLooksMax;
    const bool first = families.any("p", looks, [](SessionKey key) { return key == 12'345; });
    CHECK(first);
    CHECK(looks == Families::kLooksMax - 1);
    std::set<SessionKey> seen;
    for (int round = 0; round < 5; ++round) {  // by turns all of them
        looks = Families::kLooksMax;
        const bool found = families.any("p", looks, [&seen](SessionKey key) {
            seen.insert(key);
            return false;
        });
        CHECK_FALSE(found);
        CHECK(looks == 0);
    }
    CHECK(seen.size() == 20'000);
}

TEST_CASE("families: a grandparent waits while only its grandchild works", "[server]") {
    Quiet q;
    require_ok(q.s.ask(opening("top")));
    require_ok(q.s.ask(opening("middle", "top")));
    require_ok(q.s.ask(opening("low", "middle")));
    q.pass(20'000, {"low"});
    CHECK(verdict(q.s, "middle") == Verdict::kWaiting);
    CHECK(verdict(q.s, "top") == Verdict::kWaiting);
    q.pass(10'000);
    for (const char* id : {"low", "middle", "top"})
        CHECK(verdict(q.s, id) == Verdict::kSilent);
    q.pass(1'000, {"low"});  // and at once again when it is back
    CHECK(verdict(q.s, "middle") == Verdict::kWaiting);
    CHECK(verdict(q.s, "top") == Verdict::kWaiting);
    (void)q.s.report("low", {ended(Outcome::kCompleted)});
    (void)q.s.turn({});
    CHECK(verdict(q.s, "top") == Verdict::kSilent);
}

TEST_CASE("families: a child that waits for a person or a call keeps its parent waiting",
          "[server]") {
    Quiet q;
    require_ok(q.s.ask(opening("asks")));
    require_ok(q.s.ask(opening("asking", "asks")));
    AskCommand question;
    question.session = "asking";
    question.asked.tool = "deploy";
    require_ok(q.s.ask(question));
    require_ok(q.s.ask(opening("calls")));
    require_ok(q.s.ask(opening("calling", "calls")));
    (void)q.s.report("calling", {tool_started("c1")});
    q.pass(20'000);
    CHECK(verdict(q.s, "asking") == Verdict::kBlocked);
    CHECK(verdict(q.s, "asks") == Verdict::kWaiting);
    CHECK(verdict(q.s, "calling") == Verdict::kSlow);
    CHECK(verdict(q.s, "calls") == Verdict::kWaiting);
}

TEST_CASE("families: sessions that name each other as parents end no turn", "[server]") {
    Quiet q;
    require_ok(q.s.ask(opening("a", "b")));
    require_ok(q.s.ask(opening("b", "a")));
    q.pass(10'000);
    CHECK(verdict(q.s, "a") == Verdict::kSilent);
    q.pass(2'000, {"a"});
    CHECK(verdict(q.s, "b") == Verdict::kWaiting);
}
