// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/failure.hpp"

#include <catch2/catch.hpp>

#include "core/session/session.hpp"

using namespace headway::core;

namespace {

using std::chrono::seconds;

constexpr Timestamp kStart{Millis{1'000'000}};

struct Run {
    explicit Run(Policy policy = {}) {
        SessionStarted about;
        about.labels = {{"workspace", "/srv/app"}};
        session.open(std::move(about), policy, at(seconds{0}), out);
    }

    static Context at(Millis after) {
        Context context;
        context.now = kStart + after;
        context.watch = kStart;
        return context;
    }

    template <class P>
    void report(P payload, Millis after = seconds{1}) {
        std::vector<Event> events(1);
        events.front().payload = std::move(payload);
        session.report(events, at(after), out);
    }

    std::string feedback(Millis after = seconds{1}) const {
        return feedback_of(session.state(), kStart + after);
    }

    Session session{"run"};
    std::vector<Event> out;
};

ToolFinished failing(const std::string& tool, const std::string& message) {
    ToolFinished call;
    call.tool = tool;
    call.ok = false;
    call.error.emplace().message = bounded_text(message);
    return call;
}

ToolFinished working(const std::string& tool) {
    ToolFinished call;
    call.tool = tool;
    call.result.kept = "\"fine\"";
    return call;
}

Reflection says(const std::string& assessment) {
    Reflection reflection;
    reflection.assessment = assessment;
    return reflection;
}

}  // namespace

TEST_CASE("failure: feedback names the tool, how often, the sanitized error and what to do",
          "[core]") {
    Run run;
    CHECK(run.feedback().empty());
    run.report(failing("deploy", "open /home/ana/keys/id: token=abc123 refused"));
    CHECK(run.feedback() ==
          "The tool deploy has failed once (attempt 1 of 3): open …/id: "
          "token=[redacted] refused. Read the error and change what it complains about before the "
          "next attempt.");
    run.report(failing("deploy", "/srv/app/src/a.py:3: boom"));
    CHECK(run.feedback().find("attempt 2 of 3): src/a.py:3: boom") != std::string::npos);
    run.report(failing("deploy", "boom"));
    CHECK(run.feedback().find("use another tool") != std::string::npos);
}

TEST_CASE("failure: each class of error has a remedy of its own", "[core]") {
    const std::pair<const char*, const char*> kRemedies[] = {
        {"not_found", "list what is there"},
        {"mismatch", "read the file again and copy it exactly"},
        {"parse_error", "send it again in full, smaller"},
        {"assertion", "Read the first error, change the code that causes it"},
        {"compile_error", "Read the first error, change the code that causes it"},
        {"timeout", "ask for less at a time, or let it run in the background"},
        {"permission_denied", "say which permission or credential is missing"},
        {"rate_limit", "Wait before the next attempt"},
        {"connection_refused", "Wait before the next attempt"},
        {"unknown_tool", "use one of the tools that you were given"},
        {"anything_else", "Read the error and change what it complains about"}};
    for (const auto& [name, remedy] : kRemedies) {
        INFO(name);
        Run run;
        ToolFinished call = failing("edit", "it went wrong");
        call.error->error_class = name;
        run.report(std::move(call));
        CHECK_THAT(run.feedback(), Catch::Contains(remedy));
    }
}

TEST_CASE("failure: a success, and another tool, restart the count of failures", "[core]") {
    Run run;
    run.report(failing("deploy", "boom"));
    run.report(failing("deploy", "boom 2"));
    run.report(failing("fetch", "no route"));
    CHECK(run.feedback().find("The tool fetch has failed once") == 0);
    run.report(working("fetch"));
    CHECK(run.feedback().empty());
    CHECK(run.session.state().last_failure.empty());
}

TEST_CASE("failure: one more failure of a tool than the policy allows fails the session",
          "[core]") {
    Policy policy;
    policy.max_tool_failures = 3;
    Run run{policy};
    for (int i = 0; i < 3; ++i)
        run.report(failing("deploy", "boom " + std::to_string(i)));
    CHECK_FALSE(run.session.state().ended());
    run.report(failing("deploy", "boom again"));
    REQUIRE(run.session.state().ended());
    CHECK(*run.session.state().outcome == Outcome::kFailed);
    CHECK(run.session.state().end_code == "tool_failures");
}

