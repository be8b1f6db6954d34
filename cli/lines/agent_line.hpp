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

/// An end of the agent's work that a line reports before the result. The result may report success
/// nevertheless; the first end that still applies overrides it.
struct LineEnd {
    /// Its subject. A later end with the same subject replaces this end; if the later one is a
    /// success, neither of them applies any more.
    std::string about;
    LineResult result;
    bool until_answer = false;  ///< the end no longer applies once the model answers again
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
    bool goes_on = false;          ///< work that begins here continues after its call has ended
    bool cut_off = false;          ///< work that ends here was stopped before it was complete
    std::optional<bool> of_agent;  ///< new background work is a sub-agent; nothing: unknown
    std::string version;           ///< the agent's version; empty: not reported
    bool begins_turn = false;  ///< a new turn begins, so the result in an earlier line is not the
                               ///< end
    bool begins_run = false;   ///< the agent was started, so no earlier line is about this run
    std::string model;         ///< the model; empty: not reported
    std::string folder;        ///< the folder in which the agent works; empty: not reported
    std::string piece;         ///< part of a message that the agent writes in several lines
    std::string lane;          ///< the sub-agent that makes the calls; empty: the agent itself
    bool below = false;  ///< a sub-agent's line: its text is not an answer of the agent itself
    std::string notice;  ///< a warning of the agent about its own run
    std::string once;    ///< system message that is passed on only once in a run
    std::optional<LineUse> use;
    std::optional<LineEnd> end;
    std::optional<LineResult> result;
};

/// Class of the error that is reported if a hook has blocked the first prompt.
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
    /// The agent's hooks report a call with another id than the lines, or without an id.
    bool has_own_ids = false;
    /// Corrects the data of a `tool.finished` once its tool is known, which its line does not name;
    /// null: no correction is needed.
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
