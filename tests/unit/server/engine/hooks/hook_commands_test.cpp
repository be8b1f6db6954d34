// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hooks/hook_commands.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "server/engine/hooks/hook_dialogs.hpp"
#include "tests/support/hook_command.hpp"
#include "tests/support/settle_down.hpp"

// Effects of hooks on their sessions, command by command.

using namespace headway;
using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

HookAnswered answered(Supervised& daemon, headway::tests::Command command) {
    auto what = daemon.ask(std::move(command));
    require_ok(what);
    return std::get<HookAnswered>(*std::move(what));
}

template <class Payload>
std::vector<Payload> all_of(Supervised& daemon, const std::string& session) {
    std::vector<Payload> found;
    for (const Event& event : daemon.journal(session)) {
        if (const auto* one = std::get_if<Payload>(&event.payload)) found.push_back(*one);
    }
    return found;
}

std::vector<ToolFinished> finishes(Supervised& daemon, const std::string& session) {
    return all_of<ToolFinished>(daemon, session);
}

}  // namespace

TEST_CASE("engine hooks: the first hook opens the session, the first prompt gives its goal",
          "[server]") {
    Supervised daemon;
    CHECK(answered(daemon, hook_command(R"("event":"start")")).session == "s");
    answered(daemon, hook_command(R"("event":"prompt","text":"task","synthetic":true)"));
    answered(daemon, hook_command(R"("event":"prompt","text":"fix it")"));
    answered(daemon, hook_command(R"("event":"prompt","text":"and that")"));
    std::vector<std::string> goals;
    for (const Event& event : daemon.journal("s")) {
        if (const auto* amended = std::get_if<SessionAmended>(&event.payload))
            goals.push_back(amended->goal.kept);
    }
    CHECK(goals == std::vector<std::string>{"fix it"});
}

TEST_CASE("engine hooks: a call of a sub-agent whose session was opened beforehand may not run",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"prompt","text":"go")"));
    const auto opened = [&](const std::string& id, const std::string& parent) {
        OpenCommand open;
        open.session = id;
        open.about.parent = parent;
        require_ok(daemon.ask(open));
    };
    const auto call_of = [&](const std::string& id) {
        HookCommand command = hook_command(R"("event":"pre","tool":"a","call":"1")", "generic", id);
        command.parent = "s";
        return answered(daemon, std::move(command)).reply.deny;
    };
    opened("own", "s");
    opened("alone", {});
    opened("elses", "other");
    CHECK(call_of("own").empty());
    CHECK(call_of("new").empty());  // the call opens it
    for (const char* id : {"alone", "elses"})
        CHECK_THAT(call_of(id), Catch::Contains("not as a sub-agent of s"));

    // An earlier or later generation of its parent is the same agent.
    answered(daemon, hook_command(R"("event":"end")"));
    CHECK(answered(daemon, hook_command(R"("event":"prompt","text":"go on")")).session == "s~2");
    CHECK(call_of("own").empty());
}

TEST_CASE("engine hooks: an end of a session that was never opened opens none", "[server]") {
    Supervised daemon;
    CHECK_FALSE(answered(daemon, hook_command(R"("event":"end")")).hold);
    CHECK_FALSE(daemon.sqlite().find("s").value().has_value());
}

TEST_CASE("engine hooks: a process is followed for a session that is open", "[server]") {
    Supervised daemon;
    const auto followed = [&daemon](const char* members) {
        HookCommand command = hook_command(members);
        command.call.process = true;
        return answered(daemon, std::move(command)).call.process;
    };
    CHECK_FALSE(followed(R"("event":"end")"));  // was never opened
    CHECK_FALSE(followed(R"("event":"status")"));
    CHECK(followed(R"("event":"prompt","text":"go")"));
    CHECK(followed(R"("event":"pre","tool":"a","call":"1")"));
    CHECK_FALSE(followed(R"("event":"end")"));
    CHECK_FALSE(followed(R"("event":"post","tool":"a","call":"1")"));
}

TEST_CASE("engine hooks: a resumed agent goes on in the next generation", "[server]") {
    Supervised daemon;
    for (const char* id : {"s", "s~2", "s~3"}) {
        CHECK(answered(daemon, hook_command(R"("event":"prompt","text":"go")")).session == id);
        CHECK(answered(daemon, hook_command(R"("event":"end")")).session == id);
        CHECK(
            answered(daemon, hook_command(R"("event":"post","tool":"a","call":"late")")).session ==
            id);
        CHECK(finishes(daemon, id).empty());
    }
    // A call of an agent at work begins one too.
    CHECK(answered(daemon, hook_command(R"("event":"pre","tool":"a","call":"1")")).session ==
          "s~4");
}

TEST_CASE("engine hooks: an agent whose session was stopped goes on in none by itself",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"prompt","text":"go")"));
    require_ok(daemon.ask(CancelCommand{"s", {"enough"}}));
    answered(daemon, hook_command(R"("event":"end")"));
    const HookAnswered stopped =
        answered(daemon, hook_command(R"("event":"pre","tool":"a","call":"1")"));
    CHECK(stopped.session == "s");
    CHECK(stopped.reply.stop_hard);
    // A person may go on.
    CHECK(answered(daemon, hook_command(R"("event":"prompt","text":"go")")).session == "s~2");
}

