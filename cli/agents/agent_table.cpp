// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

#include <algorithm>
#include <charconv>

#include "cli/agents/settings/settings_text.hpp"

namespace headway::cli {
namespace {

constexpr std::uint32_t kShort = 5;
constexpr std::uint32_t kCommand = 10;  // a process has to start
constexpr std::uint32_t kDay = 86'400;  // a person decides
constexpr std::uint32_t kGoal = 630;    // headway-hook gives the command of a goal 10 minutes

// `claude`: headway-hook comes at the ends of turns and beside batches, to read what was used; and
// servers of MCP may ask the person. The next version of an agent may have more: `./dev agents
// --newest` lists them.
std::vector<AgentHookEvent> claude_like_events(bool claude) {
    const bool reads_use = claude;
    const std::uint32_t end = reads_use ? kCommand : kShort;
    std::vector<AgentHookEvent> events{{"SessionStart", kCommand, true},  // never comes over HTTP
                                       {"UserPromptSubmit", kShort},
                                       {"PreToolUse", kDay},
                                       {"PostToolUse", kShort},
                                       {"PostToolUseFailure", kShort},
                                       {"PostToolBatch", kShort, false, reads_use},
                                       {"PermissionRequest", kDay},
                                       {"PermissionDenied", kShort},
                                       {"Notification", kShort},
                                       {"Stop", end, reads_use},
                                       {"StopFailure", end, reads_use},
                                       {"SubagentStart", kShort},
                                       {"SubagentStop", end, reads_use},
                                       {"PostCompact", kShort},
                                       {"SessionEnd", kShort}};
    if (claude) {
        events.push_back({"Elicitation", kShort});
        events.push_back({"ElicitationResult", kShort});
    }
    return events;
}

// Codex clamps SessionEnd and Interrupt to 3 s itself.
std::vector<AgentHookEvent> codex_events() {
    return {{"SessionStart", kCommand},
            {"UserPromptSubmit", kCommand},
            {"PreToolUse", kDay},
            {"PostToolUse", kCommand},
            {"PermissionRequest", kDay},
            {"Stop", kCommand},
            {"SubagentStart", kCommand},
            {"SubagentStop", kCommand},
            {"PostCompact", kCommand},
            {"SessionEnd", 3},
            {"Interrupt", 3}};
}

std::vector<AgentHookEvent> gemini_events() {
    return {{"SessionStart", kCommand}, {"BeforeAgent", kCommand}, {"AfterModel", kCommand},
            {"BeforeTool", kDay},       {"AfterTool", kCommand},   {"AfterAgent", kCommand},
            {"Notification", kCommand}, {"SessionEnd", kCommand}};
}

std::vector<AgentHookEvent> copilot_events() {
    return {{"SessionStart", kCommand},
            {"UserPromptSubmit", kCommand},
            {"PreToolUse", kDay},
            {"PostToolUse", kCommand},
            {"PostToolUseFailure", kCommand},
            {"PermissionRequest", kDay},
            {"Notification", kCommand},
            {"Stop", kCommand},
            {"SubagentStart", kCommand},
            {"SubagentStop", kCommand},
            {"ErrorOccurred", kCommand},
            {"SessionEnd", kCommand}};
}

// Scripts have no timeout of their own.
std::vector<AgentHookEvent> cline_events() {
    return {{"TaskStart", 0}, {"TaskResume", 0},    {"TaskCancel", 0},  {"TaskComplete", 0},
            {"TaskError", 0}, {"PreToolUse", kDay}, {"PostToolUse", 0}, {"SessionShutdown", 0}};
}

std::vector<AgentRow> command_rows() {
    using Layout = HookLayout;
    return {
        {"codex",
         "Codex",
         {"codex"},
         {"@openai/codex"},
         ".codex/hooks.json",
         ".codex/hooks.json",
         "CODEX_HOME",
         Layout::kGroups,
         false,
         1,
         codex_events(),
         "0.169.0",
         "0.171.0"},
        {"gemini",
         "Gemini CLI",
         {"gemini"},
         {"@google/gemini-cli"},
         ".gemini/settings.json",
         ".gemini/settings.json",
         "",
         Layout::kGroups,
         false,
         1'000,
         gemini_events(),
         "0.61.0",
         "0.61.0"},
        {"copilot",
         "Copilot CLI",
         {"copilot"},
         {"@github/copilot"},
         ".copilot/hooks/headway.json",
         ".github/hooks/headway.json",
         "",
         Layout::kFlat,
         false,
         1,
         copilot_events(),
         "1.0.102",
         "1.0.102"},
        {"cline",
         "Cline",
         {"cline"},
         {"cline"},
         ".cline/hooks",
         ".clinerules/hooks",
         "",
         Layout::kScripts,
         false,
         1,
         cline_events(),
         "3.0.65",
         "3.0.65"},
    };
}

std::vector<AgentRow> plugin_rows() {
    using Layout = HookLayout;
    return {
        {"opencode",
         "opencode",
         {"opencode"},
         {"opencode-ai"},
         ".config/opencode/plugin/headway.js",
         ".opencode/plugin/headway.js",
         "XDG_CONFIG_HOME",
         Layout::kPlugin,
         true,
         1,
         {},
         "1.18.33",
         "1.18.33"},
        {"kilo",
         "Kilo",
         {"kilo", "kilocode"},
         {"@kilocode/cli"},
         ".config/kilo/plugin/headway.js",
         ".kilo/plugin/headway.js",
         "XDG_CONFIG_HOME",
         Layout::kPlugin,
         true,
         1,
         {},
         "7.7.7",
         "7.7.7"},
        {"pi",
         "pi",
         {"pi"},
         {"@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"},
         ".pi/agent/extensions/headway.ts",
         ".pi/extensions/headway.ts",
         "",
         Layout::kPlugin,
         true,
         1,
         {},
         "0.73.1",
         "1.5.2"},
    };
}

std::vector<AgentRow> make_rows() {
    using Layout = HookLayout;
    std::vector<AgentRow> rows{
        {"claude",
         "Claude Code",
         {"claude"},
         {"@anthropic-ai/claude-code"},
         ".claude/settings.json",
         ".claude/settings.json",
         "CLAUDE_CONFIG_DIR",
         Layout::kGroups,
         true,
         1,
         claude_like_events(true),
         "2.1.197",
         "2.1.332"},
        {"qwen",
         "Qwen Code",
         {"qwen"},
         {"@qwen-code/qwen-code"},
         ".qwen/settings.json",
         ".qwen/settings.json",
         "",
         Layout::kGroups,
         true,
         1,
         // SessionStart by a command, which alone tells whose process it is: `qwen -p` has no
         // SessionEnd.
         claude_like_events(false),
         "0.24.4",
         "0.24.4"},
    };
    for (const auto& more : {command_rows(), plugin_rows()})
        rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

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
    // Not set, the header is empty, and the session is the agent's own.
    hook += std::string{R"(,"headers":{"X-Headway-Session":")"} +
            (named ? "${HEADWAY_SESSION}" : "$HEADWAY_SESSION") + '"';
    if (way.token) {
        hook += std::string{R"(,"Authorization":"Bearer )"} +
                (named ? "${HEADWAY_TOKEN}" : "$HEADWAY_TOKEN") + '"';
    }
    hook += std::string{R"(},"allowedEnvVars":["HEADWAY_SESSION")"} +
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
    std::uint32_t seconds = way.commands ? std::max(event.seconds, kCommand) : event.seconds;
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
           ",\"timeout\":" + std::to_string(kCommand) + R"(,"async":true})";
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

const std::vector<AgentRow>& agent_rows() {
    static const std::vector<AgentRow> kRows = make_rows();
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
