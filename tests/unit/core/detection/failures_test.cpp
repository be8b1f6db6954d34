// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "core/detection/classify.hpp"
#include "core/events/work_payloads.hpp"
#include "tests/support/names.hpp"

// The half of core/detection/classify.hpp that reads answers: core/detection/failures.cpp.

using namespace headway::core;

namespace {

using Why = FailureKind;

ErrorReported reported(std::string error_class, std::string message,
                       std::optional<std::uint64_t> status = {}, std::string tool = {}) {
    ErrorReported error;
    error.error_class = std::move(error_class);
    error.message = bounded_text(std::move(message));
    error.status = status;
    error.tool = std::move(tool);
    return error;
}

}  // namespace

TEST_CASE("failures: a class is known however it is written", "[core]") {
    struct Case {
        const char* error_class;
        Why of_model;
        Why of_tool;
    };
    const Case cases[] = {
        {"rate_limit", Why::kTransient, Why::kTransient},
        {"RateLimitError", Why::kTransient, Why::kTransient},
        {"overloaded", Why::kTransient, Why::kTransient},
        {"internal-server-error", Why::kTransient, Why::kTransient},
        {"APIError", Why::kTransient, Why::kTransient},
        {"TimeoutError", Why::kTransient, Why::kTimeout},
        {"deadline exceeded", Why::kTransient, Why::kTimeout},
        {"connection_refused", Why::kTransient, Why::kNetwork},
        {"NetworkError", Why::kTransient, Why::kNetwork},
        {"AuthenticationError", Why::kAuth, Why::kAuth},
        {"permission_denied", Why::kAuth, Why::kAuth},
        {"config", Why::kAuth, Why::kAuth},
        {"tool.not.found", Why::kUnknownTool, Why::kUnknownTool},
        {"FileNotFound", Why::kNotFound, Why::kNotFound},
        {"no_match", Why::kMismatch, Why::kMismatch},
        {"AssertionError", Why::kAssertion, Why::kAssertion},
        {"CompileError", Why::kAssertion, Why::kAssertion},
        {"max_tokens", Why::kTruncated, Why::kTruncated},
        {"JSONDecodeError", Why::kTruncated, Why::kTruncated},
        {"context_length_exceeded", Why::kContext, Why::kContext},
        {"prompt too long", Why::kContext, Why::kContext},
        {"ValueError", Why::kNone, Why::kNone},
        {"rate_limit_2", Why::kNone, Why::kNone},
        {"", Why::kNone, Why::kNone},
        {"___", Why::kNone, Why::kNone},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION("'" << c.error_class << "'") {
            CHECK(failure_of_class(c.error_class) == c.of_model);
            CHECK(failure_of_tool_class(c.error_class) == c.of_tool);
        }
    }
}

TEST_CASE("failures: a status of HTTP, each bound on both sides", "[core]") {
    const std::pair<std::uint64_t, Why> cases[] = {
        {0, Why::kNone},        {200, Why::kNone},      {399, Why::kNone},
        {400, Why::kOther},     {401, Why::kAuth},      {402, Why::kOther},
        {403, Why::kAuth},      {404, Why::kNotFound},  {405, Why::kOther},
        {407, Why::kAuth},      {408, Why::kTransient}, {409, Why::kOther},
        {410, Why::kNotFound},  {422, Why::kOther},     {425, Why::kTransient},
        {429, Why::kTransient}, {499, Why::kOther},     {500, Why::kTransient},
        {529, Why::kTransient}, {599, Why::kTransient}};
    for (const auto& [status, why] : cases) {
        DYNAMIC_SECTION(status) {
            CHECK(failure_of_status(status) == why);
        }
    }
}