TEST_CASE("engine hooks: equal calls without ids get ids of their own", "[server]") {
    Supervised daemon;
    const std::string before =
        R"("hook_event_name":"BeforeTool","tool_name":"ls","tool_input":{"p":1})";
    const std::string after =
        R"("hook_event_name":"AfterTool","tool_name":"ls","tool_input":{"p":1},"tool_response":{"llmContent":"x"})";
    for (int i = 0; i < 2; ++i) {
        answered(daemon, hook_command(before, "gemini"));
        answered(daemon, hook_command(before, "gemini"));  // in parallel
        answered(daemon, hook_command(after, "gemini"));
        answered(daemon, hook_command(after, "gemini"));
    }
    const auto calls = finishes(daemon, "s");
    REQUIRE(calls.size() == 4);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            CHECK(calls[i].call_id != calls[j].call_id);
    }
}

TEST_CASE("engine hooks: a call that came back with other arguments closes the one of its tool",
          "[server]") {
    Supervised daemon;
    answered(daemon,
             hook_command(R"("hook_event_name":"BeforeTool","tool_name":"ls","tool_input":{"p":1})",
                          "gemini"));
    answered(
        daemon,
        hook_command(
            R"("hook_event_name":"AfterTool","tool_name":"ls","tool_input":{"p":2},"tool_response":{"llmContent":"x"})",
            "gemini"));
    const auto journal = daemon.journal("s");
    std::string started;
    for (const Event& event : journal) {
        if (const auto* call = std::get_if<ToolStarted>(&event.payload)) started = call->call_id;
    }
    REQUIRE(finishes(daemon, "s").size() == 1);
    CHECK(finishes(daemon, "s").front().call_id == started);
}

TEST_CASE("engine hooks: a batch adds the calls that were not reported by themselves", "[server]") {
    Supervised daemon;
    const auto batch = [](const char* call) {
        return hook_command(
            R"("event":"batch","calls":[{"tool":"a","call":"1","result":"x"},{"tool":"b","call":")" +
            std::string{call} + R"(","error":"no such tool","class":"unknown_tool"}])");
    };
    answered(daemon, hook_command(R"("event":"pre","tool":"a","call":"1")"));
    answered(daemon, hook_command(R"("event":"post","tool":"a","call":"1","result":"x")"));
    answered(daemon, batch("2"));
    REQUIRE(finishes(daemon, "s").size() == 2);
    CHECK(finishes(daemon, "s").back().error->error_class == "unknown_tool");
}

TEST_CASE("engine hooks: a new prompt interrupts the calls in flight", "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"pre","tool":"a","call":"1")"));
    answered(daemon, hook_command(R"("event":"prompt","text":"no, wait")"));
    REQUIRE(finishes(daemon, "s").size() == 1);
    CHECK(finishes(daemon, "s").front().error->error_class == "cancelled");
}

TEST_CASE("engine hooks: a held call is answered by the same question later", "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const HookAnswered held = answered(
        daemon, hook_command(R"("event":"pre","tool":"bash","args":{"command":"ls"},"call":"1")"));
    REQUIRE(held.hold);
    CHECK(answered(daemon, HookAgainCommand{held.session, held.call}).hold);
    const HookAnswered late = answered(daemon, HookAgainCommand{held.session, held.call, true});
    CHECK_FALSE(late.hold);
    CHECK(late.reply.undecided);
    REQUIRE(finishes(daemon, "s").size() == 1);
    CHECK(finishes(daemon, "s").front().error->error_class == "denied");
    // Tried again, it waits for the same approval.
    const HookAnswered again = answered(
        daemon, hook_command(R"("event":"pre","tool":"bash","args":{"command":"ls"},"call":"2")"));
    CHECK(again.hold);
    std::size_t asked = 0;
    for (const Event& event : daemon.journal("s"))
        asked += std::holds_alternative<ApprovalRequested>(event.payload) ? 1U : 0U;
    CHECK(asked == 1);
}

