// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/bounded_event.hpp"
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

// Qwen counts what came from a cache as input, and says so by a total. Its reasoning is in the
// total alone.
LineUse use_of(const Json& usage) {
    LineUse use;
    const std::uint64_t input = usage.count_of("input_tokens");
    const std::uint64_t output = usage.count_of("output_tokens");
    const std::uint64_t cached = usage.count_of("cache_read_input_tokens");
    if (usage.contains("total_tokens")) {
        use.tokens = tokens_inside(input, cached, 0, output, 0);
        use.tokens.reasoning = without(usage.count_of("total_tokens"), input + output);
        return use;
    }
    use.hooks_tell_tokens = true;
    use.tokens = tokens_inside(input, 0, 0, output,
                               usage["output_tokens_details"].count_of("thinking_tokens"));
    use.tokens.cached = cached;
    use.tokens.cache_write = usage.count_of("cache_creation_input_tokens");
    return use;
}

// Total of all models: `usage` is without sub-agents.
LineUse total_of(const Json& line) {
    LineUse use = use_of(line["usage"]);
    const auto& models = line["modelUsage"].members();
    if (!models.empty()) use.tokens = tokens_of_models(line["modelUsage"]);
    if (models.size() == 1) use.model = models.begin()->first;
    if (line["total_cost_usd"].is_number()) use.cost_usd = line["total_cost_usd"].number();
    return use;
}

/// True for work that has an answer: "local_agent", "remote_agent", "in_process_teammate",
/// "local_workflow"; false for a command: "local_bash". Nothing for a kind that is not known: then
/// the tool decides that began it.
std::optional<bool> is_of_agent(std::string_view kind) {
    if (kind.ends_with("agent") || kind.ends_with("teammate") || kind.ends_with("workflow"))
        return true;
    if (kind.ends_with("bash") || kind.ends_with("shell") || kind.starts_with("monitor"))
        return false;
    return std::nullopt;
}

void read_system(const Json& line, AgentLine& agent_line) {
    const std::string& kind = line.text_of("subtype");
    if (kind == "init") {
        add_beginning(agent_line, "claude", line.text_of("session_id"), line.text_of("model"));
        const bool qwen = line.contains("qwen_code_version");
        agent_line.agent = qwen ? "qwen" : "claude";
        agent_line.version = line.text_of(qwen ? "qwen_code_version" : "claude_code_version");
        agent_line.folder = line.text_of("cwd");
        agent_line.begins_turn = true;
    } else if (kind == "api_retry") {
        const std::string why = text_of_error(line["error"]);
        ToldError error{"the model's API is tried again: " + why, why};
        error.status = status_of(line["error_status"]);
        error.retryable = true;
        if (line["retry_delay_ms"].is_number()) error.retry_in_ms = line.count_of("retry_delay_ms");
        add_error(agent_line, error);
    } else if (line.flag_of("prevent_continuation")) {  // a hook; its result then says success
        ToldError stop{line.text_of("content")};
        stop.error_class = kPromptBlocked;
        stop.ends_turn = true;
        add_error(agent_line, stop);
    } else if (kind == "task_started") {
        agent_line.background_began = {line.text_of("task_id")};
        agent_line.background_ended = {line.text_of("tool_use_id")};  // known by that name so far
        agent_line.goes_on = line.flag_of("is_backgrounded");
        agent_line.of_agent = is_of_agent(line.text_of("task_type"));
    } else if (kind == "task_notification") {
        agent_line.background_ended = {line.text_of("task_id"), line.text_of("tool_use_id")};
        agent_line.cut_off = line["status"] == "stopped" || line["status"] == "killed";
    } else if (kind == "compact_boundary") {
        const Json& about = line["compact_metadata"];
        agent_line.events.push_back({"compacted", {{"trigger", about.text_of("trigger")}}});
    }
}

