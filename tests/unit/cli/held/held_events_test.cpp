// SPDX-License-Identifier: Apache-2.0
#include "cli/held/held_events.hpp"

#include <catch2/catch.hpp>
#include <string>

using headway::cli::HeldEvent;
using headway::cli::HeldEvents;
using headway::cli::Json;
using headway::cli::SteadyTime;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Lines and hooks of one session, with a clock of its own.
struct Both {
    HeldEvents held;
    SteadyTime now{};
    bool other_ids = false;

    void line(const std::string& type, Json data) {
        held.add({type, std::move(data), {}, other_ids}, now);
    }
    void line_begins(const std::string& id, const std::string& command = "make") {
        line("tool.started", {{"call_id", id}, {"tool", "Bash"}, {"args", {{"command", command}}}});
    }
    void line_ends(const std::string& id, const std::string& command = "make") {
        line("tool.finished",
             {{"call_id", id}, {"tool", "Bash"}, {"args", {{"command", command}}}});
    }
    void line_says(const std::string& text) {
        line("message", {{"role", "assistant"}, {"text", text}});
    }
    void line_uses(int tokens) { line("heartbeat", {{"usage", {{"input_tokens", tokens}}}}); }
    void hook(const std::string& type, const std::string& id, const std::string& command = "make") {
        held.note({{"type", type},
                   {"data", {{"call_id", id}, {"tool", "Bash"}, {"args", {{"command", command}}}}}},
                  now);
    }
    void hook_uses(int tokens) {
        held.note({{"type", "heartbeat"}, {"data", {{"usage", {{"input_tokens", tokens}}}}}}, now);
    }

    /// The events to be reported after this time, by type and id, text or tokens.
    std::string after(milliseconds time, bool over = false, bool waits = false) {
        now += time;
        std::string all;
        for (const HeldEvent& event : held.take(now, over, waits)) {
            const Json& data = event.data;
            all += event.type == "tool.started"    ? "+" + data.text_of("call_id")
                   : event.type == "tool.finished" ? "-" + data.text_of("call_id")
                   : event.type == "message"
                       ? data.text_of("text")
                       : std::to_string(data["usage"].count_of("input_tokens"));
            all += " ";
        }
        return all;
    }
};

}  // namespace

TEST_CASE("held events: nothing that hooks report is reported twice", "[cli]") {
    Both both;
    for (int i = 0; i < 50; ++i) {
        const std::string id = "c" + std::to_string(i);
        both.line_says("next");
        both.line_uses(100);
        both.line_begins(id);
        both.hook("tool.started", id);
        CHECK(both.after(milliseconds{500}).empty());
        both.hook("tool.finished", id);
        both.hook_uses(100);
        both.line_ends(id);
        CHECK(both.after(seconds{30}).empty());
    }
    CHECK_FALSE(both.held.silent());
    CHECK(both.after(seconds{1}, true).empty());
    CHECK(both.held.empty());
}

TEST_CASE("held events: hooks that report nothing hide no call, message or token", "[cli]") {
    Both both;
    both.line_says("I try");
    both.line_uses(100);
    for (const char* id : {"a", "b"}) {
        both.line_begins(id);
        both.line_ends(id);
    }
    CHECK(both.after(seconds{1}).empty());
    CHECK(both.after(seconds{1}) == "I try 100 +a -a +b -b ");
    CHECK(both.held.silent());
    both.line_begins("c");
    both.line_uses(7);
    CHECK(both.after(milliseconds{500}).empty());
    CHECK(both.after(milliseconds{500}) == "+c 7 ");
    // They begin to report: the next is theirs again.
    both.line_says("more");
    both.line_begins("d");
    both.hook("tool.started", "d");
    CHECK(both.after(milliseconds{500}).empty());
    CHECK_FALSE(both.held.silent());
}

TEST_CASE("held events: a single call without a hook is reported when its time is over", "[cli]") {
    Both both;
    both.hook("tool.started", "a");
    both.hook("tool.finished", "a");
    both.line_begins("a");
    both.line_ends("a");
    both.line_begins("b");
    both.line_ends("b");
    both.line_says("so");
    CHECK(both.after(seconds{9}).empty());
    CHECK(both.after(seconds{1}) == "+b -b ");
    CHECK_FALSE(both.held.silent());
    both.hook("tool.started", "c");
    both.line_begins("c");
    CHECK(both.after(seconds{1}).empty());
    CHECK(both.held.empty());
}

