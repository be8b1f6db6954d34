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

constexpr std::array<std::string_view, 9> kSaysNothing{
    "agent_start",      "turn_start",     "turn_end",
    "message_start",    "message_update", "tool_execution_update",
    "compaction_start", "auto_retry_end", "queue_update"};

bool begins(const Json& line) {
    return line["type"] == "session" && line["version"].is_integer() &&
           !line.text_of("id").empty() && line["cwd"].is_string();
}

void read_message(const Json& message, AgentLine& said) {
    const std::string& role = message.text_of("role");
    if (role != "user" && role != "assistant") return;  // results of tools have lines of their own
    for (const Json& part : message["content"]) {
        if (part["type"] == "text") add_message(said, role, part.text_of("text"));
    }
    const Json& usage = message["usage"];
    if (role == "user" || usage.empty()) return;
    said.model = message.text_of("model");
    said.use.emplace();
    said.use->input_tokens =
        usage.count_of("input") + usage.count_of("cacheRead") + usage.count_of("cacheWrite");
    said.use->output_tokens = usage.count_of("output");
    if (usage["cost"]["total"].is_number()) said.use->cost_usd = usage["cost"]["total"].number();
    said.use->answer = dump(message["timestamp"]) + message.text_of("responseId");
    const std::string& reason = message.text_of("stopReason");
    const bool failed = reason == "error" || reason == "aborted";
    if (failed || reason == "stop") {
        said.result = LineResult{!failed, failed ? message.text_of("errorMessage") : ""};
    }
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
    } else if (type == "auto_retry_start") {
        add_error(said, text_of_error(line["errorMessage"]), true);
    } else if (type != "agent_end" &&
               std::find(kSaysNothing.begin(), kSaysNothing.end(), type) == kSaysNothing.end()) {
        return std::nullopt;
    }
    return said;
}

}  // namespace
}  // namespace headway::cli::pi_lines

namespace headway::cli {

const LineFormat kPiLines{"pi", pi_lines::begins, pi_lines::read, true};

}  // namespace headway::cli