// A plan's limit, told with each reply of the provider. The agent may go on by paid use beyond it.
void read_limit(const Json& line, AgentLine& agent_line) {
    const Json& limit = line["rate_limit_info"];
    const std::string& status = limit.text_of("status");
    const bool allowed = status == "allowed" || status == "allowed_warning";
    const bool paid = limit.flag_of("isUsingOverage") || limit.flag_of("overageInUse");
    if (status.empty() || (allowed && !paid)) return;
    std::string words = "the plan's limit";
    if (!limit.text_of("rateLimitType").empty()) words += " " + limit.text_of("rateLimitType");
    words += status == "rejected" || allowed ? " is reached" : ": " + status;
    if (status != "rejected" || paid) {
        if (status == "rejected" || allowed) words += "; it goes on by paid use beyond the plan";
        agent_line.once = bounded_text(words, 200);
        return;
    }
    ToldError error{words, "usage_limit"};
    error.retryable = true;
    if (limit["resetsAt"].is_number()) error.retry_at_s = limit.count_of("resetsAt");
    add_error(agent_line, error);
}

// The agent's own words in the place of an answer of the model.
bool read_api_error(const Json& line, AgentLine& agent_line) {
    const std::string& kind = line.text_of("error");
    const bool is_error = line.flag_of("is_api_error_message") || line.flag_of("isApiErrorMessage");
    if (kind.empty() && !is_error) return false;
    ToldError error{text_of_content(line["message"]["content"]), kind};
    if (error.message.empty()) error.message = kind;
    for (const char* name : {"api_error_status", "apiErrorStatus", "error_status"}) {
        if (!error.status) error.status = status_of(line[name]);
    }
    error.ends_turn = true;
    add_error(agent_line, error);
    return true;
}

void read_assistant(const Json& line, AgentLine& agent_line) {
    if (read_api_error(line, agent_line)) return;
    const Json& message = line["message"];
    for (const Json& part : message["content"]) {
        if (part["type"] == "text") add_message(agent_line, "assistant", part.text_of("text"));
        if (part["type"] == "tool_use")
            add_started(agent_line, part["id"], part.text_of("name"), part["input"]);
    }
    if (message["usage"].empty() || message.text_of("id").empty()) return;
    agent_line.use = use_of(message["usage"]);
    agent_line.use->answer = message.text_of("id");
    agent_line.use->model = message.text_of("model");
}

bool was_refused(const Json& line, const std::string& call_id) {
    for (const Json& about : line["tool_result_meta"]) {
        if (about.text_of("id") == call_id) return !about.text_of("non_execution_kind").empty();
    }
    return false;
}

std::string_view class_of(std::string_view error) {
    using api::hooks::Refusing;
    if (api::hooks::says_refused(Refusing::kOfClaude, error) ||
        api::hooks::says_refused(Refusing::kOfQwen, error))
        return "denied";
    if (error == "Answer questions?") return "denied";  // without a person to ask
    if (error.find("No such tool available") != std::string_view::npos) return "unknown_tool";
    if (error.find("InputValidationError") != std::string_view::npos) return "json_parse";
    return {};
}

void read_user(const Json& line, AgentLine& agent_line) {
    const Json& content = line["message"]["content"];
    if (content.is_string()) return add_message(agent_line, "user", content.text());
    for (const Json& part : content) {
        if (part["type"] == "text") add_message(agent_line, "user", part.text_of("text"));
        if (part["type"] != "tool_result") continue;
        const std::string text = text_of_content(part["content"]);
        const std::string& id = part.text_of("tool_use_id");
        if (text.starts_with("User has answered your questions: . ")) {  // there was none
            add_failed(agent_line, id, "denied", "a question was not answered");
        } else if (!part.flag_of("is_error")) {
            add_succeeded(agent_line, id, text);
        } else {
            add_failed(agent_line, id, was_refused(line, id) ? "denied" : class_of(text), text);
        }
    }
}

bool is_one_of(std::string_view word, std::string_view good) {
    return word.empty() || word == good;
}

std::string words_of_failure(const Json& line) {
    std::string words = text_of_error(line["error"]);
    for (const Json& error : line["errors"])
        words += (words.empty() ? "" : "; ") + text_of_error(error);
    return words;
}

std::string word_of(const Json& value) {
    return "\"" + (value.is_string() ? value.text() : dump(value)) + "\"";
}