TEST_CASE("engine hooks: a held call waits on through a prompt, and is over once it was left",
          "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const HookAnswered held = answered(
        daemon, hook_command(R"("event":"pre","tool":"bash","args":{"command":"ls"},"call":"1")"));
    REQUIRE(held.hold);
    answered(daemon, hook_command(R"("event":"prompt","text":"and then run the tests")"));
    CHECK(finishes(daemon, "s").empty());
    CHECK(answered(daemon, HookAgainCommand{held.session, held.call}).hold);
    SECTION("approved, it runs, and is in flight") {
        std::uint64_t n = 0;
        for (const Event& event : daemon.journal("s"))
            n = std::holds_alternative<ApprovalRequested>(event.payload) ? event.n : n;
        Ruling approved;
        approved.decision = Decision::kApprove;
        require_ok(daemon.ask(DecideCommand{"s", n, approved, false}));
        CHECK_FALSE(
            answered(daemon, HookAgainCommand{held.session, held.call}).reply.allow.empty());
        CHECK(finishes(daemon, "s").empty());
    }
    SECTION("left, its request goes, and that of an equal call stays") {
        const HookAnswered equal = answered(
            daemon,
            hook_command(R"("event":"pre","tool":"bash","args":{"command":"ls"},"call":"2")"));
        REQUIRE(equal.hold);
        (void)daemon.turn({HookLeftCommand{"s", 0, "1"}});
        answered(daemon, hook_command(R"("event":"prompt","text":"go on")"));
        CHECK(finishes(daemon, "s").size() == 1);
        CHECK(all_of<ApprovalClosed>(daemon, "s").size() == 1);
        CHECK(answered(daemon, HookAgainCommand{equal.session, equal.call}).hold);
    }
    SECTION("left, its request goes with the next prompt") {
        (void)daemon.turn({HookLeftCommand{"s", 0, "1"}});
        CHECK(all_of<ApprovalClosed>(daemon, "s").empty());
        answered(daemon, hook_command(R"("event":"prompt","text":"no, wait")"));
        REQUIRE(finishes(daemon, "s").size() == 1);
        CHECK(finishes(daemon, "s").front().refused_here);
        CHECK(all_of<ApprovalClosed>(daemon, "s").size() == 1);
    }
}

TEST_CASE("engine hooks: a stop ends the requests of the calls that it refuses", "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const auto call = [&](const char* command, const char* id, const std::string& session = "s") {
        HookCommand hook =
            hook_command(std::string{R"("event":"pre","tool":"bash","args":{"command":")"} +
                             command + R"("},"call":")" + id + "\"",
                         "generic", session);
        if (session != "s") hook.parent = "s";
        const HookAnswered held = answered(daemon, std::move(hook));
        REQUIRE(held.hold);
        return held;
    };
    const auto again = [&](const HookAnswered& held) {
        return answered(daemon, HookAgainCommand{held.session, held.call});
    };
    const auto pending = [&](const std::string& session) {
        return folded(daemon.journal(session)).approvals.pending();
    };
    const auto closings = [&](const std::string& session) {
        std::vector<ApprovalClosing> found;
        for (const ApprovalClosed& one : all_of<ApprovalClosed>(daemon, session))
            found.push_back(one.how);
        return found;
    };
    const HookAnswered first = call("ls", "1");
    const HookAnswered second = call("rm x", "2");
    Ruling reject;
    reject.decision = Decision::kReject;
    reject.then = Ruling::Then::kStop;
    SECTION("a person's stop, by the rejection of another call") {
        std::uint64_t n = 0;
        for (const Event& event : daemon.journal("s")) {
            if (n == 0 && std::holds_alternative<ApprovalRequested>(event.payload)) n = event.n;
        }
        require_ok(daemon.ask(DecideCommand{"s", n, reject, false}));
        CHECK(pending("s") == 1);  // nothing is refused yet
        CHECK_FALSE(again(second).reply.stop.empty());
        CHECK(pending("s") == 0);
        CHECK(closings("s") == std::vector{ApprovalClosing::kStopped});
        CHECK(all_of<ApprovalAlarm>(daemon, "s").empty());
        // Resumed, the call needs a request of its own.
        require_ok(daemon.ask(ControlCommand{"s", Control::kResume, {}, true}));
        call("rm x", "3");
        CHECK(pending("s") == 1);
    }
    SECTION("one that an equal call waits for meanwhile") {
        CHECK(
            answered(daemon, HookAgainCommand{second.session, second.call, true}).reply.undecided);
        const HookAnswered third = call("rm x", "3");
        CHECK(pending("s") == 2);
        require_ok(daemon.ask(CancelCommand{"s", {}}));
        CHECK(pending("s") == 0);
        CHECK_FALSE(again(third).reply.stop.empty());
        CHECK(closings("s").size() == 2);
    }
    SECTION("a cancel of the session above") {
        const HookAnswered below = call("ls", "1", "child");
        require_ok(daemon.ask(CancelCommand{"s", {}}));
        CHECK_FALSE(again(below).reply.stop.empty());
        CHECK(pending("child") == 0);
        CHECK(closings("child") == std::vector{ApprovalClosing::kStopped});
    }
    (void)first;
}

TEST_CASE("engine hooks: a call that no person could decide about does not run", "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const auto call = [&daemon](const std::string& id, const std::string& command,
                                const std::string& kind = "pre") {
        return answered(
            daemon, hook_command(R"("event":")" + kind + R"(","tool":"bash","args":{"command":")" +
                                 command + R"("},"call":")" + id + "\""));
    };
    const HookAnswered large = call("1", std::string(limits::kApprovalArgsBytesMax, 'x'));
    CHECK_FALSE(large.hold);
    CHECK(large.reply.deny.find("65536 bytes") != std::string::npos);
    for (std::size_t i = 0; i < limits::kApprovalsAskedMax; ++i)
        REQUIRE(call("p" + std::to_string(i), "ls " + std::to_string(i)).hold);
    const HookAnswered one_more = call("more", "rm -r .");
    CHECK_FALSE(one_more.hold);
    CHECK(one_more.reply.deny.find("wait for a decision") != std::string::npos);
    // A hook that is no question is an error as before: nothing waits for it.
    CHECK(call("post", "x", "post").reply.deny.empty());
}

