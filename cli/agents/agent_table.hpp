// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The agents that `headway install` knows: one row each.

namespace headway::cli {

/// How an agent's settings name its hooks.
enum class HookLayout : std::uint8_t {
    kGroups,   ///< {"hooks":{EVENT:[{"matcher":..,"hooks":[HOOK]}]}}
    kFlat,     ///< {"version":1,"hooks":{EVENT:[HOOK]}}, in a file of Headway's own
    kScripts,  ///< a folder with one program for each event, named after the event
    kPlugin,   ///< a module that the agent loads
};

struct AgentHookEvent {
    std::string_view name;
    std::uint32_t seconds;    ///< how long the agent waits for the hook; a day if a person may
                              ///< decide
    bool by_command = false;  ///< this hook is a command even if the other hooks use HTTP
    bool usage = false;       ///< `headway-hook AGENT --usage` runs as well
};

struct AgentRow {
    std::string_view name;  ///< name in `headway install NAME` and in /v1/hooks/NAME
    std::string_view title;
    std::vector<std::string_view> programs;  ///< names of the agent's programs on PATH
    std::vector<std::string_view> packages;  ///< names of the agent's packages on npm
    std::string_view user_path;              ///< settings below the home folder: a file, or a
                                             ///< folder of scripts
    /// Settings below the project's folder: a file, or a folder of scripts.
    std::string_view project_path;
    /// An environment variable. The folder that it names replaces the first part of user_path;
    /// empty: no such variable.
    std::string_view folder_variable{};
    HookLayout layout;
    bool http;                 ///< its hooks are requests to the daemon
    std::uint32_t time_units;  ///< units of its timeouts in a second: 1 or 1000
    std::vector<AgentHookEvent> events{};
    std::string_view tested_from;        ///< the oldest version that was tested end to end
    std::string_view tested_to;          ///< the newest version that was tested end to end
    std::string_view loads_none_from{};  ///< the first version that does not load its plugin
};

// One function for each agent, defined in agents/<name>/settings.cpp.
AgentRow claude_row();
AgentRow cline_row();
AgentRow codex_row();
AgentRow copilot_row();
AgentRow gemini_row();
AgentRow kilo_row();
AgentRow opencode_row();
AgentRow pi_row();
AgentRow qwen_row();

// How long agents wait for a hook, in seconds.
inline constexpr std::uint32_t kHookSeconds = 5;
inline constexpr std::uint32_t kHookCommandSeconds = 10;       ///< a process has to start
inline constexpr std::uint32_t kHookDecisionSeconds = 86'400;  ///< a person decides

/// The events of Claude Code, or of Qwen Code, which has the same hooks. Only with `claude`,
/// headway-hook also runs at the ends of turns and batches, to read the usage, and there are events
/// for the questions of MCP servers to the person. A later version of an agent may have more
/// events: `./dev agents --newest` lists them.
std::vector<AgentHookEvent> claude_like_events(bool claude);

const std::vector<AgentRow>& agent_rows();
/// The row of this agent; nullptr: no such agent.
const AgentRow* find_agent_row(std::string_view name);
std::vector<std::string> agent_names();

/// How hooks reach the daemon.
struct HookWay {
    std::string url;         ///< URL of the daemon: http://127.0.0.1:7717
    std::string program;     ///< headway-hook, as an absolute path
    bool named = false;      ///< `url` is not the default, so headway-hook needs it as an argument
    bool token = false;      ///< the daemon requires a token from all clients
    std::string require;     ///< matcher of tools that must not run unchecked; empty: none
    bool commands = false;   ///< hooks run headway-hook even if they could be HTTP requests
    std::string until = {};  ///< the goal: a command that must pass at the end of a turn
    bool until_given = false;  ///< `until` was given; an empty goal removes the installed one
};

/// One entry in the settings of an agent.
struct HookEntry {
    std::string_view event;
    std::string json;
    friend bool operator==(const HookEntry&, const HookEntry&) = default;
};

/// True if the agent's hooks can keep it going until a goal is reached. Pure.
bool takes_goal(const AgentRow& row);

/// Entries that the settings must have, for kGroups and kFlat. Pure.
std::vector<HookEntry> hook_entries(const AgentRow& row, const HookWay& way);

/// "'/opt/my tools/headway-hook' codex", for a shell. Pure.
std::string hook_command(const AgentRow& row, const HookWay& way);

/// True if `version` is within the tested range, or `version` or the range is unknown. Pure.
bool is_tested(const AgentRow& row, std::string_view version);
/// True if `version` is older than `than`; false if either is unknown. Pure.
bool is_older(std::string_view version, std::string_view than);
/// True if `version` is older than all tested versions. Pure.
bool is_too_old(const AgentRow& row, std::string_view version);
/// True if `version` is one that does not load the agent's plugin. Pure.
bool is_too_new(const AgentRow& row, std::string_view version);
/// The first version like 1.2.3 in a text; empty: none. Pure.
std::string version_in(std::string_view text);

}  // namespace headway::cli
