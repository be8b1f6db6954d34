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
void read_end_of_message(const Json& message, AgentLine& said) {
    const std::string& reason = message.text_of("stopReason");
    if (reason.empty() || reason == "toolUse") return;
    said.result = LineResult{reason == "stop", {}};
    if (reason == "error" || reason == "aborted") {
        said.result->text = message.text_of("errorMessage");
        if (said.result->text.empty()) said.result->text = reason;
        ToldError error{said.result->text};
        error.status = status_in(error.message);
        add_error(said, error);
    } else if (reason == "length") {
        said.result->text = "its last answer was cut off: the model's limit of output";
    } else if (!said.result->ok) {
        said.result->text = "it ended with the reason \"" + reason + "\"";
    }
}

void read_retry(const Json& line, AgentLine& said) {
    const bool start = line["type"] == "auto_retry_start";
    if (!start && line["success"] != false) return;
    ToldError error{text_of_error(line[start ? "errorMessage" : "finalError"])};
    if (error.message.empty()) error.message = "the model's API is not tried again";
    error.status = status_in(error.message);
    error.retryable = start;
    error.ends_turn = !start;
    if (start && line["delayMs"].is_number()) error.retry_in_ms = line.count_of("delayMs");
    add_error(said, error);
}

void read_message(const Json& message, AgentLine& said) {
    const std::string& role = message.text_of("role");
    if (role == "assistant") read_end_of_message(message, said);
    if (role != "user" && role != "assistant") return;  // results of tools have lines of their own
    for (const Json& part : message["content"]) {
        if (part["type"] == "text") add_message(said, role, part.text_of("text"));
    }
    const Json& usage = message["usage"];
    if (role == "user" || usage.empty()) return;
    said.model = message.text_of("model");
    said.use.emplace();
    said.use->tokens = tokens_of(usage);
    said.use->model = said.model;
    if (usage["cost"]["total"].is_number()) said.use->cost_usd = usage["cost"]["total"].number();
    said.use->answer = dump(message["timestamp"]) + message.text_of("responseId");
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    AgentLine said;
    if (begins(line)) {
        add_beginning(said, "pi", line.text_of("id"), {});
    } else if (type == "tool_execution_start" && line["toolCallId"].is_string()) {
        add_started(said, line["toolCallId"], line.text_of("toolName"), line["args"]);
    } else if (type == "tool_execution_end" && line["toolCallId"].is_string()) {
        const std::string text = text_of_content(line["result"]["content"]);
        if (line.flag_of("isError")) {
            add_failed(said, line["toolCallId"], "", text);
        } else {
            add_succeeded(said, line["toolCallId"], text);
        }
    } else if (type == "message_end" && line["message"].is_object()) {
        read_message(line["message"], said);
    } else if (type == "auto_retry_start" || type == "auto_retry_end") {
        read_retry(line, said);
    } else if (type == "agent_start" || type == "turn_start") {
        said.begins_turn = true;
    } else if (type != "agent_end" &&
               std::find(kSaysNothing.begin(), kSaysNothing.end(), type) == kSaysNothing.end()) {
        return std::nullopt;
    }
    return said;
}

}  // namespace
}  // namespace headway::cli::pi_lines

namespace headway::cli {

const LineFormat kPiLines{"pi", pi_lines::begins, pi_lines::read, true, true};

}  // namespace headway::cli
