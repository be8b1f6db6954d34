// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

#include <algorithm>
#include <charconv>

#include "cli/agents/settings/settings_text.hpp"

namespace headway::cli {
namespace {

constexpr std::uint32_t kGoal = 630;  // headway-hook gives the command of a goal 10 minutes

std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
    if (word.find_first_not_of(kPlain) == std::string_view::npos) return std::string{word};
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    return out + "'";
}

std::string http_hook(const AgentRow& row, const HookWay& way, const AgentHookEvent& event) {
    const bool named = row.name == "qwen";
    std::string hook = std::string{"{"} + (named ? R"("name":"headway",)" : "") +
                       R"("type":"http","url":)" +
                       json_text(way.url + "/v1/hooks/" + std::string{row.name}) +
                       ",\"timeout\":" + std::to_string(event.seconds * row.time_units);
    const auto value = [named](const char* variable) {
        return (named ? "${" : "$") + std::string{variable} + (named ? "}\"" : "\"");
    };
    // Not set, a header is empty, and the session is the agent's own; as that of a run at another
    // daemon is.
    hook += R"(,"headers":{"X-Headway-Session":")" + value("HEADWAY_SESSION") +
            R"(,"X-Headway-Url":")" + value("HEADWAY_URL");
    if (way.token) hook += R"(,"Authorization":"Bearer )" + value("HEADWAY_TOKEN");
    hook += std::string{R"(},"allowedEnvVars":["HEADWAY_SESSION","HEADWAY_URL")"} +
            (way.token ? R"(,"HEADWAY_TOKEN"])" : "]");
    return hook + "}";
}

/// `more`: further options.
std::string command_with(const AgentRow& row, const HookWay& way, const std::string& more) {
    std::string command = shell_word(way.program) + " " + std::string{row.name};
    if (way.named) command += " --url " + shell_word(way.url);
    command += more;
    // It takes any failure for a refusal, even that of a program that is gone.
    return row.name == "copilot" ? command + " || true" : command;
}

/// The end of a turn, where an agent of this row obeys "go on".
bool is_goal_event(const AgentRow& row, const AgentHookEvent& event) {
    return event.name == (row.name == "gemini" ? "AfterAgent" : "Stop");
}

std::string command_hook(const AgentRow& row, const HookWay& way, const AgentHookEvent& event,
                         bool require = false) {
    const bool goal = !way.until.empty() && is_goal_event(row, event);
    std::string more = require ? " --require" : "";
    if (goal) more += " --until " + shell_word(way.until);
    const std::string command = json_text(command_with(row, way, more));
    // A process has to start, also where the table counts with a request.
    std::uint32_t seconds =
        way.commands ? std::max(event.seconds, kHookCommandSeconds) : event.seconds;
    if (goal) seconds = kGoal;
    // Qwen Code counts the seconds of HTTP hooks and the milliseconds of commands.
    const bool qwen = row.name == "qwen";
    const std::string time = std::to_string(seconds * (qwen ? 1000 : row.time_units));
    if (row.layout == HookLayout::kFlat)
        return R"({"type":"command","bash":)" + command + ",\"timeoutSec\":" + time + "}";
    const bool named = qwen || row.name == "gemini";
    return std::string{"{"} + (named ? R"("name":"headway",)" : "") +
           R"("type":"command","command":)" + command + ",\"timeout\":" + time + "}";
}

/// It runs while the agent goes on.
std::string usage_hook(const AgentRow& row, const HookWay& way) {
    return R"({"type":"command","command":)" + json_text(hook_command(row, way) + " --usage") +
           ",\"timeout\":" + std::to_string(kHookCommandSeconds) + R"(,"async":true})";
}

std::array<std::uint32_t, 3> version_numbers(std::string_view version) {
    std::array<std::uint32_t, 3> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (std::uint32_t& number : numbers) {
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{}) break;
        at = next == end ? next : next + 1;
    }
    return numbers;
}

}  // namespace

