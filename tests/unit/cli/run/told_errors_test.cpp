// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agents/codex/rollout.hpp"
#include "cli/lines/line_words.hpp"
#include "cli/lines/retry_notes.hpp"
#include "tests/unit/cli/lines/told.hpp"

// Stops of the provider, as each agent tells them.

using headway::cli::add_stop_in_rollout;
using headway::cli::Json;
using headway::cli::LineEvent;
using headway::cli::RetryNotes;
using headway::cli::status_in;
using headway::tests::mark_delay;
using headway::tests::told_of;

namespace {

/// "class status ends|goes on retry_at", of the last error; empty without one.
std::string last_error(const std::string& output) {
    std::string form;
    for (const LineEvent& event : told_of(output, 4'096).whole) {
        if (event.type != "error.reported") continue;
        const Json& data = event.data;
        form = (data.contains("class") ? data.text_of("class") : "-") + " " +
               (data.contains("status") ? std::to_string(data.count_of("status")) : "-") + " " +
               (data.flag_of("ends_turn") ? "ends" : "goes on");
        if (data.contains("retry_at")) form += " " + data.text_of("retry_at");
    }
    return form;
}

std::string claude_line(const std::string& members) {
    return "{" + members + R"(,"session_id":"s","uuid":"u"})" + "\n";
}

const std::string kThreadLine = R"({"type":"thread.started","thread_id":"t"})"
                                "\n";
const std::string kPiLine = R"({"type":"session","version":3,"id":"p","cwd":"/w"})"
                            "\n";

}  // namespace

TEST_CASE("told errors: a rejected limit of Claude's plan comes at once, with its reset", "[cli]") {
    const auto limit = [](const std::string& info) {
        return last_error(
            claude_line(R"("type":"rate_limit_event","rate_limit_info":{)" + info + "}"));
    };
    CHECK(limit(R"("status":"rejected","resetsAt":1795747976,"rateLimitType":"five_hour")") ==
          "usage_limit - goes on 2026-11-27T02:52:56.000Z");
    CHECK(limit(R"("status":"rejected","rateLimitType":"seven_day")") == "usage_limit - goes on");
    CHECK(limit(R"("status":"allowed_warning","resetsAt":1795747976,"utilization":0.92)").empty());
    CHECK(limit(R"("status":"allowed")").empty());
    CHECK(limit(R"("status":"rejected","isUsingOverage":true)").empty());
    CHECK(limit(R"("status":"rejected","resetsAt":99999999999999999)") == "usage_limit - goes on");
}

TEST_CASE("told errors: of two used-up windows of Claude's plan the later reset counts", "[cli]") {
    const auto limit = [](const std::string& kind, int at) {
        return claude_line(
            R"("type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":)" +
            std::to_string(at) + R"(,"rateLimitType":")" + kind + "\"}");
    };
    const std::string result =
        claude_line(R"("type":"result","is_error":true,"api_error_status":429,"result":"limit")");
    const std::string week = limit("seven_day", 1'796'050'809);
    const std::string hours = limit("five_hour", 1'795'747'976);
    CHECK(last_error(week + hours) == "usage_limit - goes on 2026-11-30T15:00:09.000Z");
    CHECK(last_error(hours + week) == "usage_limit - goes on 2026-11-30T15:00:09.000Z");
    CHECK(last_error(week + hours + result) == "usage_limit 429 ends 2026-11-30T15:00:09.000Z");
}

TEST_CASE("told errors: paid use beyond the plan comes once", "[cli]") {
    const auto messages = [](const std::string& info) {
        const std::string line =
            claude_line(R"("type":"rate_limit_event","rate_limit_info":{)" + info + "}");
        std::string texts;
        for (const LineEvent& event : told_of(line + line, 4'096).whole)
            texts += event.data.text_of("text") + "|";
        return texts;
    };
    const std::string paid = "the plan's limit is reached; it goes on by paid use beyond the plan|";
    CHECK(messages(R"("status":"allowed","isUsingOverage":true)") == paid);
    CHECK(messages(R"("status":"allowed_warning","overageInUse":true)") == paid);
    CHECK(messages(R"("status":"rejected","isUsingOverage":true)") == paid);
    CHECK(messages(R"("status":"allowed","overageStatus":"allowed")").empty());
}

TEST_CASE("told errors: a retry says when, and ends no turn", "[cli]") {
    CHECK(last_error(
              claude_line(R"("type":"system","subtype":"api_retry","attempt":1,"error_status":529,)"
                          R"("error":"overloaded","retry_delay_ms":3806778)")) ==
          "overloaded 529 goes on in 3806778 ms");
    CHECK(last_error(kPiLine +
                     R"({"type":"auto_retry_start","attempt":1,"delayMs":2000,"errorMessage":)"
                     R"("429 Rate limit reached"})"
                     "\n") == "- 429 goes on in 2000 ms");
    CHECK(last_error(kPiLine +
                     R"({"type":"auto_retry_end","success":false,"finalError":"503 busy"})"
                     "\n") == "- 503 ends");
    CHECK(last_error(kPiLine + R"({"type":"auto_retry_end","success":true})"
                               "\n")
              .empty());
    CHECK(last_error(kThreadLine +
                     R"({"type":"error","message":"Reconnecting... 2/5 (stream closed)."})"
                     "\n") == "- - goes on");
}

TEST_CASE("told errors: an error that ends a turn says so, once", "[cli]") {
    const std::string two = kThreadLine + R"({"type":"error","message":"no"})"
                                          "\n"
                                          R"({"type":"turn.failed","error":{"message":"no"}})"
                                          "\n";
    CHECK(last_error(two) == "- - ends");
    CHECK(told_of(two).events.size() == 2);  // with the beginning
    CHECK(last_error(
              R"({"type":"error","timestamp":1,"sessionID":"s","error":{"name":"APIError","data":)"
              R"({"message":"slow","statusCode":429,"isRetryable":true,"responseHeaders":)"
              R"({"retry-after":"30"}}}})"
              "\n") == "APIError 429 ends in 30000 ms");
    CHECK(last_error(R"({"type":"session.error","id":"1","timestamp":"t","parentId":null,"data":)"
                     R"({"errorType":"authentication","statusCode":401,"message":"no"}})"
                     "\n") == "authentication 401 ends");
    CHECK(last_error(R"({"type":"model.call_failure","id":"1","timestamp":"t","parentId":null,)"
                     R"("data":{"statusCode":503,"retryAttempt":2}})"
                     "\n") == "- 503 goes on");
    CHECK(last_error(claude_line(
              R"("type":"result","subtype":"error_during_execution","is_error":true,)"
              R"("error":{"message":"[API Error: 402 Insufficient credits]"})")) == "- 402 ends");
    CHECK(last_error(R"({"ts":"t","type":"run_result","finishReason":"error","text":"429 slow"})"
                     "\n") == "- 429 ends");
}

TEST_CASE("told errors: Gemini CLI says on standard error that it waits", "[cli]") {
    const auto notes = [](const std::string& text, std::size_t piece) {
        RetryNotes reader;
        std::vector<std::string> forms;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            for (LineEvent& error : reader.feed(std::string_view{text}.substr(at, piece))) {
                mark_delay(error);
                forms.push_back(std::to_string(error.data.count_of("status")) + " " +
                                error.data.text_of("retry_at"));
            }
        }
        return forms;
    };
    using Forms = std::vector<std::string>;
    const std::string one =
        "Attempt 5 failed: got status: 429 Too Many. Retrying after 33741ms...\n";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4'096}}) {
        CHECK(notes(one, piece) == Forms{"429 in 33741 ms"});
        CHECK(notes("warming up\n" + one + "other\n" + one, piece).size() == 2);
    }
    const std::string lines =
        "Attempt 1 failed: {\n  \"error\": {\n    \"code\": 503\n  }\n}. Retrying after "
        "5012.7ms...\n";
    CHECK(notes(lines, 3) == Forms{"503 in 5012 ms"});
    CHECK(notes("Attempt 2 failed with status 429. Retrying with backoff...\n", 9) ==
          Forms{"429 "});
    // Hours, as for a quota of a plan.
    CHECK(notes("Attempt 1 failed: quota. Retrying after 41080000ms...\n", 50) ==
          Forms{"0 in 41080000 ms"});
    CHECK(notes("Attempt to connect failed\nRetrying after 5ms\n", 50).empty());
    CHECK(notes("Attempt 1 failed: no end\n" + std::string(100'000, 'x') + "\n" +
                    std::string(200, '\n') + "Retrying after 5ms\n",
                1'000)
              .empty());
}

TEST_CASE("told errors: a status is read where agents write one", "[cli]") {
    CHECK(status_in("429 Rate limit reached") == 429U);
    CHECK(status_in("[API Error: 402 Insufficient credits]") == 402U);
    CHECK(status_in("unexpected status 503 Service Unavailable") == 503U);
    CHECK(status_in(R"({"error":{"code":429,"message":"x"}})") == 429U);
    CHECK_FALSE(status_in("4290 things"));
    CHECK_FALSE(status_in("200 OK"));
    CHECK_FALSE(status_in("waited 429 ms"));
    CHECK_FALSE(status_in(""));
}

TEST_CASE("told errors: Codex' record has the class of an error and the reset of a limit",
          "[cli]") {
    const auto line = [](const std::string& payload) {
        return R"({"timestamp":"2026-11-26T23:01:50Z","type":"event_msg","payload":{)" + payload +
               "}}\n";
    };
    const auto stop = [](const std::string& rollout) {
        Json error = {{"message", "no"}};
        add_stop_in_rollout(rollout, error);
        return error.text_of("class") + " " + std::to_string(error.count_of("status")) + " " +
               error.text_of("retry_at");
    };
    const std::string started = line(R"("type":"task_started")");
    const std::string limits = line(
        R"("type":"token_count","rate_limits":{"primary":{"used_percent":100.0,)"
        R"("resets_at":1795747976},"secondary":{"used_percent":80.0,"resets_at":1796050809}})");
    const std::string limit =
        line(R"("type":"task_complete","error":{"message":"no","codex_error_info":)"
             R"("usage_limit_exceeded"})");
    CHECK(stop(started + limits + limit) == "usage_limit_exceeded 0 2026-11-27T02:52:56.000Z");
    CHECK(stop(started + line(R"("type":"task_complete","error":{"codex_error_info":)"
                              R"({"http_connection_failed":{"http_status_code":401}}})")) ==
          "http_connection_failed 401 ");
    // Both windows: the later reset. Without a limit the windows say nothing.
    const std::string both =
        line(R"("type":"token_count","rate_limits":{"primary":{"used_percent":100,)"
             R"("resets_at":1795747976},"secondary":{"used_percent":100,"resets_at":1796050809}})");
    CHECK(stop(started + both + limit) == "usage_limit_exceeded 0 2026-11-30T15:00:09.000Z");
    CHECK(
        stop(
            started + both +
            line(
                R"("type":"task_complete","error":{"codex_error_info":"internal_server_error"})")) ==
        "internal_server_error 0 ");
    // A workspace without credit: a person has to act, unless a window is used up.
    const auto workspace = [&line](const char* used, const char* more) {
        return line(
            std::string{R"("type":"token_count","rate_limits":{"primary":{"used_percent":)"} +
            used + R"(,"resets_at":1795747976},)" + more + "}");
    };
    const char* const depleted = R"("rate_limit_reached_type":"workspace_owner_credits_depleted")";
    const std::string nothing = line(R"("type":"token_count","rate_limits":null)");
    CHECK(stop(started + workspace("10", depleted) + limit) == "billing_error 0 ");
    CHECK(stop(started + workspace("10", depleted) + nothing + limit) == "billing_error 0 ");
    CHECK(stop(started + workspace("10", R"("spend_control_reached":true)") + limit) ==
          "billing_error 0 ");
    CHECK(stop(started + workspace("100", depleted) + limit) ==
          "usage_limit_exceeded 0 2026-11-27T02:52:56.000Z");
    CHECK(stop(started + workspace("10", R"("rate_limit_reached_type":null)") + limit) ==
          "usage_limit_exceeded 0 ");
    // An earlier turn, a turn that went well, a file that is cut.
    CHECK(stop(started + limits + limit + started) == " 0 ");
    CHECK(stop(started + limits + line(R"("type":"task_complete","error":null)")) == " 0 ");
    CHECK(stop(limit.substr(0, limit.size() / 2)) == " 0 ");
    CHECK(stop("") == " 0 ");
}

TEST_CASE("told use: of a thread that Codex resumes the turns before are in its record", "[cli]") {
    const auto count = [](int input, int output) {
        return R"({"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{)"
               R"("input_tokens":)" +
               std::to_string(input) + R"(,"cached_input_tokens":100,"output_tokens":)" +
               std::to_string(output) + "}}}}\n";
    };
    using headway::cli::LineTokens;
    using headway::cli::total_in_rollout;
    const LineTokens before = total_in_rollout(count(1'000, 20) + count(2'100, 41) + "{}\n");
    CHECK(before == LineTokens{2'000, 100, 0, 41, 0});
    CHECK(total_in_rollout("").sum() == 0);
    CHECK(total_in_rollout(count(1'000, 20).substr(0, 60)).sum() == 0);
    std::uint64_t tokens = 0;
    headway::cli::AgentLines lines(
        [&tokens](const LineEvent& event, bool) {
            if (event.type != "heartbeat") return;
            const Json& usage = event.data["usage"];
            tokens += usage.count_of("input_tokens") + usage.count_of("output_tokens") +
                      usage.count_of("cached_tokens");
        },
        {},
        [&before](const std::string&, const std::string&, const std::string&) {
            return headway::cli::UsedBefore{before, 0, true};
        });
    headway::cli::OutputLines rest;
    lines.feed(kThreadLine + R"({"type":"turn.completed","usage":{"input_tokens":3300,)"
                             R"("cached_input_tokens":100,"output_tokens":63}})"
                             "\n",
               rest);
    CHECK(tokens == 1'222);
}
