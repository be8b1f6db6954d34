// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `cursor-agent -p --output-format stream-json`, as its documentation has it: Claude's lines
// without an id of their own, and calls as lines of the type `tool_call`. Newer versions tell
// tokens with their result.

namespace headway::cli::cursor_lines {
namespace {

bool begins(const Json& line) {
    if (line.text_of("session_id").empty() || line.contains("uuid")) return false;
    const std::string& type = line.text_of("type");
    return (type == "system" && line["subtype"] == "init") ||
           (type == "tool_call" && line["tool_call"].is_object());
}

std::string_view class_of(std::string_view end) {
    if (end == "rejected" || end == "permissionDenied") return "denied";
    if (end == "timeout") return end;
    return {};
}

/// Other members are no objects: {"failure":{},"isBackground":false}
std::string name_of_end(const Json& result) {
    for (const auto& [name, about] : result.members())
        if (about.is_object()) return name;
    return "its result does not say how it ended";
}

void read_success(const Json& call_id, const Json& about, AgentLine& agent_line) {
    const Json& exit = about["exitCode"];
    if (exit.is_integer() && exit.integer() != 0)
        return add_failed(agent_line, call_id, "", text_of_error(about));
    add_succeeded(agent_line, call_id, about);
}

// {"readToolCall":{"args":{},"result":{"success":{}}}}, or {"function":{"name","arguments"}}
void read_call(const Json& line, AgentLine& agent_line) {
    if (line["tool_call"].members().empty()) return;
    const auto& [kind, call] = *line["tool_call"].members().begin();
    std::string tool = kind == "function" ? call.text_of("name") : kind;
    constexpr std::string_view kEnding = "ToolCall";
    if (tool.ends_with(kEnding)) tool.resize(tool.size() - kEnding.size());
    const Json& args = kind == "function" ? call["arguments"] : call["args"];
    if (line["subtype"] == "started") return add_started(agent_line, line["call_id"], tool, args);
    if (line["subtype"] != "completed") return;
    const Json& result = call["result"];
    if (result["success"].is_object())
        return read_success(line["call_id"], result["success"], agent_line);
    const bool has_none = kind == "function";  // by its documentation
    if (has_none && !result.is_object()) return add_succeeded(agent_line, line["call_id"], result);
    const std::string end = name_of_end(result);
    const std::string words = text_of_error(result[end]);
    add_failed(agent_line, line["call_id"], class_of(end),
               end + (words.empty() ? "" : ": ") + words);
}

void read_message(const Json& line, AgentLine& agent_line) {
    for (const Json& part : line["message"]["content"])
        add_message(agent_line, line.text_of("type"), part.text_of("text"));
}

void read_result(const Json& line, AgentLine& agent_line) {
    const std::string& kind = line.text_of("subtype");
    const std::string fault = fault_of_result(line);
    LineResult result{fault.empty(), line.text_of("result")};
    if (!result.ok) {
        if (result.text.empty()) result.text = kind.empty() || kind == "success" ? fault : kind;
        ToldError error{result.text};
        error.status = status_in(result.text);
        error.ends_turn = true;
        add_error(agent_line, error);
    }
    agent_line.result = std::move(result);
    const Json& usage = line["usage"];
    if (usage.empty()) return;
    agent_line.use.emplace().tokens = {
        usage.count_of("inputTokens"), usage.count_of("cacheReadTokens"),
        usage.count_of("cacheWriteTokens"), usage.count_of("outputTokens"), 0};
}

std::optional<AgentLine> read(const Json& line) {
    if (line.text_of("session_id").empty() || line.contains("uuid")) return std::nullopt;
    AgentLine agent_line;
    const std::string& type = line.text_of("type");
    if (type == "system") {
        if (line["subtype"] == "init")
            add_beginning(agent_line, "cursor", line.text_of("session_id"), line.text_of("model"));
        agent_line.folder = line.text_of("cwd");
        agent_line.begins_turn = line["subtype"] == "init";
    } else if (type == "assistant" || type == "user") {
        read_message(line, agent_line);
    } else if (type == "tool_call") {
        read_call(line, agent_line);
    } else if (type == "result") {
        read_result(line, agent_line);
    } else if (type != "thinking") {
        return std::nullopt;
    }
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::cursor_lines

namespace headway::cli {

const LineFormat kCursorLines{"cursor", cursor_lines::begins, cursor_lines::read, false};

}  // namespace headway::cli
