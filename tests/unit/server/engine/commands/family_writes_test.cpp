// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/family_writes.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/supervised.hpp"

// Messages of a write to relatives: stored with the write, decided by them in the next turn.

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

OpenCommand open_below(const std::string& id, const std::string& parent = {},
                       std::optional<std::uint64_t> steps = {}) {
    OpenCommand command;
    command.session = id;
    command.about.parent = parent;
    command.about.budget.max_steps = steps;
    return command;
}

std::vector<ChildProgress> heard_by(Supervised& s, const std::string& id) {
    std::vector<ChildProgress> all;
    for (const Event& one : s.journal(id)) {
        if (const auto* progress = std::get_if<ChildProgress>(&one.payload))
            all.push_back(*progress);
    }
    return all;
}

std::size_t waiting(Supervised& s) {
    return s.sqlite().inbox().receivers().value().size();
}

}  // namespace

TEST_CASE(
    "family writes: a report changes its own session; its parent hears of it in the next turn",
    "[server]") {
    Supervised s;
    (void)s.ask(open_below("parent", {}, 20));
    (void)s.ask(open_below("child", "parent"));
    (void)s.turn({});
    const auto before = s.journal("parent").size();
    (void)s.report("child", {tool_finished("c1")});
    CHECK(s.journal("parent").size() == before);
    CHECK(waiting(s) == 1);
    (void)s.turn({});
    REQUIRE(heard_by(s, "parent").size() == 2);  // the first: that it was opened
    CHECK(heard_by(s, "parent")[0].steps == 0);
    CHECK(heard_by(s, "parent")[1].steps == 1);
    CHECK(waiting(s) == 0);
    (void)s.turn({});
    CHECK_FALSE(s.published);  // there is nothing left to do
}

TEST_CASE("family writes: what a read of the next turn sees includes all generations", "[server]") {
    Supervised s;
    (void)s.ask(open_below("a", {}, 20));
    (void)s.ask(open_below("b", "a"));
    (void)s.ask(open_below("c", "b"));
    (void)s.ask(open_below("d", "c"));
    (void)s.report("d", {tool_finished("c1")});
    const auto shown = s.ask(SessionQuery{"a"});
    require_ok(shown);
    CHECK(std::get<BodyReply>(*shown).body.find("\"steps_completed\":1") != std::string::npos);
}

TEST_CASE("family writes: what was told survives a power cut", "[server]") {
    Supervised s;
    (void)s.ask(open_below("parent", {}, 20));
    (void)s.ask(open_below("child", "parent"));
    (void)s.turn({});
    (void)s.report("child", {tool_finished("c1")});
    CHECK(heard_by(s, "parent").size() == 1);
    s.restart();
    (void)s.turn({});
    REQUIRE(heard_by(s, "parent").size() == 2);
    s.restart();
    (void)s.turn({});
    CHECK(heard_by(s, "parent").size() == 2);
}

TEST_CASE("family writes: a failed commit tells the parent again, once", "[server]") {
    Supervised s;
    (void)s.ask(open_below("parent", {}, 20));
    (void)s.ask(open_below("child", "parent"));
    (void)s.report("child", {tool_finished("c1")});
    s.store().fail(FailingStore::Step::kCommit, ErrorCode::kStorageUnavailable);
    (void)s.turn({});
    s.store().fail(FailingStore::Step::kNone);
    CHECK(heard_by(s, "parent").size() == 1);
    s.engine().upkeep(true);
    (void)s.turn({});
    REQUIRE(heard_by(s, "parent").size() == 2);
    CHECK(waiting(s) == 0);
}

