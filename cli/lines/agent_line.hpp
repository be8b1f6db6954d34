// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json.hpp"

// What agents print, one JSON object a line, when they run without a terminal. Each format is one
// file with a function from a line to what it says. Pure.

namespace headway::cli {

/// An event of the session: its type and data as in API.md. A `tool.finished` without a `tool` is
/// that of the started call with its `call_id`.
struct LineEvent {
    std::string type;
    Json data;
};

/// Tokens and cost that a line tells.
struct LineUse {
    std::uint64_t input_tokens = 0;  ///< with those that came from a cache
    std::uint64_t output_tokens = 0;
    std::optional<double> cost_usd;
    /// The answer of the model that used them; a line with the same name again tells of the same
    /// tokens. Empty: everything since the agent's start.
    std::string answer;
    bool hooks_tell_tokens = false;  ///< the agent's hooks report the tokens, and no cost
};

/// How the agent's work ended, as it says.
struct LineResult {
    bool ok = true;
    std::string text;  ///< empty: the last message is it
};

struct AgentLine {
    std::vector<LineEvent> events;
    std::string began;  ///< the agent's id of the session that begins here; empty: none does
    std::string model;  ///< empty: not said
    std::string piece;  ///< of a message of the agent that comes in pieces
    std::optional<LineUse> use;
    std::optional<LineResult> result;
};

struct LineFormat {
    std::string_view name;
    /// Whether only this format has such a line. Lines that others could print too are taken only
    /// after one of these.
    bool (*begins)(const Json& line);
    /// What the line says; nothing in it where it says nothing that is reported. No value: it is
    /// not of this format.
    std::optional<AgentLine> (*read)(const Json& line);
    bool hooks_tell_use;  ///< the agent's hooks or plugin report tokens as well
};

extern const LineFormat kClaudeLines;    ///< Claude Code and Qwen Code
extern const LineFormat kCodexLines;     ///< codex exec --json
extern const LineFormat kCopilotLines;   ///< copilot --output-format json
extern const LineFormat kCursorLines;    ///< cursor-agent --output-format stream-json
extern const LineFormat kGeminiLines;    ///< gemini --output-format stream-json
extern const LineFormat kOpencodeLines;  ///< opencode and Kilo: run --format json
extern const LineFormat kPiLines;        ///< pi --mode json

std::span<const LineFormat* const> line_formats();

}  // namespace headway::cli
