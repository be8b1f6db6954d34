// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `pi --mode json` 0.73.

namespace headway::cli::pi_lines {
namespace {

constexpr std::array<std::string_view, 6> kSaysNothing{"turn_end",         "message_start",
                                                       "message_update",   "tool_execution_update",
                                                       "compaction_start", "queue_update"};

bool begins(const Json& line) {
    return line["type"] == "session" && line["version"].is_integer() &&
           !line.text_of("id").empty() && line["cwd"].is_string();
}

// Thinking is counted in the output; a version that names it apart keeps the total of the others.
LineTokens tokens_of(const Json& usage) {
    LineTokens tokens{usage.count_of("input"), usage.count_of("cacheRead"),
                      usage.count_of("cacheWrite"), usage.count_of("output"), 0};
    const std::uint64_t reasoning = usage.count_of("reasoning");
    const bool apart = usage.count_of("totalTokens") >= tokens.sum() + reasoning;
    if (!apart) tokens.output = without(tokens.output, reasoning);
    tokens.reasoning = reasoning;
    return tokens;
}

// Whether it goes on after an error is said later, by a line of its own.
void read_end_of_message(const Json& message, AgentLine& agent_line) {
    const std::string& reason = message.text_of("stopReason");
    if (reason.empty() || reason == "toolUse") return;
    agent_line.result = LineResult{reason == "stop", {}, {}, reason};
    if (reason == "error" || reason == "aborted") {
        agent_line.result->text = message.text_of("errorMessage");
        if (agent_line.result->text.empty()) agent_line.result->text = reason;
        ToldError error{agent_line.result->text};
        error.status = status_in(error.message);
        add_error(agent_line, error);
    } else if (reason == "length") {
        agent_line.result->text = kCutOff;
    } else if (!agent_line.result->ok) {
        agent_line.result->text = "it ended with the reason \"" + reason + "\"";
    }
}

void read_retry(const Json& line, AgentLine& agent_line) {
    const bool start = line["type"] == "auto_retry_start";
    if (!start && line["success"] != false) return;
    ToldError error{text_of_error(line[start ? "errorMessage" : "finalError"])};
    if (error.message.empty()) error.message = "the model's API is not tried again";
    error.status = status_in(error.message);
    error.retryable = start;
    error.ends_turn = !start;
    if (start && line["delayMs"].is_number()) error.retry_in_ms = line.count_of("delayMs");
    add_error(agent_line, error);
}

void read_message(const Json& message, AgentLine& agent_line) {
    const std::string& role = message.text_of("role");
    if (role == "assistant") read_end_of_message(message, agent_line);
    if (role != "user" && role != "assistant") return;  // results of tools have lines of their own
    for (const Json& part : message["content"]) {
        if (part["type"] == "text") add_message(agent_line, role, part.text_of("text"));
    }
    const Json& usage = message["usage"];
    if (role == "user" || usage.empty()) return;
    agent_line.model = message.text_of("model");
    agent_line.use.emplace();
    agent_line.use->tokens = tokens_of(usage);
    agent_line.use->model = agent_line.model;
    if (usage["cost"]["total"].is_number())
        agent_line.use->cost_usd = usage["cost"]["total"].number();
    agent_line.use->answer = dump(message["timestamp"]) + message.text_of("responseId");
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    AgentLine agent_line;
    if (begins(line)) {
        add_beginning(agent_line, "pi", line.text_of("id"), {});
        agent_line.folder = line.text_of("cwd");
    } else if (type == "tool_execution_start" && line["toolCallId"].is_string()) {
        add_started(agent_line, line["toolCallId"], line.text_of("toolName"), line["args"]);
    } else if (type == "tool_execution_end" && line["toolCallId"].is_string()) {
        const std::string text = text_of_content(line["result"]["content"]);
        if (line.flag_of("isError")) {
            add_failed(agent_line, line["toolCallId"], "", text);
        } else {
            add_succeeded(agent_line, line["toolCallId"], text);
        }
    } else if (type == "message_end" && line["message"].is_object()) {
        read_message(line["message"], agent_line);
    } else if (type == "auto_retry_start" || type == "auto_retry_end") {
        read_retry(line, agent_line);
    } else if (type == "agent_start" || type == "turn_start") {
        agent_line.begins_turn = true;
    } else if (type != "agent_end" &&
               std::find(kSaysNothing.begin(), kSaysNothing.end(), type) == kSaysNothing.end()) {
        return std::nullopt;
    }
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::pi_lines

namespace headway::cli {

const LineFormat kPiLines{"pi", pi_lines::begins, pi_lines::read, true, true};

}  // namespace headway::cli
