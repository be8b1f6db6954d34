// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "api/hooks/texts/refusals.hpp"
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

std::string_view class_of(std::string_view type, std::string_view why) {
    if (type == "execution_denied" || type == "policy_violation") return "denied";
    if (type == "tool_not_registered") return "unknown_tool";
    if (type == "invalid_tool_params") return "json_parse";
    return api::hooks::says_refused(api::hooks::Refusing::kOfGemini, why) ? "denied" : "";
}

void read_message(const Json& line, AgentLine& agent_line) {
    const std::string& text = line.text_of("content");
    if (line.flag_of("delta")) {
        agent_line.piece = text;
    } else {
        add_message(agent_line, line["role"] == "user" ? "user" : "assistant", text);
    }
}

void read_tool_result(const Json& line, AgentLine& agent_line) {
    const Json& error = line["error"];
    if (line["status"] == "success")
        return add_succeeded(agent_line, line["tool_id"], line["output"]);
    std::string why = text_of_error(error);
    if (why.empty()) why = text_of_content(line["output"]);
    if (error["type"] == "stop_execution") {  // its result then says success
        ToldError stop{text_of_content(line["output"])};
        stop.error_class = "hook_stopped";
        stop.ends_turn = true;
        add_error(agent_line, stop);
    }
    add_failed(agent_line, line["tool_id"], class_of(error.text_of("type"), why), why);
}

void read_result(const Json& line, AgentLine& agent_line) {
    LineResult result;
    const std::string& status = line.text_of("status");
    result.ok = status == "success";
    if (status == "error") {
        result.text = text_of_error(line["error"]);
        ToldError error{result.text};
        const std::string& kind = line["error"].text_of("type");
        if (kind != "unknown") error.error_class = kind;
        error.status = status_in(result.text);
        error.ends_turn = true;
        if (!line["error"].is_null()) add_error(agent_line, error);  // else a line before has it
    } else if (!result.ok) {
        result.text = "it ended with the status \"" + status + "\"";
    }
    agent_line.result = std::move(result);
    const Json& stats = line["stats"];
    if (stats.empty()) return;
    const std::uint64_t input = stats.count_of("input_tokens");
    const std::uint64_t output = stats.count_of("output_tokens");
    LineUse& use = agent_line.use.emplace();
    use.tokens = tokens_inside(input, stats.count_of("cached"), 0, output, 0);
    // Its reasoning is in the total alone.
    use.tokens.reasoning = without(stats.count_of("total_tokens"), input + output);
    const auto& models = stats["models"].members();
    if (models.size() == 1) use.model = models.begin()->first;
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    if (line.text_of("timestamp").empty()) return std::nullopt;
    AgentLine agent_line;
    if (type == "init") {
        add_beginning(agent_line, "gemini", line.text_of("session_id"), line.text_of("model"));
        agent_line.begins_turn = true;
    } else if (type == "message" && line["content"].is_string()) {
        read_message(line, agent_line);
    } else if (type == "tool_use" && line["tool_id"].is_string()) {
        add_started(agent_line, line["tool_id"], line.text_of("tool_name"), line["parameters"]);
    } else if (type == "tool_result" && line["tool_id"].is_string()) {
        read_tool_result(line, agent_line);
    } else if (type == "error" && line["message"].is_string()) {
        if (line["severity"] == "warning") {
            agent_line.notice = line.text_of("message");
            add_message(agent_line, "system", agent_line.notice);
        } else {
            ToldError error{line.text_of("message")};
            error.status = status_in(error.message);
            error.retryable = false;
            add_error(agent_line, error);
        }
    } else if (type == "result" && line["status"].is_string()) {
        read_result(line, agent_line);
    } else {
        return std::nullopt;
    }
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::gemini_lines

namespace headway::cli {

const LineFormat kGeminiLines{"gemini", gemini_lines::begins, gemini_lines::read, true, false,
                              true};

}  // namespace headway::cli
