// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `cline --json` 3.0: hooks, events of the agent, and one line for the result.

namespace headway::cli::cline_lines {
namespace {

bool begins(const Json& line) {
    if (line.text_of("ts").empty()) return false;
    const std::string& type = line.text_of("type");
    return (type == "hook_event" && line["hookEventName"].is_string()) ||
           (type == "agent_event" && line["event"].is_object()) ||
           (type == "run_result" && line["finishReason"].is_string());
}

/// A call may be several commands: one that failed is what the call says.
std::string failure_of(const Json& event) {
    std::string error = text_of_error(event["error"]);
    if (!error.empty()) return error;
    for (const Json& part : event["output"]) {
        if (part["success"] != false) continue;
        const std::string& result = part.text_of("result");
        return result.empty() ? text_of_error(part["error"]) : result;
    }
    return event["output"]["success"] == false ? text_of_error(event["output"]["error"]) : "";
}

void read_content(const Json& event, AgentLine& agent_line) {
    const bool end = event["type"] == "content_end";
    if (event["contentType"] == "text") {
        if (end) add_message(agent_line, "assistant", event.text_of("text"));
        return;
    }
    if (event["contentType"] != "tool") return;
    const Json& id = event["toolCallId"];
    if (!end) return add_started(agent_line, id, event.text_of("toolName"), event["input"]);
    const std::string failure = failure_of(event);
    if (failure.empty()) {
        add_succeeded(agent_line, id, event["output"]);
    } else {
        add_failed(agent_line, id, "", failure);
    }
    if (event["durationMs"].is_unsigned())
        agent_line.events.back().data["duration_ms"] = event["durationMs"];
}

void read_error(const Json& json, bool retryable, AgentLine& agent_line) {
    ToldError error{text_of_error(json), json["name"].text()};
    error.status = status_of(json["status"]);
    if (!error.status) error.status = status_in(error.message);
    error.retryable = retryable;
    if (!error.message.empty()) add_error(agent_line, error);
}

// The use of one answer, without caches, which the result has. Its totals are those of one of the
// agents.
void read_use(const Json& line, AgentLine& agent_line) {
    LineUse& use = agent_line.use.emplace();
    use.tokens.input = line["event"].count_of("inputTokens");
    use.tokens.output = line["event"].count_of("outputTokens");
    use.answer = dump(line);
}

void read_event(const Json& line, AgentLine& agent_line) {
    const Json& event = line["event"];
    const std::string& type = event.text_of("type");
    if (type == "content_start" || type == "content_end") read_content(event, agent_line);
    if (type == "usage") read_use(line, agent_line);
    if (type == "error") read_error(event["error"], event.flag_of("recoverable"), agent_line);
    agent_line.begins_turn = type == "iteration_start";
}

void read_result(const Json& line, AgentLine& agent_line) {
    const std::string& reason = line.text_of("finishReason");
    LineResult result{reason == "completed", line.text_of("text")};
    if (!result.ok) {
        std::string words = "it ended with \"" + reason + "\"";
        if (!result.text.empty()) words += ": " + result.text;
        if (reason == "error") {
            ToldError error{result.text.empty() ? words : result.text};
            error.status = status_in(error.message);
            error.ends_turn = true;
            add_error(agent_line, error);
        }
        result.text = std::move(words);
    }
    agent_line.result = std::move(result);
    agent_line.model = line["model"].text_of("id");
    const Json& usage = line[line.contains("aggregateUsage") ? "aggregateUsage" : "usage"];
    if (usage.empty()) return;
    LineUse& use = agent_line.use.emplace();
    use.tokens = {usage.count_of("inputTokens"), usage.count_of("cacheReadTokens"),
                  usage.count_of("cacheWriteTokens"), usage.count_of("outputTokens"), 0};
    use.model = agent_line.model;
    // It says 0 for a model whose price it does not know.
    if (usage["totalCost"].number() > 0) use.cost_usd = usage["totalCost"].number();
}

std::optional<AgentLine> read(const Json& line) {
    if (line.text_of("ts").empty() || line.text_of("type").empty()) return std::nullopt;
    AgentLine agent_line;
    const std::string& type = line.text_of("type");
    if (type == "agent_event") read_event(line, agent_line);
    if (type == "run_result") read_result(line, agent_line);
    if (type == "error")
        read_error(line.contains("error") ? line["error"] : line, false, agent_line);
    if (type == "run_aborted") {
        agent_line.notice = line.text_of("message");
        add_message(agent_line, "system", agent_line.notice);
    }
    if (type == "hook_event" && line["hookEventName"] == "agent_start" &&
        line["parentAgentId"].is_null())
        add_beginning(agent_line, "cline", line.text_of("taskId"), {});
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::cline_lines

namespace headway::cli {

const LineFormat kClineLines{"cline", cline_lines::begins, cline_lines::read, false};

}  // namespace headway::cli
