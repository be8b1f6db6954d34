// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/json.hpp"

// The output of agents that run without a terminal: one JSON object on each line. Each format has a
// source file, with a function that reads a line. Pure.

namespace headway::cli {

/// An event of the session: its type and data as in API.md. A `tool.finished` without `tool`
/// belongs to the started call with its `call_id`.
struct LineEvent {
    std::string type;
    Json data;
    /// In an error: how long the agent will wait before it tries the provider again. Lines have no
    /// times, so the reporter of the event turns this into a time.
    std::optional<std::uint64_t> retry_in_ms = {};
};

/// Token counts that do not overlap.
struct LineTokens {
    std::uint64_t input = 0;  ///< input tokens neither read from nor written to a cache
    std::uint64_t cached = 0;
    std::uint64_t cache_write = 0;
    /// Output tokens, without reasoning if the agent reports that separately.
    std::uint64_t output = 0;
    std::uint64_t reasoning = 0;

    std::uint64_t sum() const { return input + cached + cache_write + output + reasoning; }
    bool operator==(const LineTokens&) const = default;
};

/// Tokens and cost that a line reports.
struct LineUse {
    LineTokens tokens;
    std::optional<double> cost_usd;
    /// The name of the model's answer that used the tokens; a later line with the same name reports
    /// the same tokens again. Empty: the figures are totals since the agent's start.
    std::string answer;
    bool hooks_tell_tokens = false;  ///< the agent's hooks report these tokens, but no cost
    std::string model = {};          ///< model that used them; empty: not reported
};

struct RefusedCall {
    std::string call_id;
    std::string tool;
};

/// How the agent's work ended, according to the agent. An unknown result is not a success.
struct LineResult {
    bool ok = true;
    std::string text = {};  ///< the result; empty: the last message is the result
    /// Calls that the agent's own rules refused, if the agent lists them.
    std::vector<RefusedCall> refused = {};
    std::string ending = {};  ///< the agent's names for this kind of end, if it has any
    bool asks = false;        ///< the last answer is empty and ended with a call
};

/// How the work ends, as a line before the result says it, whose result may say success all the
/// same. The first that stands counts.
struct LineEnd {
    /// Its subject. A later end with the same subject takes its place; if that is a success,
    /// nothing stands about it any more.
    std::string about;
    LineResult result;
    bool until_answer = false;  ///< it is over once the model answers again
};

struct AgentLine {
    std::vector<LineEvent> events;
    std::string agent;  ///< the agent that wrote the line, as named in run_end.cpp; empty: the
                        ///< agent of the format
    std::string began;  ///< the agent's id of a session that begins here; empty: none begins
    std::string conversation;  ///< the agent's session id, if the agent writes no line when a
                               ///< session begins
    /// Work in the background that begins or ends here, by each of the agent's names for it.
    std::vector<std::string> background_began;
    std::vector<std::string> background_ended;
    bool goes_on = false;          ///< what begins here goes on behind the agent's calls
    bool cut_off = false;          ///< what ends here was stopped before its own end
    std::optional<bool> of_agent;  ///< what begins here is a sub-agent's; nothing: its call says it
    std::string version;           ///< the agent's version; empty: not reported
    bool begins_turn = false;  ///< a new turn begins, so the result in an earlier line is not the
                               ///< end
    bool begins_run = false;   ///< the agent was started, so nothing in an earlier line is its own
    std::string model;         ///< the model; empty: not reported
    std::string folder;        ///< the folder in which the agent works; empty: not reported
    std::string piece;         ///< piece of a message that the agent writes in pieces
    std::string lane;          ///< the sub-agent whose calls these are; empty: the agent itself
    bool below = false;        ///< a sub-agent's line: its words are no answer of the agent itself
    std::string notice;        ///< a warning of the agent about its own run
    std::string once;          ///< system message that is passed on once in a run
    std::optional<LineUse> use;
    std::optional<LineEnd> end;
    std::optional<LineResult> result;
};

/// Class of the error that a hook has kept the first prompt from the model.
inline constexpr std::string_view kPromptBlocked = "prompt_blocked";

struct LineFormat {
    std::string_view name;
    /// True if only this format has such a line. Lines that other programs could print too are
    /// accepted only after a line for which this is true.
    bool (*begins)(const Json& line);
    /// Content of the line; empty if nothing in it is reported. No value: the line is not of this
    /// format.
    std::optional<AgentLine> (*read)(const Json& line);
    bool hooks_tell_use;  ///< the agent's hooks or plugin report tokens as well
    /// The hooks report errors as well, but no time at which the provider accepts requests again.
    bool hooks_tell_errors = false;
    /// The agent's hooks report a call by another id, or by none.
    bool has_own_ids = false;
    /// Corrects the data of a `tool.finished` by its tool, which its line does not name; null: the
    /// lines need none.
    void (*correct)(Json& call) = nullptr;
};

extern const LineFormat kClaudeLines;    ///< Claude Code and Qwen Code
extern const LineFormat kClineLines;     ///< cline --json
extern const LineFormat kCodexLines;     ///< codex exec --json
extern const LineFormat kCopilotLines;   ///< copilot --output-format json
extern const LineFormat kCursorLines;    ///< cursor-agent --output-format stream-json
extern const LineFormat kGeminiLines;    ///< gemini --output-format stream-json
extern const LineFormat kOpencodeLines;  ///< opencode and Kilo: run --format json
extern const LineFormat kPiLines;        ///< pi --mode json

std::span<const LineFormat* const> line_formats();

}  // namespace headway::cli