TEST_CASE("failures: a message is known by its words, in any case", "[core]") {
    const std::pair<const char*, Why> cases[] = {
        {"This model's maximum context length is 8192 tokens", Why::kContext},
        {"prompt is too long", Why::kContext},
        {"Unknown tool: frobnicate", Why::kUnknownTool},
        {"the tool does not exist", Why::kUnknownTool},
        {"Invalid API key provided", Why::kAuth},
        {"cat: /etc/shadow: Permission denied", Why::kAuth},
        {"fatal: Authentication failed for 'https://x'", Why::kAuth},
        {"Too Many Requests", Why::kTransient},
        {"(ThrottlingException) when calling X: Rate exceeded", Why::kTransient},
        {"(SlowDown): Please reduce your request rate.", Why::kTransient},
        {"toomanyrequests: x", Why::kTransient},
        {"code = ResourceExhausted desc = quota", Why::kTransient},
        {"gh: API rate limit exceeded for user ID 1. (HTTP 403)", Why::kTransient},
        {"connect to host h1 port 22: Connection timed out", Why::kTransient},
        {"curl: (7) Failed to connect to x port 80: Connection refused", Why::kTransient},
        {"read ECONNRESET", Why::kTransient},
        {"Could not get lock /var/lib/dpkg/lock", Why::kTransient},
        {"Could not resolve host: x", Why::kTransient},
        {"Unable to create '/r/.git/index.lock': File exists", Why::kTransient},
        {"old_string not found in file", Why::kMismatch},
        {"found 0 occurrences", Why::kMismatch},
        {"no match found", Why::kMismatch},
        {"ls: cannot access 'x': No such file or directory", Why::kNotFound},
        {"bash: x: command not found", Why::kNotFound},
        {"relation \"a\" does not exist", Why::kNotFound},
        {"AssertionError: 1 != 2", Why::kAssertion},
        {"3 tests failed", Why::kAssertion},
        {"segmentation fault", Why::kOther},
        {"", Why::kOther},
    };
    for (const auto& [message, why] : cases) {
        DYNAMIC_SECTION("'" << message << "'") {
            CHECK(failure_of_message(message) == why);
        }
    }
}

TEST_CASE("failures: words of the network are a tool's own failure in its result", "[core]") {
    CHECK(failure_of_tool_message("read ECONNRESET") == Why::kNetwork);
    CHECK(failure_of_tool_message("Could not resolve host: x") == Why::kNetwork);
    CHECK(failure_of_tool_message("Could not get lock /var/lib/dpkg/lock") == Why::kTransient);
    CHECK(failure_of_tool_message("HTTP 503") == Why::kTransient);
}

TEST_CASE("failures: what a person must repair goes before what passes", "[core]") {
    CHECK(failure_of_message("rate limit: unauthorized") == Why::kAuth);
    CHECK(failure_of_message("service unavailable: context window exceeded") == Why::kContext);
    CHECK(failure_of_message("connection refused: no such file") == Why::kTransient);
    CHECK(failure_of_message("tool not found") == Why::kUnknownTool);
    CHECK(failure_of_message("string did not match, not found") == Why::kMismatch);
}

TEST_CASE("failures: a status stands in a message by itself, behind a word that says so",
          "[core]") {
    const std::pair<const char*, Why> cases[] = {
        {"HTTP 429", Why::kTransient},
        {"error 503: try later", Why::kTransient},
        {"status=401", Why::kAuth},
        {"(403)", Why::kAuth},
        {"code: 500", Why::kTransient},
        {"502 Bad", Why::kTransient},  // at the start
        {"HTTP 404", Why::kOther},     // says too little about what is missing
        {"HTTP 200", Why::kOther},
        {"HTTP 4290", Why::kOther},
        {"HTTP x429", Why::kOther},
        {"HTTP 42", Why::kOther},
        {"line 503 of the log", Why::kOther},
        {"error in the middle of line 503", Why::kOther},  // the word is too far away
        {"HTTP 404, then HTTP 503", Why::kTransient},
        {"HTTP 401: prompt is too long", Why::kAuth},  // before all words
    };
    for (const auto& [message, why] : cases) {
        DYNAMIC_SECTION(message) {
            CHECK(failure_of_message(message) == why);
        }
    }
}

TEST_CASE("failures: only the start of a message is read", "[core]") {
    const std::string before(1024 - 12, '.');
    CHECK(failure_of_message(before + "access denied") == Why::kOther);
    CHECK(failure_of_message(before.substr(1) + "access denied") == Why::kAuth);
}

TEST_CASE("failures: a reported error is known by class, then context, status and words",
          "[core]") {
    CHECK(failure_of_error(reported("auth", "overloaded", 500)) == Why::kAuth);
    CHECK(failure_of_error(reported("timeout", "")) == Why::kTransient);
    CHECK(failure_of_error(reported("ValueError", "rate limit")) == Why::kTransient);
    CHECK(failure_of_error(reported("", "the prompt is too long", 400)) == Why::kContext);
    CHECK(failure_of_error(reported("", "boom", 503)) == Why::kTransient);
    CHECK(failure_of_error(reported("", "boom", 401)) == Why::kAuth);
    CHECK(failure_of_error(reported("", "overloaded", 200)) == Why::kTransient);
    CHECK(failure_of_error(reported("", "boom")) == Why::kOther);
}