TEST_CASE("failure: unreadable turns give feedback, and fail past their limit", "[core]") {
    Policy policy;
    policy.max_parse_failures = 2;
    Run run{policy};
    ErrorReported unreadable;
    unreadable.error_class = "json_parse_error";
    unreadable.message = bounded_text("the model's turn could not be parsed as JSON");
    run.report(unreadable);
    CHECK(run.feedback().find("unreadable (attempt 1 of 2)") != std::string::npos);
    run.report(unreadable);
    CHECK_FALSE(run.session.state().ended());
    run.report(unreadable);
    CHECK(run.session.state().end_code == "parse_failures");
}

TEST_CASE("failure: every way to fail has a code of its own", "[core]") {
    Run run;
    run.report(says("task_failed"));
    CHECK(run.session.state().end_code == "task_failed");

    Policy policy;
    policy.max_iterations = 25;
    Run turns{policy};
    Heartbeat beat;
    beat.iteration = 25;
    turns.report(beat);
    CHECK_FALSE(turns.session.state().ended());
    beat.iteration = 26;
    turns.report(beat);
    CHECK(turns.session.state().end_code == "max_iterations_reached");

    policy = {};
    policy.min_confidence = 0.5;
    Run unsure{policy};
    Reflection low = says("continue");
    low.confidence = 0.4;
    for (std::uint32_t i = 0; i < policy.low_confidence_attempts; ++i) {
        CHECK_FALSE(unsure.session.state().ended());
        unsure.report(low);
    }
    CHECK(unsure.session.state().end_code == "low_confidence");
}

TEST_CASE("failure: calls beyond their time limit are failures of their tool", "[core]") {
    Policy policy;
    policy.tool_time_limit = seconds{60};
    policy.max_tool_failures = 3;
    Run run{policy};
    const auto call = [&run](std::uint64_t ms, const char* id) {
        ToolFinished finished;
        finished.tool = "compile";
        finished.call_id = id;
        finished.duration_ms = ms;
        finished.result.kept = std::string{"\""} + id + "\"";
        run.report(finished);
    };
    for (const char* id : {"a", "b", "c"})
        call(60'001, id);
    CHECK(run.feedback().find("has failed 3 times in a row") != std::string::npos);
    CHECK(run.feedback().find("longer than the time") != std::string::npos);
    SECTION("one in time restarts the count") {
        call(60'000, "d");
        CHECK(run.feedback().empty());
        CHECK_FALSE(run.session.state().ended());
    }
    SECTION("one more ends the session") {
        call(60'001, "d");
        CHECK(run.session.state().end_code == "tool_failures");
    }
}

TEST_CASE("failure: refusals that are no tool failure get a remedy", "[core]") {
    struct Case {
        const char* name;
        std::uint64_t status;
        const char* says;
    };
    for (const Case& c :
         {Case{"permission_denied", 0, "which permission"}, Case{"rate_limit", 429, "Wait before"},
          Case{"unknown_tool", 0, "no such tool"}, Case{"", 400, "itself is wrong"},
          Case{"", 422, "itself is wrong"}, Case{"", 404, "itself is wrong"},
          Case{"context_length", 400, "no longer fits"}}) {
        INFO(c.name << " " << c.status);
        Run run;
        ErrorReported error;
        error.error_class = c.name;
        if (c.status != 0) error.status = c.status;
        error.message = bounded_text("refused");
        run.report(error);
        CHECK(run.feedback().find(c.says) != std::string::npos);
    }
}

TEST_CASE("failure: a call in flight past its time limit is advice", "[core]") {
    Policy policy;
    policy.tool_time_limit = seconds{60};
    policy.tools = {{"train", false, 1, false, 3'600'000}};
    Run run{policy};
    ToolStarted started;
    started.call_id = "a";
    started.tool = "train";
    run.report(started);
    CHECK(run.feedback(seconds{600}).empty());
    started.call_id = "b";
    started.tool = "bash";
    run.report(started);
    CHECK(run.feedback(seconds{61}).empty());
    const std::string text = run.feedback(seconds{62});
    CHECK(text.find("The call of bash has been running for 61 s, longer than the 60 s") == 0);
    CHECK_FALSE(run.session.state().ended());
}

TEST_CASE("failure: a limit of less than a second is not shown as 0 s", "[core]") {
    Policy policy;
    policy.tool_time_limit = Millis{500};
    Run run{policy};
    ToolStarted started;
    started.call_id = "a";
    started.tool = "bash";
    run.report(started);
    const std::string text = run.feedback(seconds{2});
    CHECK_THAT(text, Catch::Contains("longer than the 500 ms it is given"));
}