std::vector<AgentHookEvent> claude_like_events(bool claude) {
    const bool reads_use = claude;
    const std::uint32_t end = reads_use ? kHookCommandSeconds : kHookSeconds;
    std::vector<AgentHookEvent> events{
        {"SessionStart", kHookCommandSeconds, true},  // never comes over HTTP
        {"UserPromptSubmit", kHookSeconds},
        {"PreToolUse", kHookDecisionSeconds},
        {"PostToolUse", kHookSeconds},
        {"PostToolUseFailure", kHookSeconds},
        {"PostToolBatch", kHookSeconds, false, reads_use},
        {"PermissionRequest", kHookDecisionSeconds},
        {"PermissionDenied", kHookSeconds},
        {"Notification", kHookSeconds},
        {"Stop", end, reads_use},
        {"StopFailure", end, reads_use},
        {"SubagentStart", kHookSeconds},
        {"SubagentStop", end, reads_use},
        {"PostCompact", kHookSeconds},
        {"SessionEnd", kHookSeconds}};
    if (claude) {
        events.push_back({"Elicitation", kHookSeconds});
        events.push_back({"ElicitationResult", kHookSeconds});
    }
    return events;
}

const std::vector<AgentRow>& agent_rows() {
    static const std::vector<AgentRow> kRows{claude_row(),   qwen_row(),    codex_row(),
                                             gemini_row(),   copilot_row(), cline_row(),
                                             opencode_row(), kilo_row(),    pi_row()};
    return kRows;
}

const AgentRow* find_agent_row(std::string_view name) {
    for (const AgentRow& row : agent_rows())
        if (row.name == name) return &row;
    return nullptr;
}

std::vector<std::string> agent_names() {
    std::vector<std::string> names;
    for (const AgentRow& row : agent_rows())
        names.emplace_back(row.name);
    return names;
}

std::string hook_command(const AgentRow& row, const HookWay& way) {
    return command_with(row, way, {});
}

bool takes_goal(const AgentRow& row) {
    return (row.layout == HookLayout::kGroups || row.layout == HookLayout::kFlat) &&
           std::any_of(row.events.begin(), row.events.end(),
                       [&row](const AgentHookEvent& event) { return is_goal_event(row, event); });
}

std::vector<HookEntry> hook_entries(const AgentRow& row, const HookWay& way) {
    std::vector<HookEntry> entries;
    for (const AgentHookEvent& event : row.events) {
        const bool goal = !way.until.empty() && is_goal_event(row, event);
        const bool http = row.http && !event.by_command && !way.commands && !goal;
        const std::string hook = http ? http_hook(row, way, event) : command_hook(row, way, event);
        const bool flat = row.layout == HookLayout::kFlat;
        entries.push_back({event.name, flat ? hook : "{\"hooks\":[" + hook + "]}"});
        if (event.usage)
            entries.push_back({event.name, "{\"hooks\":[" + usage_hook(row, way) + "]}"});
        const bool require = !way.require.empty() && row.name == "claude";
        if (require && event.name == "PreToolUse") {
            // An agent takes any 2xx for a permission, also that of another program on the port.
            const std::string hard = command_hook(row, way, event, true);
            entries.push_back({event.name, "{\"matcher\":" + json_text(way.require) +
                                               ",\"hooks\":[" + hard + "]}"});
        }
    }
    return entries;
}

bool is_tested(const AgentRow& row, std::string_view version) {
    if (version.empty() || row.tested_from.empty()) return true;
    const auto number = version_numbers(version);
    return version_numbers(row.tested_from) <= number && number <= version_numbers(row.tested_to);
}

bool is_older(std::string_view version, std::string_view than) {
    if (version.empty() || than.empty()) return false;
    return version_numbers(version) < version_numbers(than);
}

bool is_too_new(const AgentRow& row, std::string_view version) {
    const bool known = !row.loads_none_from.empty() && !version.empty();
    return known && !is_older(version, row.loads_none_from);
}

bool is_too_old(const AgentRow& row, std::string_view version) {
    return is_older(version, row.tested_from);
}

std::string version_in(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789";
    std::size_t at = text.find_first_of(kDigits);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
        std::string_view found = text.substr(at, end - at);
        while (found.ends_with('.'))
            found.remove_suffix(1);
        if (std::count(found.begin(), found.end(), '.') == 2) return std::string{found};
        at = text.find_first_of(kDigits, end);
    }
    return {};
}

}  // namespace headway::cli