TEST_CASE("failures: a 4xx without a tool is a refusal of the model's API", "[core]") {
    for (const std::uint64_t status : {400U, 404U, 410U, 422U}) {
        CAPTURE(status);
        CHECK(failure_of_error(reported("", "boom", status)) == Why::kRefused);
        CHECK(failure_of_error(reported("", "boom", status, "http")) != Why::kRefused);
    }
    CHECK(failure_of_error(reported("", "boom", 404, "http")) == Why::kNotFound);
    CHECK(failure_of_error(reported("", "boom", 422, "http")) == Why::kOther);
    CHECK(failure_of_error(reported("", "boom", 429)) == Why::kTransient);
    CHECK(failure_of_error(reported("", "boom", 403)) == Why::kAuth);
}

TEST_CASE("failures: an answer that is the same to every question is trivial", "[core]") {
    for (const char* trivial :
         {"",        " \n",           "ok",           "OK!",   "Okay.",    "true",
          "done...", "Success",       "Sent!",        "null",  "None",     "[]",
          "{}",      R"("")",         R"("ok")",      "saved", "Updated.", "created",
          "yes",     " succeeded \n", "acknowledged", "..."}) {
        CAPTURE(trivial);
        CHECK(is_trivial(trivial));
    }
    for (const char* informs : {"false", "no", "0", "1", "okey", "not ok", "ok, 3 files", "[1]",
                                "acknowledged, thanks", "ok!?", R"("no")"}) {
        CAPTURE(informs);
        CHECK_FALSE(is_trivial(informs));
    }
    CHECK(is_trivial("ok" + std::string(14, '.')));
    CHECK_FALSE(is_trivial("ok" + std::string(15, '.')));
}

TEST_CASE("failures: an answer that says that something is under way", "[core]") {
    for (const char* running : {"running",
                                "Status: RUNNING",
                                "still pending",
                                "in progress",
                                "in_progress",
                                "queued",
                                R"({"state":"waiting"})",
                                "not ready yet",
                                "processing 3 of 7",
                                "building...",
                                "starting up",
                                "job not finished",
                                "provisioning",
                                "web-1 0/1 ContainerCreating 0",
                                "initializing",
                                "activating (auto-restart)",
                                "7pending",
                                "Status: working",
                                R"({"taskId":"a","status":"working"})",
                                R"({"state": "in_flight"})",
                                R"({"previous_state":"failed","state":"working"})"}) {
        CAPTURE(running);
        CHECK(says_running(running));
    }
    for (const char* over : {"",
                             "done",
                             "completed",
                             "failed",
                             "rerunning",
                             "unqueued",
                             "ready",
                             "finished",
                             "progress: 40 %",
                             "the run",
                             "wait",
                             "working on it",
                             R"({"status":"done","note":"working"})",
                             R"({"state":{}})",
                             R"({"status":"failed","stage":"training"})",
                             R"({"status":"completed","stage":"training"})",
                             "previous status: working",
                             R"({"stage":"training","status":"completed"})",
                             "status: done\nstage: training",
                             R"({"jobs":[{"status":"training"}],"status":"failed"})",
                             R"({"previous_state":"working","state":"failed"})"}) {
        CAPTURE(over);
        CHECK_FALSE(says_running(over));
    }
    for (const char* denied : {"nginx is not running", "0 running", "no jobs pending",
                               "isn't running", "nothing queued"}) {
        CAPTURE(denied);
        CHECK_FALSE(says_running(denied));
    }
    for (const char* running :
         {"web-1 0/1 Running", "10 running", "no, still running",
          R"({"status":"training","steps":[{"name":"prep","status":"completed"},{"status":"x"}]})",
          R"({"steps":[{"status":"done"},{"status":"training"}],"state":"training"})",
          R"({"phase":"training","last_checkpoint_status":"completed"})",
          R"([{"id":1,"status":"completed"},{"id":2,"status":"training"}])",
          "status: training\nsteps:\n  - status: done",
          R"({"threshold_status":"training","last build status":"done"})"})
        CHECK(says_running(running));
    const std::string before(256 - 7, '.');
    CHECK(says_running(before + "pending"));
    CHECK_FALSE(says_running(before + ".pending"));  // not at the start of a long answer
}