TEST_CASE("engine hooks: an approval until a time lets no call go in the turn of its end",
          "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings, at(0)};
    const auto call = [&daemon](const std::string& id) {
        return answered(daemon, hook_command(R"("event":"pre","tool":"bash","call":")" + id +
                                             R"(","args":{"command":"ls"})"));
    };
    const HookAnswered held = call("1");
    REQUIRE(held.hold);
    Ruling until;
    until.decision = Decision::kApprove;
    until.scope = GrantScope::kUntil;
    until.until = at(60'000);
    until.by = "ann";
    const std::string id = held.session;
    std::uint64_t n = 0;
    for (const Event& event : daemon.journal(id))
        n = std::holds_alternative<ApprovalRequested>(event.payload) ? event.n : n;
    require_ok(daemon.ask(DecideCommand{id, n, until, false}));
    daemon.clock().advance_to(at(60'000));
    SECTION("the held call is asked about again") {
        const HookAnswered again = answered(daemon, HookAgainCommand{id, held.call});
        CHECK(again.reply.allow.empty());
        CHECK_FALSE(again.reply.deny.empty());
    }
    SECTION("another equal call asks") {
        CHECK(call("2").hold);
        CHECK(all_of<ApprovalRequested>(daemon, id).size() == 2);
    }
    SECTION("a tool of the agent's that redeems asks") {
        const HookAnswered redeems =
            answered(daemon, hook_command(R"("event":"request","tool":"bash","call":"3",)"
                                          R"("args":{"command":"ls"})"));
        CHECK(redeems.hold);
    }
}

TEST_CASE("engine hooks: an event id that is used again lets no call go unasked", "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const auto pre = [&daemon](const std::string& call, const std::string& tool,
                               const std::string& command) {
        return answered(daemon, hook_command(R"("event":"pre","event_id":"e","call":")" + call +
                                             R"(","tool":")" + tool + R"(","args":{"command":")" +
                                             command + R"("})"));
    };
    CHECK_FALSE(pre("1", "Read", "x").hold);
    const HookAnswered first = pre("2", "bash", "rm -r .");
    REQUIRE(first.hold);  // stored without the id
    Ruling approved;
    approved.decision = Decision::kApprove;
    approved.by = "ana";
    const auto asked = [&daemon] {
        std::uint64_t n = 0;
        std::size_t count = 0;
        for (const Event& event : daemon.journal("s")) {
            if (!std::holds_alternative<ApprovalRequested>(event.payload)) continue;
            n = event.n;
            ++count;
        }
        return std::pair{n, count};
    };
    // Sent again, it is the same call, and so it is when it was decided about.
    CHECK(pre("2", "bash", "rm -r .").hold);
    CHECK(asked().second == 1);
    require_ok(daemon.ask(DecideCommand{"s", asked().first, approved, false}));
    CHECK_FALSE(pre("2", "bash", "rm -r .").hold);
    CHECK(asked().second == 1);
    answered(
        daemon,
        hook_command(R"("event":"post","call":"2","tool":"bash","args":{"command":"rm -r ."})"));
    // It has run: another one is asked about.
    CHECK(pre("2", "bash", "rm -r .").hold);
    CHECK(asked().second == 2);
}

TEST_CASE("engine hooks: one that is sent again says what the lost answer said, and counts nothing",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"start")"));
    const auto nudge = [&daemon](const std::string& words) {
        ControlCommand control;
        control.session = "s";
        control.body.text = words;
        control.body.by = "ana";
        require_ok(daemon.ask(control));
    };
    const auto count = [&daemon] { return daemon.journal("s").size(); };
    nudge("read the log");
    const std::string post =
        R"("event":"post","tool":"bash","call":"1","ok":true,"result":"x","event_id":"e1")";
    CHECK_THAT(answered(daemon, hook_command(post)).reply.context, Catch::Contains("read the log"));
    const std::size_t before = count();
    CHECK_THAT(answered(daemon, hook_command(post)).reply.context, Catch::Contains("read the log"));
    CHECK(count() == before);
    // Nothing is said again to a hook that came later, nor to its repetition.
    const std::string text = R"("event":"said","text":"so I will","event_id":"e2")";
    CHECK(answered(daemon, hook_command(text)).reply.context.empty());
    CHECK(answered(daemon, hook_command(text)).reply.context.empty());
    nudge("and stop the server");
    const std::string context = answered(daemon, hook_command(text)).reply.context;
    CHECK_THAT(context, Catch::Contains("and stop the server"));
    CHECK_THAT(context, !Catch::Contains("read the log"));
}

TEST_CASE("engine hooks: a call that a lost answer has refused is refused again, and counted once",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"start")"));
    require_ok(daemon.ask(CancelCommand{"s", {"enough"}}));
    const std::string pre = R"("event":"pre","tool":"bash","call":"1","event_id":"e1")";
    CHECK_THAT(answered(daemon, hook_command(pre)).reply.stop, Catch::Contains("enough"));
    CHECK_THAT(answered(daemon, hook_command(pre)).reply.stop, Catch::Contains("enough"));
    CHECK(finishes(daemon, "s").size() == 1);
}

