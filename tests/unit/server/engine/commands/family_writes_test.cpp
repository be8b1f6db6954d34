// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/family_writes.hpp"

#include <catch2/catch.hpp>

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
