// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/json.hpp"

// Output of agents that run without a terminal, one JSON object a line. Each format is one file
// with a function from a line to what it says. Pure.

namespace headway::cli {

/// An event of the session: its type and data as in API.md. A `tool.finished` without a `tool` is
/// that of the started call with its `call_id`.
struct LineEvent {
    std::string type;
    Json data;
    /// In an error: this long from now the agent waits before it asks the provider again. Lines
    /// have no clock, so what reports the event makes a time of it.
    std::optional<std::uint64_t> retry_in_ms = {};
};

/// Tokens that do not overlap.
struct LineTokens {
    std::uint64_t input = 0;  ///< neither read from nor written to a cache
    std::uint64_t cached = 0;
    std::uint64_t cache_write = 0;
    std::uint64_t output = 0;  ///< without reasoning, where the agent says that apart
    std::uint64_t reasoning = 0;

    std::uint64_t sum() const { return input + cached + cache_write + output + reasoning; }
    bool operator==(const LineTokens&) const = default;
};

/// Tokens and cost that a line tells.
struct LineUse {
    LineTokens tokens;
    std::optional<double> cost_usd;
    /// The answer of the model that used them; a line with the same name again tells of the same
    /// tokens. Empty: everything since the agent's start.
    std::string answer;
    bool hooks_tell_tokens = false;  ///< the agent's hooks report the tokens, and no cost
    std::string model = {};          ///< that used them; empty: not said
};

struct RefusedCall {
    std::string call_id;
    std::string tool;
};

/// How the agent's work ended, as it says. A word that is not known is no success.
struct LineResult {
    bool ok = true;
    std::string text;                       ///< empty: the last message is it
    std::vector<RefusedCall> refused = {};  ///< by the agent's own rules, where it lists them
};

struct AgentLine {
    std::vector<LineEvent> events;
    std::string agent;         ///< that speaks, by its name in run_end.cpp; empty: as the format
    std::string began;         ///< the agent's id of the session that begins here; empty: none does
    std::string conversation;  ///< its id, of agents that have no line for its beginning
    bool begins_turn = false;  ///< what an earlier line told as the result is not the end
    std::string model;         ///< empty: not said
    std::string piece;         ///< of a message of the agent that comes in pieces
    std::string notice;        ///< a warning of the agent about its own run
    std::optional<LineUse> use;
    std::optional<LineResult> result;
};

struct LineFormat {
    std::string_view name;
    /// Whether only this format has such a line. Lines that others could print too are taken only
    /// after one of these.
    bool (*begins)(const Json& line);
    /// Content of the line; empty where it has nothing that is reported. No value: it is not of
    /// this format.
    std::optional<AgentLine> (*read)(const Json& line);
    bool hooks_tell_use;  ///< the agent's hooks or plugin report tokens as well
    /// They report errors as well; never when the provider accepts requests again.
    bool hooks_tell_errors = false;
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