TEST_CASE("held events: calls that run one after the other come late in hooks, and count once",
          "[cli]") {
    Both both;
    both.line_begins("a");
    both.line_begins("b");
    both.hook("tool.started", "a");
    CHECK(both.after(seconds{600}).empty());
    both.hook("tool.finished", "a");
    both.line_ends("a");
    both.hook("tool.started", "b");
    CHECK(both.after(seconds{600}).empty());
    CHECK(both.held.empty());
}

TEST_CASE("held events: a first call that hangs is reported, unless a person holds it", "[cli]") {
    Both both;
    both.line_begins("a");
    CHECK(both.after(seconds{30}, false, true).empty());
    CHECK(both.after(seconds{0}) == "+a ");
    Both asked;
    asked.line_begins("a");
    asked.hook("approval.requested", "a");
    CHECK(asked.after(seconds{600}).empty());
}

TEST_CASE("held events: at the end of the agent all is decided", "[cli]") {
    Both both;
    both.hook("tool.started", "a");
    both.line_begins("a");
    both.line_ends("a");
    both.line_begins("b");
    both.line_ends("b");
    both.line_says("done");
    CHECK(both.after(seconds{0}, true) == "+b -b ");
    CHECK(both.held.empty());
    Both silent;
    silent.line_says("done");
    silent.line_uses(9);
    CHECK(silent.after(seconds{0}, true) == "done 9 ");
    Both told;
    told.held.note({{"type", "message"}, {"data", {{"role", "assistant"}, {"text", "done"}}}},
                   told.now);
    told.hook_uses(9);
    told.line_says("done");
    told.line_uses(9);
    CHECK(told.after(seconds{0}, true).empty());
}

