// SPDX-License-Identifier: Apache-2.0
#include "hook/text/notice.hpp"

#include <algorithm>
#include <array>

#include "hook/text/json_scan.hpp"

namespace headway::hook {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kTooMany = 429;  // after some wrong tokens, to each request

/// Beginnings of sessions, and prompts, by the names of all agents.
constexpr std::array<std::string_view, 7> kPersonLooks{
    "SessionStart", "UserPromptSubmit", "BeforeAgent", "TaskStart", "TaskResume", "start",
    "prompt"};

/// Events before a call; most are written as `PreToolUse` or `preToolUse`.
constexpr std::array<std::string_view, 4> kBeforeCalls{"PreToolUse", "preToolUse", "BeforeTool",
                                                       "pre"};

std::string_view event_in(std::string_view body) noexcept {
    std::string_view event = text_member(body, "hook_event_name");
    if (event.empty()) event = text_member(body, "hookName");
    return event.empty() ? text_member(body, "event") : event;
}

/// Agents that show the member `systemMessage` of a reply to the user.
constexpr std::array<std::string_view, 4> kShowing{"claude", "codex", "gemini", "qwen"};

template <class List>
bool is_in(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

bool is_refusal(int status) noexcept {
    return status == kUnauthorized || status == kForbidden || status == kTooMany;
}

bool is_before_call(std::string_view body) noexcept {
    return is_in(kBeforeCalls, event_in(body));
}

std::string refusal_words(std::string_view agent, int status) {
    std::string words = "the daemon answered " + std::to_string(status) + ": ";
    if (status == kForbidden) {
        words += "the token may not report this session";
    } else if (status == kTooMany) {
        words += "too many requests, or too many with a wrong token";
    } else {
        words += "the token has expired, was revoked, or is not set";
    }
    words +=
        "; start the agent with HEADWAY_TOKEN set to a valid one (`headway token create`), see "
        "`headway doctor ";
    return words.append(agent).append("`");
}

Notice refusal_notice(std::string_view agent, std::string_view body, int status) {
    if (!is_refusal(status) || !is_in(kPersonLooks, event_in(body))) return {};
    Notice notice;
    notice.line = "Headway does not supervise this agent, its calls run unwatched: " +
                  refusal_words(agent, status);
    // The words have no quote, backslash or control character; nor has the name of an agent.
    if (is_in(kShowing, agent)) notice.reply = "{\"systemMessage\":\"" + notice.line + "\"}";
    return notice;
}

}  // namespace headway::hook