TEST_CASE("engine hooks: no id that is given is taken for one that another hook has made",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"stop","text":"done","event_id":"x")"));
    for (const char* id : {"x.1", "x.2", "x.3"}) {
        answered(daemon, hook_command(R"("event":"said","text":"more","event_id":")" +
                                      std::string{id} + "\""));
        const std::vector<Event> journal = daemon.journal("s");
        CHECK(std::count_if(journal.begin(), journal.end(),
                            [id](const Event& event) { return event.event_id == id; }) == 1);
    }
    const std::size_t before = daemon.journal("s").size();
    answered(daemon, hook_command(R"("event":"stop","text":"done","event_id":"x")"));
    CHECK(daemon.journal("s").size() == before);
}

TEST_CASE("engine hooks: a prompt that is sent again ends no call that was begun since",
          "[server]") {
    Supervised daemon;
    const std::string prompt = R"("event":"prompt","text":"go","event_id":"p")";
    answered(daemon, hook_command(prompt));
    answered(daemon, hook_command(R"("event":"pre","tool":"bash","call":"1")"));
    answered(daemon, hook_command(prompt));
    CHECK(finishes(daemon, "s").empty());
}

TEST_CASE("engine hooks: of the calls that are refused only the last ones are remembered",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"start")"));
    require_ok(daemon.ask(CancelCommand{"s", {"enough"}}));
    std::string batch;
    for (int i = 0; i < 300; ++i) {
        const std::string call = R"("tool":"a","call":")" + std::to_string(i) + "\"";
        CHECK_FALSE(answered(daemon, hook_command(R"("event":"pre",)" + call)).reply.stop.empty());
        if (i < 40) batch += std::string{batch.empty() ? "" : ","} + "{" + call + R"(,"ok":true})";
    }
    const std::size_t before = finishes(daemon, "s").size();
    answered(daemon, hook_command(R"("event":"batch","calls":[)" + batch + "]"));
    CHECK(finishes(daemon, "s").size() == before + 40);
}

TEST_CASE("engine hooks: how a session ended", "[server]") {
    struct Case {
        const char* before;
        const char* end;
        Outcome outcome;
    };
    for (const Case& c :
         {Case{R"("event":"stop","text":"done")", R"("event":"end")", Outcome::kCompleted},
          Case{R"("event":"error","text":"529")", R"("event":"end")", Outcome::kFailed},
          Case{R"("event":"said","text":"hm")", R"("event":"end")", Outcome::kCancelled},
          Case{R"("event":"said","text":"hm")", R"("event":"subend")", Outcome::kCompleted},
          Case{R"("event":"said","text":"hm")", R"("event":"end","outcome":"failed")",
               Outcome::kFailed},
          Case{R"("event":"said","text":"hm")", R"("event":"end","outcome":"halted")",
               Outcome::kCancelled},
          Case{R"("event":"said","text":"hm")", R"("event":"end","outcome":"budget_exhausted")",
               Outcome::kCancelled},
          Case{R"("event":"stop","text":"done")", R"("event":"end","outcome":"budget_exhausted")",
               Outcome::kFailed},
          Case{R"("event":"stop","text":"done")", R"("event":"end","outcome":"halted")",
               Outcome::kFailed},
          Case{R"("event":"stop","text":"done")", R"("event":"end","outcome":"banana")",
               Outcome::kFailed},
          Case{R"("event":"stop","text":"done")", R"("event":"subend","outcome":"error")",
               Outcome::kFailed}}) {
        CAPTURE(c.before, c.end);
        Supervised daemon;
        answered(daemon, hook_command(R"("event":"prompt","text":"go")"));
        answered(daemon, hook_command(c.before));
        answered(daemon, hook_command(c.end));
        std::optional<Outcome> outcome;
        for (const Event& event : daemon.journal("s")) {
            if (const auto* end = std::get_if<SessionEnded>(&event.payload)) outcome = end->outcome;
        }
        CHECK(outcome == c.outcome);
    }
}

namespace {

HookUse used(const std::string& id, std::int64_t at_ms, std::uint64_t tokens) {
    Usage usage;
    usage.input_tokens = tokens;
    return {"usage:" + id, at(at_ms), usage};
}

HookCommand telling(HookCommand command, std::vector<HookUse> uses) {
    command.uses = std::move(uses);
    return command;
}

std::uint64_t tokens_of(Supervised& daemon) {
    std::uint64_t tokens = 0;
    for (const Event& event : daemon.journal("s")) {
        const auto* beat = std::get_if<Heartbeat>(&event.payload);
        if (beat != nullptr && beat->usage) tokens += beat->usage->input_tokens;
    }
    return tokens;
}

}  // namespace

