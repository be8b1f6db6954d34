// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "server/engine/hooks/hook_commands.hpp"
#include "tests/support/hook_command.hpp"
#include "tests/support/supervised.hpp"

// A session at the moments that matter: refusals, wake-ups, interrupts, answers.

using namespace headway;
using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;

namespace {

struct Agent {
    std::string dialect = "claude";
    Supervised daemon{};

    HookAnswered tell(const std::string& members) {
        auto what = daemon.ask(hook_command(members, dialect));
        require_ok(what);
        return std::get<HookAnswered>(*std::move(what));
    }
    HookAnswered event(const std::string& name, const std::string& members = R"("cwd":"/w")") {
        return tell(R"("hook_event_name":")" + name + "\"," + members);
    }
    void announce(const std::string& call, const std::string& tool = "Write") {
        event("PreToolUse", call_json(call, tool));
    }
    void batch(const std::string& call, const std::string& response,
               const std::string& tool = "Write") {
        event("PostToolBatch", R"("tool_calls":[{)" + call_json(call, tool) +
                                   R"(,"tool_response":")" + response + "\"}]");
    }
    static std::string call_json(const std::string& call, const std::string& tool) {
        return R"("tool_name":")" + tool + R"(","tool_use_id":")" + call +
               R"(","tool_input":{"file_path":"/w/)" + call + R"(","content":")" + call + "\"}";
    }
    template <class Payload>
    std::vector<Payload> all() {
        std::vector<Payload> found;
        for (const Event& one : daemon.journal("s"))
            if (const auto* payload = std::get_if<Payload>(&one.payload)) found.push_back(*payload);
        return found;
    }
    Verdict verdict() {
        const auto changes = all<VerdictChanged>();
        return changes.empty() ? Verdict::kStarting : changes.back().to;
    }
};

}  // namespace

TEST_CASE("engine moments: an announced call with no hook of its own in the batch did not run",
          "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.announce("u1");
    agent.batch("u1", "Words that no table has.");
    const auto finished = agent.all<ToolFinished>();
    REQUIRE(finished.size() == 1);
    CHECK_FALSE(finished[0].ok);
    CHECK(finished[0].error->error_class == "denied");
    CHECK(finished[0].mutated.empty());
}

TEST_CASE("engine moments: a call that ran is reported once, and a batch makes nothing of it",
          "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.announce("u1");
    agent.event("PostToolUse", Agent::call_json("u1", "Write") + R"(,"tool_response":"ok")");
    agent.batch("u1", "ok");
    const auto finished = agent.all<ToolFinished>();
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].ok);
}

TEST_CASE("engine moments: a call that was never announced is no success", "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.batch("u1", "some text", "Grep");  // a tool for which no hook is asked
    CHECK(agent.all<ToolFinished>().empty());
    agent.batch("u2", "Permission to use Grep has been denied.", "Grep");
    REQUIRE(agent.all<ToolFinished>().size() == 1);
    CHECK(agent.all<ToolFinished>()[0].error->error_class == "denied");
    agent.announce("u3", "Bash");
    agent.event("PostToolUse", Agent::call_json("u3", "Bash") + R"(,"tool_response":"ok")");
    agent.batch("u4", "Answered at once.", "Bash");  // nothing is known of it
    CHECK(agent.all<ToolFinished>().size() == 2);
}

TEST_CASE("engine moments: many refusals of different calls are no progress", "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    for (int i = 0; i < 30; ++i) {
        const std::string call = "u" + std::to_string(i);
        agent.announce(call);
        agent.batch(call, "Claude requested permissions to write to /w/" + call +
                              ", but you haven't granted it yet.");
        CHECK(agent.verdict() != Verdict::kProgressing);
    }
    CHECK(agent.verdict() == Verdict::kBlocked);
    CHECK(agent.all<VerdictChanged>().back().reason.find("nothing it tries may run") == 0);
    agent.event("UserPromptSubmit", R"("prompt":"you may write now")");
    CHECK(agent.verdict() != Verdict::kBlocked);
}

TEST_CASE("engine moments: refusals between calls that run are no block", "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    for (int i = 0; i < 12; ++i) {
        const std::string refused = "r" + std::to_string(i);
        const std::string works = "w" + std::to_string(i);
        agent.announce(refused);
        agent.batch(refused, "This command requires approval");
        agent.announce(works);
        agent.event("PostToolUse", Agent::call_json(works, "Write") +
                                       R"(,"tool_response":{"filePath":"/w/)" + works + "\"}");
        agent.batch(works, "ok");
    }
    CHECK(agent.verdict() != Verdict::kBlocked);
}

TEST_CASE("engine moments: a timer's prompt is a wake-up, the person's own is not", "[server]") {
    Agent agent;
    const auto roles = [&agent] {
        std::vector<std::string> found;
        for (const Message& message : agent.all<Message>())
            if (message.role != "assistant")
                found.push_back(message.role + (message.wake_up ? " wakes" : ""));
        return found;
    };
    agent.event("UserPromptSubmit", R"("prompt":"look at the build")");
    agent.event("Stop", R"("session_crons":[{"id":"1","schedule":"*/5 * * * *","recurring":true,)"
                        R"("prompt":"look at the build"}])");
    agent.event("UserPromptSubmit", R"("prompt":" look at the build\n")");
    agent.event("Stop", R"("session_crons":[])");
    agent.event("UserPromptSubmit", R"("prompt":"look at the build")");
    CHECK(roles() == std::vector<std::string>{"user", "system wakes", "user"});
}

