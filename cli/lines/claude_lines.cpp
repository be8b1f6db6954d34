// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `claude -p --output-format stream-json --verbose` 2.1 and `qwen --output-format stream-json`
// 0.24: each line has the id of the session and one of its own. Sub-agents' calls come among those
// of the agent.

namespace headway::cli::claude_lines {
namespace {

bool begins(const Json& line) {
    return !line.text_of("type").empty() && !line.text_of("session_id").empty() &&
           !line.text_of("uuid").empty();
}

// Qwen counts what came from a cache as input, and says so by a total.
LineUse use_of(const Json& usage) {
    LineUse use;
    use.input_tokens = usage.count_of("input_tokens");
    use.output_tokens = usage.count_of("output_tokens");
    if (usage.contains("total_tokens")) return use;
    use.hooks_tell_tokens = true;
    use.input_tokens +=
        usage.count_of("cache_read_input_tokens") + usage.count_of("cache_creation_input_tokens");
    return use;
}

// Of all models: `usage` is without sub-agents.
LineUse total_of(const Json& line) {
    LineUse use = use_of(line["usage"]);
    if (!line["modelUsage"].empty()) {
        use.input_tokens = use.output_tokens = 0;
        for (const auto& [model, used] : line["modelUsage"].members()) {
            use.input_tokens += used.count_of("inputTokens") +
                                used.count_of("cacheReadInputTokens") +
                                used.count_of("cacheCreationInputTokens");
            use.output_tokens += used.count_of("outputTokens");
        }
    }
    if (line["total_cost_usd"].is_number()) use.cost_usd = line["total_cost_usd"].number();
    return use;
}

void read_system(const Json& line, AgentLine& said) {
    const std::string& kind = line.text_of("subtype");
    if (kind == "init") {
        add_beginning(said, "claude", line.text_of("session_id"), line.text_of("model"));
    } else if (kind == "api_retry") {
        const std::string why = text_of_error(line["error"]);
        add_error(said, "the model's API is tried again: " + why, true);
        Json& data = said.events.back().data;
        if (!why.empty()) data["class"] = why;
        if (line["error_status"].is_unsigned()) data["status"] = line["error_status"];
    } else if (kind == "compact_boundary") {
        const Json& about = line["compact_metadata"];
        said.events.push_back({"compacted", {{"trigger", about.text_of("trigger")}}});
    }
}

void read_assistant(const Json& line, AgentLine& said) {
    const Json& message = line["message"];
    for (const Json& part : message["content"]) {
        if (part["type"] == "text") add_message(said, "assistant", part.text_of("text"));
        if (part["type"] == "tool_use")
            add_started(said, part["id"], part.text_of("name"), part["input"]);
    }
    if (message["usage"].empty() || message.text_of("id").empty()) return;
    said.use = use_of(message["usage"]);
    said.use->answer = message.text_of("id");
}

bool was_refused(const Json& line, const std::string& call_id) {
    for (const Json& about : line["tool_result_meta"]) {
        if (about.text_of("id") == call_id) return !about.text_of("non_execution_kind").empty();
    }
    return false;
}

std::string_view class_of(std::string_view error) {
    if (error.find("No such tool available") != std::string_view::npos) return "unknown_tool";
    if (error.find("InputValidationError") != std::string_view::npos) return "json_parse";
    return {};
}

void read_user(const Json& line, AgentLine& said) {
    const Json& content = line["message"]["content"];
    if (content.is_string()) return add_message(said, "user", content.text());
    for (const Json& part : content) {
        if (part["type"] == "text") add_message(said, "user", part.text_of("text"));
        if (part["type"] != "tool_result") continue;
        const std::string text = text_of_content(part["content"]);
        const std::string& id = part.text_of("tool_use_id");
        if (!part.flag_of("is_error")) {
            add_succeeded(said, id, text);
        } else {
            add_failed(said, id, was_refused(line, id) ? "denied" : class_of(text), text);
        }
    }
}

void read_result(const Json& line, AgentLine& said) {
    LineResult result;
    result.ok = !line.flag_of("is_error");
    result.text = line.text_of("result");
    if (result.text.empty() && !result.ok) {
        result.text = text_of_error(line["error"]);
        if (result.text.empty()) result.text = line.text_of("subtype");
    }
    said.result = std::move(result);
    said.use = total_of(line);
}

std::optional<AgentLine> read(const Json& line) {
    if (!begins(line)) return std::nullopt;
    AgentLine said;
    const std::string& type = line.text_of("type");
    if (type == "system") read_system(line, said);
    if (type == "assistant") read_assistant(line, said);
    if (type == "user") read_user(line, said);
    if (type == "result") read_result(line, said);
    return said;
}

}  // namespace
}  // namespace headway::cli::claude_lines

namespace headway::cli {

const LineFormat kClaudeLines{"claude", claude_lines::begins, claude_lines::read, false};

}  // namespace headway::cli
