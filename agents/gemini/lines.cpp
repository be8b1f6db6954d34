// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `gemini --output-format stream-json` 0.61. Messages come in pieces; a call whose command failed
// with an output reads as one that went well.

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

/// The class of a command's failure by the words that stand in the place of an output; nothing for
/// an output. The agent's own words are all of the line.
std::optional<std::string_view> failure_of(std::string_view output) {
    constexpr std::string_view kCode = "Command exited with code: ";
    constexpr std::string_view kCancelled = "Command cancelled by user.";
    constexpr std::string_view kLate = "Command was automatically cancelled because it exceeded ";
    const std::string_view first = output.substr(0, output.find('\n'));
    if (first.starts_with(kLate) && first.ends_with(" without output.")) return "timeout";
    if (first == kCancelled) return "cancelled";
    if (first != output) return std::nullopt;
    if (output.starts_with(kCode)) {
        const std::string_view code = output.substr(kCode.size());
        const bool number = code.find_first_not_of("-0123456789") == code.npos && !code.empty();
        return number ? std::optional{std::string_view{}} : std::nullopt;
    }
    const bool failed = output.starts_with("Command terminated by signal: ") ||
                        output.starts_with("Command failed: ") ||
                        output == "Blocked: command substitution detected in shell command.";
    return failed ? std::optional{std::string_view{}} : std::nullopt;
}

void make_failed(Json& call, std::string_view error_class, std::string_view message) {
    Json error = {{"message", message}};
    if (!error_class.empty()) error["class"] = error_class;
    call.erase("result");
    call["ok"] = false;
    call["error"] = std::move(error);
}

/// Tools whose good end always has an output; those of sub-agents, and of tools whose display is no
/// text, have none.
bool has_output(std::string_view tool) {
    constexpr std::array<std::string_view, 3> kTools{"read_file", "web_fetch", "google_web_search"};
    return tool.starts_with("mcp_") ||
           std::find(kTools.begin(), kTools.end(), tool) != kTools.end();
}

// The status of a command that failed is success, and so is that of a call that was cancelled.
void correct(Json& call) {
    if (!call.flag_of("ok")) return;
    const std::string& tool = call.text_of("tool");
    const Json result = std::as_const(call)["result"];
    if (result.is_null()) {
        if (has_output(tool)) make_failed(call, "cancelled", "its line does not say how it ended");
    } else if (tool == "run_shell_command" && result.is_string()) {
        if (const auto failure = failure_of(result.text()))
            make_failed(call, *failure, result.text());
    }
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

// A hook that blocks a request to the model ends the turn, unless it is one at the end of a turn,
// which makes the agent go on. The result then says success.
void read_warning(const std::string& words, AgentLine& agent_line) {
    agent_line.notice = words;
    add_message(agent_line, "system", words);
    if (words.starts_with("Agent execution blocked: "))
        agent_line.end = LineEnd{"turn", {false, "needs a person: " + words, {}, "blocked"}, true};
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
            read_warning(line.text_of("message"), agent_line);
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
                              true,     gemini_lines::correct};

}  // namespace headway::cli