// Why an end that reports no error is no success; empty if it is one. Older versions and Qwen Code
// have none of the members that are read here. `subtype` says success for an error of the API, and
// for an end that is not one in `terminal_reason`.
std::string fault_of(const Json& line) {
    if (std::string fault = fault_of_result(line); !fault.empty()) return fault;
    const Json& end = line["terminal_reason"];
    if (line.contains("terminal_reason") && end != "completed")
        return "it ended with " + word_of(end);
    const Json& status = line["api_error_status"];
    if (!status.is_null()) return "it ended with the error " + word_of(status) + " of its API";
    const std::string& text = line.text_of("result");
    if (text.starts_with("Unknown command: ") || text.starts_with("Unknown skill: ") ||
        text.starts_with("Unknown slash command: ")) {
        const bool unasked = line.count_of("num_turns") == 0 ||
                             (line["modelUsage"].is_object() && line["modelUsage"].empty());
        if (unasked) return "the model received nothing: " + text;
    }
    const Json& stop = line["stop_reason"];
    if (stop == "max_tokens" || stop == "model_context_window_exceeded")
        return std::string{kCutOff};
    if (stop.is_null() || stop == "end_turn" || stop == "stop_sequence" || stop == "tool_use")
        return {};
    return "its last answer ended with " + word_of(stop);
}

// Qwen Code's words for an error of the API, as its answer; the result then says success.
bool is_api_error(std::string_view answer) {
    return answer.starts_with("[API Error: ");
}

void read_result(const Json& line, AgentLine& agent_line) {
    LineResult result;
    const std::string& kind = line.text_of("subtype");
    const std::string& end = line.text_of("terminal_reason");
    const bool is_error = line.flag_of("is_error") || is_api_error(line.text_of("result"));
    const std::string fault = is_error ? std::string{} : fault_of(line);
    result.ok = !is_error && fault.empty();
    result.text = line.text_of("result");
    result.ending = kind + " " + end;
    // A run with --json-schema ends so, too.
    result.asks = line["stop_reason"] == "tool_use" && !has_words(result.text) &&
                  line["structured_output"].is_null();
    if (!result.ok && result.text.empty()) result.text = words_of_failure(line);
    if (!fault.empty()) result.text = fault + (result.text.empty() ? "" : ": " + result.text);
    if (!result.ok && result.text.empty()) result.text = is_one_of(kind, "success") ? end : kind;
    if (line.text_of("stop_reason") == "tool_deferred") {  // the call waits for its host's decision
        result.ok = false;
        result.ending += " tool_deferred";
        result.text = "needs a person: " + line["deferred_tool_use"].text_of("name") +
                      " waits for a decision";
    }
    for (const Json& refused : line["permission_denials"])
        result.refused.push_back({refused.text_of("tool_use_id"), refused.text_of("tool_name")});
    const bool refuses = line["stop_reason"] == "refusal";  // the model, not a rule
    if (is_error || refuses) {
        ToldError error{result.text};
        if (!is_one_of(end, "completed") && end != "api_error") error.error_class = end;
        if (refuses) error.error_class = "refusal";
        error.status = status_of(line["api_error_status"]);
        if (!error.status) error.status = status_in(result.text);
        error.ends_turn = true;
        add_error(agent_line, error);
    }
    agent_line.result = std::move(result);
    agent_line.use = total_of(line);
}

std::optional<AgentLine> read(const Json& line) {
    if (!begins(line)) return std::nullopt;
    AgentLine agent_line;
    const std::string& type = line.text_of("type");
    agent_line.lane = line.text_of("parent_tool_use_id");
    if (type == "system") read_system(line, agent_line);
    if (type == "assistant") read_assistant(line, agent_line);
    if (type == "user") read_user(line, agent_line);
    if (type == "rate_limit_event") read_limit(line, agent_line);
    if (type == "result") read_result(line, agent_line);
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::claude_lines

namespace headway::cli {

const LineFormat kClaudeLines{"claude", claude_lines::begins, claude_lines::read, false, true};

}  // namespace headway::cli