TEST_CASE("engine hooks: an answer's use counts once, however often and after what it comes",
          "[server]") {
    Supervised daemon{EngineSettings{}, at(0)};
    const std::string usage = R"("hook_event_name":"Usage")";
    answered(daemon,
             hook_command(R"("hook_event_name":"UserPromptSubmit","prompt":"go")", "claude"));
    answered(daemon, telling(hook_command(usage, "claude"), {used("1", 10'000'000, 100)}));
    answered(daemon, telling(hook_command(usage, "claude"),
                             {used("1", 10'000'000, 100), used("2", 10'000'000, 20)}));
    answered(daemon, telling(hook_command(usage, "claude"), {used("1", 10'000'000, 100)}));
    answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                             {used("2", 10'000'000, 20), used("3", 10'000'000, 3)}));
    CHECK(tokens_of(daemon) == 123);
}

TEST_CASE("engine hooks: answers from before the session are not its own", "[server]") {
    Supervised daemon{EngineSettings{}, at(1'000'000)};
    answered(daemon,
             hook_command(R"("hook_event_name":"UserPromptSubmit","prompt":"go")", "claude"));
    answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                             {used("1", 999'999, 100), used("2", 1'000'001, 20)}));
    CHECK(tokens_of(daemon) == 20);
}

TEST_CASE("engine hooks: a clock that differs from the daemon's loses no answers", "[server]") {
    // Behind, ahead, and an hour off in a container.
    for (const std::int64_t off : {-3'600'000, -1'000, 1'000, 3'600'000}) {
        CAPTURE(off);
        Supervised daemon{EngineSettings{}, at(10'000'000)};
        answered(daemon,
                 hook_command(R"("hook_event_name":"UserPromptSubmit","prompt":"go")", "claude"));
        daemon.clock().advance_to(at(10'005'000));
        const std::int64_t now = 10'005'000 + off;
        answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                                 {used("0", now - 60'000, 1'000), used("1", now - 3'000, 100),
                                  used("2", now, 20)}));
        CHECK(tokens_of(daemon) == 120);  // and none from before it was opened
    }
}

TEST_CASE("engine hooks: an agent that says that it has just begun has no older answers",
          "[server]") {
    Supervised daemon{EngineSettings{}, at(10'000'000)};
    answered(daemon,
             hook_command(R"("hook_event_name":"SessionStart","source":"startup")", "claude"));
    answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                             {used("1", 9'000'000, 100), used("2", 9'900'000, 20)}));
    CHECK(tokens_of(daemon) == 120);
    Supervised resumed{EngineSettings{}, at(10'000'000)};
    answered(resumed,
             hook_command(R"("hook_event_name":"SessionStart","source":"resume")", "claude"));
    answered(resumed, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                              {used("1", 9'000'000, 100), used("2", 9'900'000, 20)}));
    CHECK(tokens_of(resumed) == 20);
}

namespace {

/// A hook of the sub-agent `s.a` of the session `s`.
HookCommand of_child(HookCommand command) {
    command.parent = command.session;
    command.session += ".a";
    return command;
}

std::uint64_t tokens_of(Supervised& daemon, const std::string& session) {
    std::uint64_t tokens = 0;
    for (const Event& event : daemon.journal(session)) {
        const auto* beat = std::get_if<Heartbeat>(&event.payload);
        if (beat != nullptr && beat->usage) tokens += beat->usage->input_tokens;
    }
    return tokens;
}

}  // namespace

