// SPDX-License-Identifier: Apache-2.0
#include "hook/way/turn_error.hpp"

#include <algorithm>
#include <array>

#include "hook/text/answers.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/json_scan.hpp"
#include "hook/way/use.hpp"

namespace headway::hook {
namespace {

constexpr std::size_t kErrorRecordBytes = 256 * 1024;
constexpr std::size_t kClassBytesMax = 64;
/// Digits of seconds since 1970: ten until the year 2286.
constexpr std::size_t kTimeDigits = 10;

bool is_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= kClassBytesMax &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
           });
}

std::string status_text(std::string_view json, std::string_view name) {
    const unsigned long long status = count_member(json, name);
    return status >= 400 && status < 600 ? std::to_string(status) : std::string{};
}

std::string time_text(unsigned long long seconds) {
    std::string digits = std::to_string(seconds);
    return digits.size() == kTimeDigits ? digits : std::string{};
}

/// The name of an object's first member: `{"http_connection_failed":{...}}`.
std::string_view first_name(std::string_view object) noexcept {
    const std::size_t open = object.find('"');
    if (open == object.npos) return {};
    const std::size_t close = object.find('"', open + 1);
    return close == object.npos ? std::string_view{} : object.substr(open + 1, close - open - 1);
}

/// "100.0" or more, by its digits before the point: this program reads whole numbers only.
bool is_used_up(std::string_view window) noexcept {
    std::string_view percent = member(window, "used_percent");
    percent = percent.substr(0, percent.find_first_not_of("0123456789"));
    return percent.size() >= 3 && percent.front() != '0';
}

unsigned long long reset_in(std::string_view limits) noexcept {
    unsigned long long latest = 0;
    for (const std::string_view name : {"primary", "secondary"}) {
        const std::string_view window = member(limits, name);
        if (is_used_up(window)) latest = std::max(latest, count_member(window, "resets_at"));
    }
    return latest;
}

/// Codex gives the class of a limit to stops that only a payment or another person ends.
bool needs_money(std::string_view words) noexcept {
    constexpr std::array<std::string_view, 5> kWords{"out of credits", "spend cap",
                                                     "plan and billing", "ChatGPT plan, upgrade",
                                                     "contact your workspace owner"};
    return std::any_of(kWords.begin(), kWords.end(),
                       [words](std::string_view one) { return words.find(one) != words.npos; });
}

bool workspace_stops(std::string_view limits) noexcept {
    return text_member(limits, "rate_limit_reached_type").starts_with("workspace_") ||
           member(limits, "spend_control_reached") == "true";
}

TurnError error_of_codex(std::string_view error) {
    TurnError found;
    const std::string_view info = member(error, "codex_error_info");
    std::string_view name = text_member(error, "codex_error_info");
    if (!info.empty() && info.front() == '{') {
        name = first_name(info);
        found.status = status_text(member(info, name), "http_status_code");
    }
    found.error_class = is_name(name) ? name : "error";
    // A stream that was cut has no name of its own; its words do not leave the machine.
    if (name == "other" && text_member(error, "message").starts_with("stream disconnected"))
        found.error_class = "response_stream_disconnected";
    return found;
}

}  // namespace

TurnError error_in_transcript(std::string_view tail) {
    while (!tail.empty()) {
        const std::string_view line = take_last_line(tail);
        const std::string_view type = text_member(line, "type");
        if (type == "user") return {};
        if (type != "assistant") continue;
        if (member(line, "isApiErrorMessage") != "true") return {};
        TurnError found;
        std::string_view name = text_member(line, "apiError");
        if (name.empty()) name = text_member(line, "error");
        if (is_name(name)) found.error_class = name;
        found.status = status_text(line, "apiErrorStatus");
        found.retry_at = time_text(count_member(member(line, "quotaLimits"), "resetsAt"));
        return found;
    }
    return {};
}

TurnError error_in_rollout(std::string_view tail) {
    TurnError found;
    bool ended = false;
    bool money = false;
    while (!tail.empty()) {
        const std::string_view line = take_last_line(tail);
        if (text_member(line, "type") != "event_msg") continue;
        const std::string_view payload = member(line, "payload");
        const std::string_view type = text_member(payload, "type");
        if (!ended) {
            if (type == "turn_aborted" || type == "task_started") return {};
            if (type != "task_complete") continue;
            const std::string_view error = member(payload, "error");
            if (error.empty() || error.front() != '{') return {};
            found = error_of_codex(error);
            const bool limit = found.error_class == "usage_limit_exceeded";
            money = limit && needs_money(text_member(error, "message"));
            if (money) found.error_class = "billing_error";
            ended = true;
        }
        if (type != "token_count") continue;
        const std::string_view limits = member(payload, "rate_limits");
        // The last one that says something; windows of an earlier turn may have begun again.
        if (limits.empty() || limits.front() != '{') continue;
        found.retry_at = time_text(reset_in(limits));
        const bool limit = money || found.error_class == "usage_limit_exceeded";
        if (limit && found.retry_at.empty() && workspace_stops(limits)) money = true;
        if (limit)
            found.error_class =
                money && found.retry_at.empty() ? "billing_error" : "usage_limit_exceeded";
        return found;
    }
    return found;
}

TurnError turn_error_of(std::string_view agent, std::string_view body) {
    const std::string_view event = text_member(body, "hook_event_name");
    if (agent == "claude" && event == "StopFailure")
        return error_in_transcript(tail_of(record_of(body), kErrorRecordBytes));
    if (agent == "codex" && event == "SessionEnd")
        return error_in_rollout(tail_of(record_of(body), kErrorRecordBytes));
    return {};
}

}  // namespace headway::hook