TEST_CASE("held events: tokens are hidden by no hook that reports a few of them", "[cli]") {
    Both both;
    both.hook("tool.started", "a");
    both.line_begins("a");
    both.line_ends("a");
    both.hook_uses(1);
    both.line_uses(1'000);
    CHECK(both.after(seconds{1}).empty());
    CHECK(both.after(seconds{1}, true) == "999 ");
    Both none;
    none.line_uses(1'000);
    CHECK(none.after(seconds{299}).empty());
    CHECK(none.after(seconds{1}) == "1000 ");
}

TEST_CASE("held events: where ids differ, calls are matched by command, then by number", "[cli]") {
    Both both;
    both.other_ids = true;
    for (const char* item : {"item_1", "item_2"}) {  // as in each run of Codex
        both.hook("tool.started", std::string{"call_"} + item, "ls");
        both.hook("tool.finished", std::string{"call_"} + item, "ls");
        both.line_begins("item_0", "/bin/bash -lc 'ls'");
        both.line_ends("item_0", "/bin/bash -lc 'ls'");
        CHECK(both.after(milliseconds{100}).empty());
        CHECK(both.held.empty());
    }
    both.hook("tool.finished", "x");
    both.line("tool.finished", {{"call_id", "y"}, {"tool", "edit"}});
    CHECK(both.after(milliseconds{100}).empty());
    CHECK_FALSE(both.held.empty());
    CHECK(both.after(seconds{2}).empty());
    CHECK(both.held.empty());
    both.line("tool.finished", {{"call_id", "z"}, {"tool", "edit"}});
    CHECK(both.after(seconds{10}) == "-z ");
    // With ids of its own a call takes no other's place.
    Both same;
    same.hook("tool.finished", "x");
    same.line_ends("y");
    CHECK(same.after(seconds{10}) == "-y ");
}

TEST_CASE("held events: their number is bounded, and messages go first", "[cli]") {
    Both both;
    both.line_uses(5);
    for (std::size_t i = 0; i < HeldEvents::kEventsMax; ++i)
        both.line_says("m");
    CHECK(both.held.size() == HeldEvents::kEventsMax);
    CHECK(both.held.dropped() == 1);
    CHECK(both.after(seconds{0}, true).ends_with("m "));
    CHECK(both.held.empty());
    // Figures make room for calls, and lose nothing.
    both.line_begins("a");
    for (std::size_t i = 0; i < HeldEvents::kEventsMax; ++i)
        both.line_uses(1);
    CHECK(both.held.size() == HeldEvents::kEventsMax);
    CHECK(both.held.dropped() == 1);
    CHECK(both.after(seconds{0}, true).starts_with("+a 2 1 1 "));
}

TEST_CASE("held events: the journal is read only while an answer is wanted", "[cli]") {
    Both both;
    CHECK_FALSE(both.held.next_look());
    both.line_says("hi");
    CHECK(*both.held.next_look() == both.now + HeldEvents::kUseMax);
    both.line_begins("a");
    CHECK(*both.held.next_look() == both.now + HeldEvents::kLookEvery);
    both.hook("tool.started", "a");
    CHECK(both.after(milliseconds{500}).empty());
    CHECK_FALSE(both.held.next_look());
}

TEST_CASE("held events: a result that hooks name otherwise takes its start with it", "[cli]") {
    Both both;
    both.other_ids = true;
    both.line("tool.started", {{"call_id", "y"}, {"tool", "file_change"}});
    CHECK(both.after(seconds{1}).empty());
    both.hook("tool.started", "x");
    both.hook("tool.finished", "x");
    both.line("tool.finished", {{"call_id", "y"}, {"tool", "file_change"}});
    CHECK(both.after(seconds{3}).empty());
    CHECK(both.held.empty());
    CHECK(both.after(seconds{60}, true).empty());
}

TEST_CASE("held events: a call that was told of early hides no later one with another id",
          "[cli]") {
    Both both;
    both.other_ids = true;
    for (const char* forged : {"f", "g", "h"}) {
        both.hook("tool.started", forged);
        both.hook("tool.finished", forged);
    }
    CHECK(both.after(seconds{31}).empty());
    both.line_begins("item_0");
    both.line_ends("item_0");
    CHECK(both.after(seconds{10}) == "+item_0 -item_0 ");
    // A person may have taken long to decide about it.
    both.hook("approval.requested", "c", "ls");
    CHECK(both.after(seconds{600}).empty());
    both.line_begins("item_1", "ls");
    both.hook("tool.started", "c", "ls");
    CHECK(both.after(seconds{1}).empty());
    CHECK(both.held.empty());
}

TEST_CASE("held events: a token that hooks report holds the others for minutes, no longer",
          "[cli]") {
    Both both;
    both.hook("tool.started", "a");
    both.line_begins("a");
    both.hook_uses(1);
    both.line_uses(1'000);
    CHECK(both.after(seconds{299}).empty());
    CHECK(both.after(seconds{1}) == "999 ");
}

TEST_CASE("held events: a call that hooks only asked for is reported when it was done", "[cli]") {
    Both both;
    both.hook("approval.requested", "a");
    both.line_begins("a");
    CHECK(both.after(seconds{600}).empty());
    both.line("tool.finished", {{"call_id", "a"}, {"tool", "Bash"}, {"ok", true}});
    CHECK(both.after(seconds{9}).empty());
    CHECK(both.after(seconds{1}) == "+a -a ");
    both.hook("approval.requested", "b");
    both.line_begins("b");
    both.line("tool.finished", {{"call_id", "b"}, {"tool", "Bash"}, {"ok", false}});
    CHECK(both.after(seconds{0}).empty());
    CHECK(both.held.empty());
}

TEST_CASE("held events: a call that hangs is reported though hooks have told of others", "[cli]") {
    Both both;
    both.hook("tool.started", "a");
    both.line_begins("a");
    both.line_begins("b");
    CHECK(both.after(seconds{60}).empty());
    both.hook("tool.finished", "a");
    both.line_ends("a");
    CHECK(both.after(seconds{1}).empty());
    CHECK(both.after(seconds{30}, false, true).empty());
    CHECK(both.after(seconds{19}).empty());
    CHECK(both.after(seconds{1}) == "+b ");
}

TEST_CASE("held events: results of sub-agents that cannot be read wait their full time", "[cli]") {
    Both both;
    both.held.see_partly();
    both.hook("tool.started", "a");
    both.line_begins("a");
    for (const char* id : {"b", "c", "d"}) {
        both.line_begins(id);
        both.line_ends(id);
    }
    CHECK(both.after(seconds{9}).empty());
    CHECK(both.after(seconds{1}) == "+b -b +c -c +d -d ");
}
