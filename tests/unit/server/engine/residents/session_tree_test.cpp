// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/session_tree.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/support/supervised.hpp"

// Changes by a sub-agent count for the call of its parent that launched it.

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

void open(Supervised& s, const std::string& id, const std::string& parent = {}) {
    OpenCommand command;
    command.session = id;
    command.about.parent = parent;
    require_ok(s.ask(command));
}

/// The end of a call that changes nothing itself.
Event tree_ends(const std::string& call_id, const std::string& tool = "task") {
    ToolFinished data;
    data.call_id = call_id;
    data.tool = tool;
    data.ok = true;
    return event(std::move(data));
}

Event agent_is(AgentState state) {
    StateChanged data;
    data.state = state;
    return event(std::move(data));
}

/// An edit by a sub-agent.
void edits(Supervised& s, const std::string& child, const std::string& file) {
    (void)s.report(child, {tool_finished(file)});
}

/// Calls of the parent that a change below counts for.
std::set<std::string> credited(Supervised& s) {
    std::set<std::string> calls;
    for (const Event& one : s.journal("p")) {
        const auto* call = std::get_if<ToolFinished>(&one.payload);
        if (call != nullptr && call->changed_below) calls.insert(call->call_id);
    }
    return calls;
}

using Calls = std::set<std::string>;

}  // namespace

TEST_CASE("session tree: a change below counts for the call that launched the sub-agent",
          "[server]") {
    Supervised s;
    open(s, "p");
    (void)s.report("p", {tool_started("t1", "task"), tool_started("b1")});
    open(s, "c", "p");
    edits(s, "c", "one");
    (void)s.report("p", {tree_ends("b1", "bash"), tree_ends("t1"), tree_ends("t2")});
    CHECK(credited(s) == Calls{"t1"});
}

TEST_CASE("session tree: a change below counts where the parent reports no beginnings of calls",
          "[server]") {
    Supervised s;
    open(s, "p");
    open(s, "c", "p");
    edits(s, "c", "one");
    (void)s.report("p", {tree_ends("b1", "bash"), tree_ends("t1"), tree_ends("t2")});
    CHECK(credited(s) == Calls{"t1"});
    edits(s, "c", "two");
    (void)s.report("p", {tree_ends("t3")});
    CHECK(credited(s) == Calls{"t1", "t3"});
}

TEST_CASE("session tree: a pause of the parent keeps what launched its sub-agent", "[server]") {
    Supervised s;
    open(s, "p");
    (void)s.report("p", {tool_started("t0", "task"), tree_ends("t0"), tool_started("t1", "task")});
    open(s, "c", "p");
    (void)s.report("p", {agent_is(AgentState::kAwaitingPermission)});
    s.clock().advance_to(s.clock().now() + Millis{60'000});
    (void)s.report("p", {agent_is(AgentState::kExecutingTool)});
    edits(s, "c", "one");
    (void)s.report("p", {tree_ends("t1")});
    CHECK(credited(s) == Calls{"t1"});
}

TEST_CASE("session tree: changes below calls at the same time count for each of them", "[server]") {
    Supervised s;
    open(s, "p");
    (void)s.report("p", {tool_started("t1", "task")});
    open(s, "c1", "p");
    (void)s.report("p", {tool_started("t2", "task")});
    open(s, "c2", "p");
    edits(s, "c1", "one");
    edits(s, "c2", "two");
    (void)s.report("p", {tree_ends("t1"), tree_ends("t2"), tree_ends("t3")});
    CHECK(credited(s) == Calls{"t1", "t2"});
}

TEST_CASE("session tree: a change by a sub-agent in the background counts for the next launch",
          "[server]") {
    Supervised s;
    open(s, "p");
    (void)s.report("p", {tool_started("t1", "task")});
    open(s, "c", "p");
    (void)s.report("p", {tree_ends("t1")});
    edits(s, "c", "one");
    (void)s.report("p", {tree_ends("b1", "bash"), tree_ends("t2"), tree_ends("t3")});
    CHECK(credited(s) == Calls{"t2"});
}
