// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `gemini --output-format stream-json` 0.61. Messages come in pieces; a call whose command failed
// reads as one that went well.

namespace headway::cli::gemini_lines {
namespace {

bool begins(const Json& line) {
    return line["type"] == "init" && !line.text_of("session_id").empty() &&
           !line.text_of("timestamp").empty();
}

std::string_view class_of(std::string_view type) {
    if (type == "execution_denied") return "denied";
    if (type == "tool_not_registered") return "unknown_tool";
    if (type == "invalid_tool_params") return "json_parse";
    return {};
}

void read_message(const Json& line, AgentLine& said) {
    const std::string& text = line.text_of("content");
    if (line.flag_of("delta")) {
        said.piece = text;
    } else {
        add_message(said, line["role"] == "user" ? "user" : "assistant", text);
    }
}

void read_tool_result(const Json& line, AgentLine& said) {
    const Json& error = line["error"];
    if (line["status"] != "error") return add_succeeded(said, line["tool_id"], line["output"]);
    std::string why = text_of_error(error);
    if (why.empty()) why = text_of_content(line["output"]);
    add_failed(said, line["tool_id"], class_of(error.text_of("type")), why);
}

void read_result(const Json& line, AgentLine& said) {
    LineResult result;
    result.ok = line["status"] != "error";
    if (!result.ok) result.text = text_of_error(line["error"]);
    said.result = std::move(result);
    const Json& stats = line["stats"];
    if (stats.empty()) return;
    said.use.emplace();
    said.use->input_tokens = stats.count_of("input_tokens");
    said.use->output_tokens = stats.count_of("output_tokens");
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    if (line.text_of("timestamp").empty()) return std::nullopt;
    AgentLine said;
    if (type == "init") {
        add_beginning(said, "gemini", line.text_of("session_id"), line.text_of("model"));
    } else if (type == "message" && line["content"].is_string()) {
        read_message(line, said);
    } else if (type == "tool_use" && line["tool_id"].is_string()) {
        add_started(said, line["tool_id"], line.text_of("tool_name"), line["parameters"]);
    } else if (type == "tool_result" && line["tool_id"].is_string()) {
        read_tool_result(line, said);
    } else if (type == "error" && line["message"].is_string()) {
        if (line["severity"] == "warning") {
            add_message(said, "system", line.text_of("message"));
        } else {
            add_error(said, line.text_of("message"), false);
        }
    } else if (type == "result" && line["status"].is_string()) {
        read_result(line, said);
    } else {
        return std::nullopt;
    }
    return said;
}

}  // namespace
}  // namespace headway::cli::gemini_lines

namespace headway::cli {

const LineFormat kGeminiLines{"gemini", gemini_lines::begins, gemini_lines::read, true};

}  // namespace headway::cli