TEST_CASE("engine hooks: an answer counts once in a family, in any order", "[server]") {
    const std::string prompt = R"("hook_event_name":"UserPromptSubmit","prompt":"go")";
    const std::string start = R"("hook_event_name":"SubagentStart","agent_id":"a")";
    const std::string batch = R"("hook_event_name":"PostToolBatch","tool_calls":[])";
    Supervised daemon{EngineSettings{}, at(0)};
    answered(daemon, hook_command(prompt, "claude"));
    answered(daemon, telling(hook_command(batch, "claude"), {used("A", 10'000'000, 15'300)}));
    answered(daemon, of_child(hook_command(start, "claude")));
    answered(daemon, telling(of_child(hook_command(batch, "claude")),
                             {used("A", 10'000'000, 15'300), used("B", 10'000'000, 110)}));
    CHECK(tokens_of(daemon, "s.a") == 110);
    answered(daemon, telling(hook_command(batch, "claude"),
                             {used("A", 10'000'000, 15'300), used("B", 10'000'000, 110),
                              used("C", 10'000'000, 7)}));
    CHECK(tokens_of(daemon, "s") == 15'307);
    // Another family with the same id is another answer.
    HookCommand other = hook_command(prompt, "claude");
    other.session = "t";
    answered(daemon, std::move(other));
    other = telling(hook_command(batch, "claude"), {used("A", 10'000'000, 15'300)});
    other.session = "t";
    answered(daemon, std::move(other));
    CHECK(tokens_of(daemon, "t") == 15'300);
}

TEST_CASE("engine hooks: a resumed session leaves out what its last generation has", "[server]") {
    Supervised daemon{EngineSettings{}, at(0)};
    const std::string prompt = R"("hook_event_name":"UserPromptSubmit","prompt":"go")";
    answered(daemon, hook_command(prompt, "claude"));
    answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                             {used("1", 10'000'000, 100)}));
    answered(daemon, hook_command(R"("hook_event_name":"SessionEnd")", "claude"));
    answered(daemon, hook_command(prompt, "claude"));
    answered(daemon, telling(hook_command(R"("hook_event_name":"Stop")", "claude"),
                             {used("1", 10'000'000, 100), used("2", 10'000'000, 20)}));
    CHECK(tokens_of(daemon, "s~2") == 20);
}

TEST_CASE("engine hooks: older answers are asked for while none of those told was known",
          "[server]") {
    Supervised daemon{EngineSettings{}, at(0)};
    answered(daemon,
             hook_command(R"("hook_event_name":"UserPromptSubmit","prompt":"go")", "claude"));
    const std::string usage = R"("hook_event_name":"Usage")";
    const auto tell = [&](std::vector<HookUse> uses) {
        return answered(daemon, telling(hook_command(usage, "claude"), std::move(uses)))
            .wants_older_uses;
    };
    CHECK(tell({used("3", 10'000'000, 1), used("4", 10'000'000, 1)}));
    CHECK(tell({used("1", 10'000'000, 1), used("2", 10'000'000, 1)}));
    CHECK_FALSE(tell({used("4", 10'000'000, 1), used("5", 10'000'000, 1)}));
    CHECK_FALSE(tell({used("5", 10'000'000, 1), used("6", 10'000'000, 1)}));
    CHECK_FALSE(tell({used("6", 10'000'000, 1)}));
    CHECK_FALSE(tell({}));
    CHECK(tokens_of(daemon) == 6);
}

TEST_CASE("engine hooks: what only tells use opens nothing and is no sign of the agent",
          "[server]") {
    Supervised daemon{EngineSettings{}, at(0)};
    const std::string usage = R"("hook_event_name":"Usage")";
    answered(daemon, telling(hook_command(usage, "claude"), {used("1", 10'000'000, 100)}));
    CHECK_FALSE(daemon.sqlite().find("s").value().has_value());
    answered(daemon,
             hook_command(R"("hook_event_name":"UserPromptSubmit","prompt":"go")", "claude"));
    const std::size_t events = daemon.journal("s").size();
    answered(daemon, hook_command(usage, "claude"));
    CHECK(daemon.journal("s").size() == events);
    answered(daemon, hook_command(R"("hook_event_name":"SessionEnd")", "claude"));
    const std::size_t all = daemon.journal("s").size();
    answered(daemon, telling(hook_command(usage, "claude"), {used("1", 10'000'000, 100)}));
    CHECK(daemon.journal("s").size() == all);
}

TEST_CASE("engine hooks: the use of a sub-agent's last answer comes before its end", "[server]") {
    Supervised daemon{EngineSettings{}, at(0)};
    answered(daemon, hook_command(R"("hook_event_name":"SubagentStart","agent_id":"a")", "claude"));
    answered(daemon,
             telling(hook_command(R"("hook_event_name":"SubagentStop","agent_id":"a")", "claude"),
                     {used("1", 10'000'000, 100)}));
    CHECK(tokens_of(daemon) == 100);
    const auto journal = daemon.journal("s");
    const auto end = std::find_if(journal.begin(), journal.end(), [](const Event& event) {
        return std::holds_alternative<SessionEnded>(event.payload);
    });
    REQUIRE(end != journal.end());
    CHECK(std::none_of(end, journal.end(), [](const Event& event) {
        return std::holds_alternative<Heartbeat>(event.payload);
    }));
}

TEST_CASE("engine hooks: a prompt in the turn of an end opens the next generation", "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"prompt","text":"first")"));
    auto replies = daemon.turn(
        {hook_command(R"("event":"end")"), hook_command(R"("event":"prompt","text":"second")"),
         hook_command(R"("event":"pre","tool":"bash","args":{},"call":"1")")});
    REQUIRE(replies.size() == 3);
    for (std::size_t i = 1; i < 3; ++i) {
        require_ok(replies[i].what);
        CHECK(std::get<HookAnswered>(*replies[i].what).session == "s~2");
    }
    CHECK(daemon.journal("s~2").size() >= 2);
}

TEST_CASE("engine hooks: the same for ids that are longer than a small string", "[server]") {
    Supervised daemon;
    const std::string name = "an-agent-on-the-build-machine-0001";
    const auto longer = [&name](const std::string& members) {
        HookCommand command = hook_command(members);
        command.session = name;
        return command;
    };
    CHECK(answered(daemon, longer(R"("event":"prompt","text":"first")")).session == name);
    CHECK(answered(daemon, longer(R"("event":"pre","tool":"bash","call":"1")")).session == name);
    auto replies = daemon.turn({longer(R"("event":"end","outcome":"completed")"),
                                longer(R"("event":"prompt","text":"second")")});
    REQUIRE(replies.size() == 2);
    require_ok(replies[1].what);
    CHECK(std::get<HookAnswered>(*replies[1].what).session == name + "~2");
    const auto events = daemon.journal(name);
    CHECK(std::any_of(events.begin(), events.end(), [](const Event& event) {
        return std::holds_alternative<SessionEnded>(event.payload);
    }));
}

TEST_CASE(
    "engine hooks: a damaged journal costs a hook that is sent again what it would have heard",
    "[server]") {
    Supervised daemon;
    const std::string text = R"("event":"said","text":"so","event_id":"e1")";
    answered(daemon, hook_command(text));
    daemon.store().fail(FailingStore::Step::kStream, ErrorCode::kStorageCorrupt);
    auto replies =
        daemon.turn({hook_command(text), hook_command(R"("event":"said","text":"more")")});
    daemon.store().fail(FailingStore::Step::kNone);
    REQUIRE(replies.size() == 2);
    require_ok(replies[0].what);
    require_ok(replies[1].what);
    CHECK(daemon.journal("s").size() >= 3);
}

TEST_CASE("engine hooks: what is sent again ends no dialog that was begun since", "[server]") {
    Supervised daemon;
    const std::string idle = R"("event":"idle","event_id":"i1")";
    answered(daemon, hook_command(R"("event":"prompt","text":"go")"));
    answered(daemon, hook_command(idle));
    const auto requests = [&daemon] {
        std::size_t count = 0;
        for (const Event& event : daemon.journal("s"))
            count += std::holds_alternative<ApprovalRequested>(event.payload) ? 1U : 0U;
        return count;
    };
    const std::string ask =
        R"("event":"permission","dialog":true,"tool":"bash","args":{"x":1},"call":"1","event_id":"d1")";
    const HookAnswered first = answered(daemon, hook_command(ask));
    CHECK(first.call.dialog != 0);
    CHECK(requests() == 1);
    answered(daemon, hook_command(idle));
    const HookAnswered again = answered(daemon, hook_command(ask));
    CHECK(again.call.dialog == first.call.dialog);
    CHECK(again.hold);
    CHECK(requests() == 1);
}

TEST_CASE("engine hooks: a call does not run without the arguments that a person gave it",
          "[server]") {
    EngineSettings settings;
    settings.approvals.require_tools = {"class:shell"};
    Supervised daemon{settings};
    const HookAnswered held = answered(
        daemon, hook_command(R"("event":"pre","tool":"bash","args":{"command":"ls"},"call":"1")"));
    REQUIRE(held.hold);
    std::uint64_t asked = 0;
    for (const Event& event : daemon.journal("s"))
        if (std::holds_alternative<ApprovalRequested>(event.payload)) asked = event.n;
    Ruling edit;
    edit.decision = Decision::kEdit;
    edit.by = "ann";
    edit.edited_args.text = R"({"command":"ls -l"})";
    edit.edited_digest = "sha256:edited";
    require_ok(daemon.ask(DecideCommand{"s", asked, edit, false}));
    daemon.store().fail(FailingStore::Step::kStream, ErrorCode::kStorageCorrupt);
    const HookAnswered damaged = answered(daemon, HookAgainCommand{held.session, held.call});
    CHECK(damaged.reply.deny.find("damaged") != std::string::npos);
    CHECK(damaged.reply.edit_json.empty());
    CHECK(damaged.reply.allow.empty());
    CHECK(daemon.store().rollbacks() == 0);
}

TEST_CASE("engine hooks: the end of an agent's process that could not be written down is later",
          "[server]") {
    Supervised daemon;
    answered(daemon, hook_command(R"("event":"prompt","text":"fix it")"));
    const auto step = GENERATE(FailingStore::Step::kCommit, FailingStore::Step::kBegin,
                               FailingStore::Step::kFiles);
    daemon.store().fail(step, ErrorCode::kStorageUnavailable);
    CHECK(daemon.turn({AgentGoneCommand{"s"}}).empty());
    settle_down(daemon);
    CHECK(all_of<SessionEnded>(daemon, "s").empty());
    daemon.store().fail(FailingStore::Step::kNone);
    if (GENERATE(false, true)) {  // a client, which does not come before it
        testclock::jump(testclock::Jump::pass(std::chrono::minutes{1}));
        const auto replies = daemon.turn({ReportCommand{"s", {beat()}, false, {}}});
        CHECK_FALSE(replies.back().what.has_value());
    } else {
        settle_down(daemon);
    }
    REQUIRE(all_of<SessionEnded>(daemon, "s").size() == 1);
    CHECK(all_of<SessionEnded>(daemon, "s")[0].outcome == Outcome::kFailed);
}

TEST_CASE("engine hooks: a dialog that nothing waits for any more is closed later", "[server]") {
    Supervised daemon;
    const HookAnswered asked = answered(
        daemon,
        hook_command(
            R"("event":"permission","dialog":true,"tool":"bash","args":{"x":1},"call":"1")"));
    REQUIRE(asked.call.dialog != 0);
    daemon.store().fail(FailingStore::Step::kFiles, ErrorCode::kStorageUnavailable);
    CHECK(daemon.turn({HookLeftCommand{"s", asked.call.dialog}}).empty());
    daemon.store().fail(FailingStore::Step::kNone);
    settle_down(daemon);
    CHECK(all_of<ApprovalClosed>(daemon, "s").size() == 1);
}
