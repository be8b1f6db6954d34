// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `codex exec --json` 0.169: a thread, turns, and items that start and complete. Calls of
// sub-agents are not among them.

namespace headway::cli::codex_lines {
namespace {

bool begins(const Json& line) {
    return line["type"] == "thread.started" && !line.text_of("thread_id").empty();
}

std::string tool_of(const Json& item) {
    const std::string& type = item.text_of("type");
    if (type == "command_execution") return "shell";
    if (type == "file_change") return "apply_patch";
    if (type == "mcp_tool_call")
        return "mcp__" + item.text_of("server") + "__" + item.text_of("tool");
    if (type == "collab_tool_call") return item.text_of("tool");
    if (type == "web_search") return type;
    return {};
}

Json args_of(const Json& item) {
    const std::string& type = item.text_of("type");
    if (type == "command_execution") return {{"command", item["command"]}};
    if (type == "file_change") return {{"changes", item["changes"]}};
    if (type == "mcp_tool_call") return item["arguments"];
    if (type == "web_search") return {{"query", item["query"]}};
    return {{"prompt", item["prompt"]}};
}

Json result_of(const Json& item) {
    const std::string& type = item.text_of("type");
    if (type == "command_execution") return item["aggregated_output"];
    if (type == "mcp_tool_call") return item["result"];
    if (type == "collab_tool_call") return item["agents_states"];
    return item["status"];
}

// The present content of the files is unknown, only that they were changed: each change gets a new
// digest, or three edits of one file would look like three times the same.
void add_mutated(const Json& item, Json& data) {
    Json mutated = Json::array();
    for (const Json& change : item["changes"]) {
        mutated.push_back({{"path", change["path"]}, {"digest", "codex:" + item.text_of("id")}});
    }
    if (!mutated.empty()) data["mutated"] = std::move(mutated);
}

/// The words of a call that did not do what it was for; empty where it says nothing of itself.
std::string words_of(const Json& item) {
    std::string words = item.text_of("aggregated_output");
    if (words.empty()) words = text_of_error(item["error"]);
    if (words.empty()) words = text_of_content(item["result"]["content"]);
    return words;
}

bool is_refused(const Json& item) {
    return item["status"] == "declined" ||
           (item["type"] == "mcp_tool_call" &&
            api::hooks::says_refused(api::hooks::Refusing::kOfCodex, words_of(item)));
}

/// A status that is not known is no success. Searches have none.
bool has_failed(const Json& item) {
    const std::string& status = item.text_of("status");
    const bool exit = item["exit_code"].is_integer() && item["exit_code"].integer() != 0;
    const bool error = !text_of_error(item["error"]).empty() || item["result"].flag_of("isError") ||
                       item["result"].flag_of("is_error");
    const bool cut = item["type"] == "command_execution" && !item["exit_code"].is_integer();
    return exit || error || cut || (!status.empty() && status != "completed");
}

std::string_view class_of(const Json& item) {
    static constexpr std::array<std::string_view, 5> kCutOff{"cancelled", "canceled", "interrupted",
                                                             "aborted", "in_progress"};
    if (is_refused(item)) return "denied";
    const bool cut =
        std::find(kCutOff.begin(), kCutOff.end(), item.text_of("status")) != kCutOff.end();
    return cut ? "cancelled" : "";
}

void read_finished(const Json& item, AgentLine& agent_line) {
    const std::string tool = tool_of(item);
    if (!has_failed(item) && !is_refused(item)) {
        add_succeeded(agent_line, item["id"], result_of(item));
        if (item["type"] == "file_change") add_mutated(item, agent_line.events.back().data);
    } else {
        std::string why = words_of(item);
        if (why.empty() && item["exit_code"].is_integer()) {
            why = "exit code " + std::to_string(item["exit_code"].integer());
        }
        add_failed(agent_line, item["id"], class_of(item),
                   why.empty() ? item.text_of("status") : why);
    }
    Json& data = agent_line.events.back().data;
    data["tool"] = tool;
    data["args"] = args_of(item);
}

void read_plan(const Json& item, AgentLine& agent_line) {
    Json steps = Json::array();
    for (const Json& step : item["items"]) {
        steps.push_back({{"title", step["text"]},
                         {"status", step.flag_of("completed") ? "completed" : "pending"}});
    }
    if (!steps.empty())
        agent_line.events.push_back({"plan.updated", {{"steps", std::move(steps)}}});
}

void read_item(const Json& line, AgentLine& agent_line) {
    const Json& item = line["item"];
    const std::string& type = item.text_of("type");
    const bool completed = line["type"] == "item.completed";
    const std::string tool = tool_of(item);
    if (!tool.empty()) {
        if (completed) {
            read_finished(item, agent_line);
        } else if (line["type"] == "item.started") {
            add_started(agent_line, item["id"], tool, args_of(item));
        }
    } else if (type == "todo_list") {
        read_plan(item, agent_line);
    } else if (type == "agent_message" && completed) {
        add_message(agent_line, "assistant", item.text_of("text"));
    } else if (type == "error" && completed) {
        // Notes about its settings, mostly; what ends the turn is a line of its own.
        add_message(agent_line, "system", item.text_of("message"));
    }
}

void add_stop(const std::string& words, AgentLine& agent_line) {
    ToldError error{words};
    error.status = status_in(words);
    error.retryable = false;
    error.ends_turn = true;
    add_error(agent_line, error);
}

// Each try again is an error of its own: "Reconnecting... 2/5 (why)".
void read_error(const std::string& message, AgentLine& agent_line) {
    if (!message.starts_with("Reconnecting")) return add_stop(message, agent_line);
    ToldError error{message};
    error.status = status_in(message);
    error.retryable = true;
    add_error(agent_line, error);
}

void read_turn(const Json& line, AgentLine& agent_line) {
    LineResult result;
    result.ok = line["type"] == "turn.completed";
    if (!result.ok) {
        result.text = text_of_error(line["error"]);
        add_stop(result.text, agent_line);
    }
    agent_line.result = std::move(result);
    const Json& usage = line["usage"];
    if (usage.empty()) return;
    agent_line.use.emplace();
    agent_line.use->tokens =
        tokens_inside(usage.count_of("input_tokens"), usage.count_of("cached_input_tokens"),
                      usage.count_of("cache_write_input_tokens"), usage.count_of("output_tokens"),
                      usage.count_of("reasoning_output_tokens"));
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    AgentLine agent_line;
    if (type == "thread.started") {
        add_beginning(agent_line, "codex", line.text_of("thread_id"), {});
    } else if (type.starts_with("item.") && line["item"].is_object()) {
        read_item(line, agent_line);
    } else if (type == "turn.completed" || type == "turn.failed") {
        read_turn(line, agent_line);
    } else if (type == "error" && line["message"].is_string()) {
        read_error(line.text_of("message"), agent_line);
    } else if (type == "turn.started") {
        agent_line.begins_turn = true;
    } else {
        return std::nullopt;
    }
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::codex_lines

namespace headway::cli {

const LineFormat kCodexLines{"codex", codex_lines::begins, codex_lines::read, true, false, true};

}  // namespace headway::cli