TEST_CASE("family writes: a parent that cannot be loaded does not stop its children", "[server]") {
    Supervised s;
    (void)s.ask(open_below("parent", {}, 20));
    (void)s.ask(open_below("child", "parent"));
    (void)s.turn({});
    (void)s.report("child", {tool_finished("c1")});
    const auto key = s.sqlite().find("parent").value();
    require_ok(s.sqlite().begin());
    Event stray = event(ChildProgress{});
    require_ok(s.sqlite().inbox().post(*key + 1'000, stray));
    require_ok(s.sqlite().commit());
    s.restart();
    (void)s.turn({});
    CHECK(heard_by(s, "parent").size() == 2);
    CHECK(waiting(s) == 0);
    CHECK(s.report("child", {tool_finished("c2")}).accepted == 1);
}

namespace {

std::uint64_t steps_of(Supervised& s, const std::string& id) {
    while (s.sqlite().inbox().receivers().value().size() > 0)
        (void)s.turn({});
    const auto shown = s.ask(SessionQuery{id});
    require_ok(shown);
    return nlohmann::json::parse(std::get<BodyReply>(*shown).body)["budget"]["steps_completed"];
}

void work(Supervised& s, const std::string& id, int calls) {
    static int made = 0;
    for (int i = 0; i < calls; ++i)
        (void)s.report(id, {tool_finished("call-" + std::to_string(++made))});
}

}  // namespace

TEST_CASE("family writes: use passes a session that has ended to the ancestors of it", "[server]") {
    Supervised s;
    (void)s.ask(open_below("root", {}, 100));
    (void)s.ask(open_below("middle", "root"));
    (void)s.ask(open_below("leaf", "middle"));
    work(s, "middle", 1);
    work(s, "leaf", 2);
    CHECK(steps_of(s, "root") == 3);
    require_ok(s.ask(EndCommand{"middle", {}}));
    CHECK(steps_of(s, "root") == 3);
    work(s, "leaf", 4);
    CHECK(steps_of(s, "root") == 7);
    (void)s.ask(open_below("later", "middle"));
    work(s, "later", 1);
    s.restart();
    CHECK(steps_of(s, "root") == 8);
    require_ok(s.ask(EndCommand{"leaf", {}}));
    require_ok(s.ask(EndCommand{"later", {}}));
    CHECK(steps_of(s, "root") == 8);
}

TEST_CASE("family writes: use goes to the generation in which an ended parent goes on",
          "[server]") {
    Supervised s;
    (void)s.ask(open_below("x", {}, 100));
    (void)s.ask(open_below("child", "x"));
    work(s, "child", 2);
    CHECK(steps_of(s, "x") == 2);
    require_ok(s.ask(EndCommand{"x", {}}));
    (void)s.ask(open_below("x~2"));
    work(s, "child", 3);
    CHECK(steps_of(s, "x~2") == 3);
    require_ok(s.ask(EndCommand{"x~2", {}}));
    (void)s.ask(open_below("x~3"));
    work(s, "child", 1);
    CHECK(steps_of(s, "x~3") == 1);
    CHECK(steps_of(s, "x~2") == 3);
}

TEST_CASE("family writes: use is counted once above a parent that goes on later", "[server]") {
    Supervised s;
    (void)s.ask(open_below("root", {}, 100));
    (void)s.ask(open_below("p", "root"));
    (void)s.ask(open_below("c", "p"));
    work(s, "c", 1);
    require_ok(s.ask(EndCommand{"p", {}}));
    work(s, "c", 2);
    CHECK(steps_of(s, "root") == 3);
    (void)s.ask(open_below("p~2", "root"));
    work(s, "c", 4);
    CHECK(steps_of(s, "root") == 7);
    CHECK(heard_by(s, "p~2").back().steps == 4);
    require_ok(s.ask(EndCommand{"c", {}}));
    CHECK(steps_of(s, "root") == 7);
}

TEST_CASE("family writes: the budget of the generation that pays restrains the child", "[server]") {
    Supervised s;
    require_ok(s.ask(open_below("x", {}, 20)));
    (void)s.ask(open_below("child", "x"));
    work(s, "child", 1);
    require_ok(s.ask(EndCommand{"x", {}}));
    require_ok(s.ask(open_below("x~2", {}, 20)));
    work(s, "child", 25);
    (void)steps_of(s, "x~2");
    work(s, "child", 1);
    const auto shown = s.ask(SessionQuery{"child"});
    require_ok(shown);
    const auto child = nlohmann::json::parse(std::get<BodyReply>(*shown).body);
    CHECK(child["directives"].dump().find("x~2") != std::string::npos);
}

TEST_CASE("family writes: generations whose parents make a circle count no use twice", "[server]") {
    Supervised s;
    (void)s.ask(open_below("x"));
    (void)s.ask(open_below("a", "x"));
    (void)s.ask(open_below("y"));
    (void)s.ask(open_below("b", "y"));
    require_ok(s.ask(EndCommand{"x", {}}));
    require_ok(s.ask(EndCommand{"y", {}}));
    (void)s.ask(open_below("x~2", "b", 100));
    (void)s.ask(open_below("y~2", "a", 100));
    for (int i = 0; i < 5; ++i) {
        work(s, "a", 1);
        work(s, "b", 1);
        (void)s.turn({});
    }
    for (int i = 0; i < 10; ++i)
        (void)s.turn({});
    CHECK(waiting(s) == 0);
    const auto use = steps_of(s, "x~2") + steps_of(s, "y~2");
    CHECK(use <= 20);  // each step once in each
}