TEST_CASE("failures: a measurement is known by its command or by a rate in its answer", "[core]") {
    for (const char* command : {"cargo bench", "perf stat ls", "python -m cProfile a.py",
                                "hyperfine ./a", "python -m timeit x", "./LATENCY.sh"}) {
        CAPTURE(command);
        CHECK(is_measurement(command, ""));
    }
    for (const char* result : {"1200 ops/s", "90.1 req/s", "Requests/sec: 42", "12 ns/op",
                               "3.1 it/s", "80 MB/s", "4 ms/iter", "a/b/c, 7 ns/op"}) {
        CAPTURE(result);
        CHECK(is_measurement("run", result));
    }
    for (const char* path : {"tests/unit/server_test.py ..\n2 passed in 0.3s", "props/src/a.c",
                             "ops/scripts/x.sh", "a 3 it/server"}) {
        CAPTURE(path);
        CHECK_FALSE(is_measurement("pytest", path));
    }
    CHECK_FALSE(is_measurement("make", "3 passed in 0.12s"));
    CHECK_FALSE(is_measurement("ls", "/usr/bin/env"));
    CHECK_FALSE(is_measurement(std::string(512, 'x') + "bench", std::string(512, 'x') + " ops/s"));
}

TEST_CASE("failures: the number of failures is that of the tests that a result counts", "[core]") {
    struct Case {
        const char* result;
        std::optional<std::uint64_t> failing;
    };
    const Case cases[] = {
        {"== 2 failed, 5 passed in 0.3s ==", 2},
        {"5 passed", 0},
        {"12 passing, 0 failing", 0},
        {"0 errors", 0},
        {"1 error", 1},
        {"3 tests failed", 3},
        {"1 test failed", 1},
        {"4 tests ok", 0},
        {"2 failed, 3 errors", 5},
        {"3 Failures\n4 FAILED", 7},
        {"7\tfailed", 7},
        {"7failed", 7},
        {"2 tests passed, 1 failures", 1},
        {"failed: 3", {}},
        {"v2 failed", {}},
        {"3 files", {}},
        {"3\nfailed", {}},
        {"3 tests", {}},
        {"all tests passed", {}},
        {"", {}},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION("'" << c.result << "'") {
            CHECK(failing_count(c.result) == c.failing);
        }
    }
}

TEST_CASE("failures: a number of failures beyond every integer is still red", "[core]") {
    CHECK(failing_count("99999999999999999999 failed").value_or(0) > 0);
}

TEST_CASE("failures: the diagnostic is the first line that states an error", "[core]") {
    const std::pair<const char*, const char*> cases[] = {
        {"building\n  a.c: error: x\nb.c: error: y", "a.c: error: x"},
        {"Traceback (most recent call last):\n  File \"a.py\"\nValueError: bad", "ValueError: bad"},
        {"=== FAILURES ===\n   at run (a.js)\nExpected 1", "Expected 1"},
        {"\n\nfirst\nsecond", "first"},  // none states one: the first that says anything
        {"CANNOT open", "CANNOT open"},
        {"one line\r\n", "one line"},
        {"at x\n===", ""},
        {"", ""},
    };
    for (const auto& [text, line] : cases) {
        DYNAMIC_SECTION("'" << text << "'") {
            CHECK(diagnostic_line(text) == line);
        }
    }
}

TEST_CASE("failures: a diagnostic is the same wherever and whenever it is raised", "[core]") {
    CHECK(diagnostic_line("a.c:12:5: error: x") == "a.c:#:#: error: x");
    CHECK(diagnostic_line("error in line 12") == "error in line #");
    CHECK(diagnostic_line("Line 7 is invalid") == "Line # is invalid");
    CHECK(diagnostic_line("error: 12 of 13") == "error: 12 of 13");  // other numbers are the answer
    CHECK(diagnostic_line("failed at 2026-11-21T02:37:00Z") ==
          diagnostic_line("failed at 2026-11-22T03:38:01Z"));
    CHECK(diagnostic_line("failed after 0.31s") == diagnostic_line("failed after 0.28s"));
    CHECK(diagnostic_line("error " + std::string(300, 'x')).size() == 200);
}