TEST_CASE("engine moments: a loop repeats the person's own words", "[server]") {
    Agent agent;
    const auto wakes = [&agent](const std::string& prompt) {
        agent.event("UserPromptSubmit", R"("prompt":")" + prompt + "\"");
        const auto last = agent.all<Message>().back();
        agent.event("Stop", R"("session_crons":[])");
        return last.wake_up;
    };
    CHECK_FALSE(wakes("/loop 10m see how the deploy goes"));
    CHECK(wakes("/loop 10m see how the deploy goes"));
    CHECK(wakes("see how the deploy goes"));
    CHECK_FALSE(wakes("see how the deploy goes now"));
    CHECK_FALSE(wakes("/loop 5m other words"));
}

TEST_CASE("engine moments: a prompt that the agent cut in its list is known all the same",
          "[server]") {
    Agent agent;
    const std::string shown(1000, 'x');
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.event("Stop", R"("session_crons":[{"id":"1","schedule":"0 9 * * *","prompt":")" + shown +
                            "\u2026 [+120 chars]\"}]");
    agent.event("UserPromptSubmit", R"("prompt":")" + shown + std::string(120, 'y') + "\"");
    CHECK(agent.all<Message>().back().wake_up);
    agent.event("UserPromptSubmit", R"("prompt":"something else")");
    CHECK_FALSE(agent.all<Message>().back().wake_up);
}

TEST_CASE("engine moments: an agent that says who wrote a prompt is believed", "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go","source":"user")");
    agent.event("Stop", R"("session_crons":[{"id":"1","schedule":"0 9 * * *","prompt":"go"}])");
    agent.event("UserPromptSubmit", R"("prompt":"go","source":"user")");
    CHECK(agent.all<Message>().back().role == "user");
    agent.event("UserPromptSubmit", R"("prompt":"go","source":"schedule_wakeup")");
    CHECK(agent.all<Message>().back().wake_up);
}

TEST_CASE("engine moments: an interrupt cancels the call and leaves the agent at its prompt",
          "[server]") {
    Agent agent{"codex"};
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.announce("c1", "Bash");
    agent.event("Interrupt", R"("turn_id":"t")");
    const auto finished = agent.all<ToolFinished>();
    REQUIRE(finished.size() == 1);
    CHECK(finished[0].error->error_class == "cancelled");
    CHECK(finished[0].error->message.kept == "interrupted");
    CHECK(agent.all<StateChanged>().back().state == AgentState::kIdle);
    CHECK(agent.verdict() == Verdict::kWaiting);
    agent.event("SessionEnd", R"("reason":"other")");  // SIGINT
    CHECK(agent.all<SessionEnded>().back().outcome == Outcome::kCancelled);
}

TEST_CASE("engine moments: a turn after an interrupt ends as any other", "[server]") {
    Agent agent{"codex"};
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.event("Interrupt", R"("turn_id":"t")");
    agent.event("UserPromptSubmit", R"("prompt":"go on")");
    agent.event("Stop", R"("last_assistant_message":"done")");
    agent.event("SessionEnd", R"("reason":"other")");
    CHECK(agent.all<SessionEnded>().back().outcome == Outcome::kCompleted);
}

TEST_CASE("engine moments: an answered dialog lets the agent go on", "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.announce("u1", "mcp__booking__reserve");
    const auto notify = [&agent](const std::string& type) {
        agent.event(
            "Notification",
            R"("message":"Claude Code needs your input","notification_type":")" + type + "\"");
    };
    notify("elicitation_dialog");
    CHECK(agent.verdict() == Verdict::kBlocked);
    notify("plugin_notification");
    CHECK(agent.verdict() == Verdict::kBlocked);
    notify("elicitation_response");
    CHECK(agent.verdict() != Verdict::kBlocked);
    CHECK(agent.all<StateChanged>().back().state == AgentState::kExecutingTool);
    const std::size_t states = agent.all<StateChanged>().size();
    notify("elicitation_complete");  // no person is asked: no news
    CHECK(agent.all<StateChanged>().size() == states);
}

TEST_CASE("engine moments: a wait that is given as such begins with its hook", "[server]") {
    Agent agent{"generic"};
    agent.tell(R"("event":"prompt","text":"go")");
    agent.tell(R"("event":"error","class":"retry","text":"Rate limit","ends_turn":false,)"
               R"("retry_after_ms":3600000)");
    const auto errors = agent.all<ErrorReported>();
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].retry_at - agent.daemon.journal("s").back().at <= Millis{3'600'000});
    CHECK(errors[0].retry_at - agent.daemon.journal("s").back().at > Millis{3'500'000});
}

TEST_CASE("engine moments: an error that is tried again closes no calls", "[server]") {
    Agent agent{"generic"};
    agent.tell(R"("event":"prompt","text":"go")");
    agent.tell(R"("event":"pre","tool":"task","call":"1")");
    agent.tell(R"("event":"error","class":"retry","text":"busy","ends_turn":false)");
    CHECK(agent.all<ToolFinished>().empty());
    agent.tell(R"("event":"error","class":"APIError","text":"busy")");
    CHECK(agent.all<ToolFinished>().size() == 1);
}

TEST_CASE("engine moments: a session whose last turn failed is not completed by its end",
          "[server]") {
    Agent agent;
    agent.event("UserPromptSubmit", R"("prompt":"go")");
    agent.event("StopFailure", R"("error":"billing_error","last_assistant_message":"no credit")");
    CHECK(agent.verdict() == Verdict::kBlocked);
    agent.event("Notification", R"("message":"waits","notification_type":"idle_prompt")");
    CHECK(agent.verdict() == Verdict::kBlocked);
    agent.event("SessionEnd", R"("reason":"other")");
    CHECK(agent.all<SessionEnded>().back().outcome == Outcome::kFailed);
}
