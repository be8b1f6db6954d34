// SPDX-License-Identifier: Apache-2.0
#include "hook/way/turn_error.hpp"

#include <catch2/catch.hpp>

// Errors in the records of agents, as Claude Code 2.1.332 and Codex 0.171 write them.

using namespace headway::hook;

namespace {

const std::string kLimit =
    R"({"type":"assistant","isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,)"
    R"("apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":1795735860,)"
    R"("rateLimitType":"five_hour"},"message":{"content":[]}})"
    "\n";

std::string counted(const std::string& limits) {
    return R"({"type":"event_msg","payload":{"type":"token_count","info":{},"rate_limits":)" +
           limits + "}}\n";
}

std::string complete(const std::string& rest) {
    return R"({"type":"event_msg","payload":{"type":"task_complete","turn_id":"t")" + rest + "}}\n";
}

}  // namespace

TEST_CASE("turn error: claude's limit has its reset in the last line", "[hook]") {
    const TurnError error = error_in_transcript(
        "half a line\n" + kLimit + R"({"type":"system","subtype":"stop_hook_summary"})" + "\n");
    CHECK(error.error_class == "usage_limit_reached");
    CHECK(error.status == "429");
    CHECK(error.retry_at == "1795735860");
}

TEST_CASE("turn error: an error of an earlier turn is none of this one", "[hook]") {
    CHECK(error_in_transcript(kLimit + R"({"type":"user","message":{}})" + "\n").retry_at.empty());
    CHECK(error_in_transcript(kLimit + R"({"type":"assistant","message":{}})" + "\n")
              .error_class.empty());
    CHECK(error_in_transcript("").error_class.empty());
    CHECK(error_in_transcript("no json\n\n{").retry_at.empty());
}

TEST_CASE("turn error: claude's error without a limit has no reset", "[hook]") {
    const TurnError error = error_in_transcript(
        R"({"type":"assistant","isApiErrorMessage":true,"error":"server_error","apiErrorStatus":529})"
        "\n");
    CHECK(error.error_class == "server_error");
    CHECK(error.status == "529");
    CHECK(error.retry_at.empty());
    CHECK(error_in_transcript(R"({"type":"assistant","isApiErrorMessage":true,"error":"x y;z"})"
                              "\n")
              .error_class.empty());
}

TEST_CASE("turn error: codex has the latest reset of the windows that are used up", "[hook]") {
    const std::string limits =
        R"({"primary":{"used_percent":100.0,"window_minutes":300,"resets_at":1795740000},)"
        R"("secondary":{"used_percent":100.0,"window_minutes":10080,"resets_at":1796000000}})";
    const std::string over = complete(
        R"(,"error":{"message":"You've hit your usage limit.","codex_error_info":"usage_limit_exceeded"})");
    CHECK(error_in_rollout(counted(limits) + over).retry_at == "1796000000");
    CHECK(error_in_rollout(counted(limits) + over).error_class == "usage_limit_exceeded");
    const std::string half = R"({"primary":{"used_percent":100.0,"resets_at":1795740000},)"
                             R"("secondary":{"used_percent":92.5,"resets_at":1796000000}})";
    CHECK(error_in_rollout(counted(half) + over).retry_at == "1795740000");
    const std::string none = R"({"primary":null,"secondary":null})";
    CHECK(error_in_rollout(counted(none) + over).retry_at.empty());
    CHECK(error_in_rollout(over).error_class == "usage_limit_exceeded");
}

TEST_CASE("turn error: codex names some errors by an object with a status", "[hook]") {
    const TurnError error = error_in_rollout(complete(
        R"(,"error":{"message":"no","codex_error_info":{"http_connection_failed":{"http_status_code":401}}})"));
    CHECK(error.error_class == "http_connection_failed");
    CHECK(error.status == "401");
    CHECK(error_in_rollout(complete(R"(,"error":{"message":"no"})")).error_class == "error");
}

TEST_CASE("turn error: codex names a cut stream by its words alone", "[hook]") {
    const auto class_of = [](const std::string& words) {
        return error_in_rollout(complete(R"(,"error":{"message":")" + words +
                                         R"(","codex_error_info":"other"})"))
            .error_class;
    };
    CHECK(class_of("stream disconnected before completion: Transport error") ==
          "response_stream_disconnected");
    CHECK(class_of("no tool writes: stream disconnected") == "other");
}

TEST_CASE("turn error: a turn of codex that ended well, or was ended, has none", "[hook]") {
    const std::string over = complete(R"(,"error":{"codex_error_info":"other"})");
    CHECK(error_in_rollout(over + complete(R"(,"last_agent_message":"done")")).error_class.empty());
    CHECK(error_in_rollout(
              over +
              R"({"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}})"
              "\n")
              .error_class.empty());
    CHECK(
        error_in_rollout(over + R"({"type":"event_msg","payload":{"type":"task_started"}})" + "\n")
            .error_class.empty());
}

TEST_CASE("turn error: codex gives the class of a limit to a workspace without credit", "[hook]") {
    const auto class_of = [](const std::string& limits, const std::string& words) {
        const std::string over = complete(R"(,"error":{"message":")" + words +
                                          R"(","codex_error_info":"usage_limit_exceeded"})");
        return error_in_rollout((limits.empty() ? "" : counted(limits)) + over).error_class;
    };
    const std::string full = R"({"primary":{"used_percent":100.0,"resets_at":1795740000},)";
    const std::string part = R"({"primary":{"used_percent":10.0,"resets_at":1795740000},)";
    const std::string type = R"("rate_limit_reached_type":"workspace_member_credits_depleted"})";
    CHECK(class_of("", "Your workspace is out of credits. Add credits.") == "billing_error");
    CHECK(class_of("", "You hit your spend cap set in your workspace.") == "billing_error");
    CHECK(class_of("", "You've hit your usage limit.") == "usage_limit_exceeded");
    CHECK(class_of(part + type, "no") == "billing_error");
    CHECK(class_of(part + R"("spend_control_reached":true})", "no") == "billing_error");
    CHECK(class_of(full + type, "Your workspace is out of credits.") == "usage_limit_exceeded");
    CHECK(class_of(part + R"("rate_limit_reached_type":null})", "no") == "usage_limit_exceeded");
}
