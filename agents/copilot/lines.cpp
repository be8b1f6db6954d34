// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `copilot -p --output-format json` 1.0: events with an id, that of the one before, and data. Its
// cost is in premium requests, which are no dollars.

namespace headway::cli::copilot_lines {
namespace {

bool begins(const Json& line) {
    const std::string& type = line.text_of("type");
    return (type.find('.') != std::string::npos || type == "abort") && line["data"].is_object() &&
           !line.text_of("id").empty() && !line.text_of("timestamp").empty() &&
           line.contains("parentId");
}

std::string quoted(const Json& value) {
    return "\"" + (value.is_string() ? value.text() : dump(value)) + "\"";
}

// Its exit code is 0 for most of these ends, too.
void add_end(AgentLine& agent_line, std::string_view about, LineResult result) {
    add_message(agent_line, "system", result.text);
    agent_line.end = LineEnd{std::string{about}, std::move(result)};
}

bool is_of_person(std::string_view name) {
    return name == "aborted" || name.find("blocked") != std::string_view::npos;
}

bool is_of_wait(std::string_view name) {
    return name.ends_with("background_timeout") || name.ends_with("wait_timeout");
}

constexpr std::string_view kWaitOver = "its work in the background was cut off";

// An abort for a reason that is not known needs a person as well.
void read_abort(const Json& data, AgentLine& agent_line) {
    const std::string& reason = data.text_of("reason");
    const bool limit = reason == "autopilot_credit_limit";
    add_end(agent_line, "abort",
            {false, "it was aborted: " + quoted(data["reason"]), {}, limit ? reason : "aborted"});
}

void read_autopilot(const Json& data, AgentLine& agent_line) {
    const std::string& reason = data.text_of("reason");
    LineResult result{reason == "task_complete", {}, {}, reason};
    const std::string stopped = "its autopilot stopped with " + quoted(data["reason"]);
    if (is_of_person(reason)) {
        result.text = "needs a person: " + stopped;
    } else if (is_of_wait(reason)) {
        result.text = std::string{kWaitOver} + ": " + stopped;
    } else if (!result.ok) {
        result.text = stopped;
    }
    add_end(agent_line, "autopilot", std::move(result));
}

// The last decision of its reviewer about the task counts.
void read_task(const Json& data, AgentLine& agent_line) {
    const bool known = !data.contains("outcome") || data["outcome"] == "completed";
    const Json& outcome = data["outcome"];
    LineResult result{known && data["success"] != false};
    std::string why = data.text_of("reason");
    if (why.empty()) why = data["blocker"].text_of("reason");
    if (why.empty()) why = data.text_of("summary");
    if (outcome == "blocked") {
        result.ending = outcome.text();
        result.text = "needs a person: " + (why.empty() ? "its task is blocked" : why);
    } else if (!result.ok) {
        result.text = "its task was not accepted as complete";
        if (!known) result.text += ", but ended as " + quoted(outcome);
        if (!why.empty()) result.text += ": " + why;
    }
    add_end(agent_line, "task", std::move(result));
}

// Most of the others are about its settings.
void read_warning(const Json& data, AgentLine& agent_line) {
    const std::string& kind = data.text_of("warningType");
    const std::string& words = data.text_of("message");
    if (kind == "policy_blocked") {
        add_end(agent_line, kind, {false, "needs a person: " + words, {}, kind});
    } else if (kind == "compaction_static_context_blocked") {
        ToldError error{words, "context_limit"};
        error.ends_turn = true;
        add_error(agent_line, error);
    } else if (is_of_wait(kind)) {
        add_end(agent_line, "background", {false, std::string{kWaitOver} + ": " + words, {}, kind});
    } else if (kind == "autopilot_no_progress") {
        add_end(agent_line, kind, {false, words, {}, kind});
    }
}

void read_finished(const Json& data, AgentLine& agent_line) {
    const Json& exit = data["shellExecution"]["exitCode"];
    const std::string text = text_of_content(data["result"]["content"]);
    if (!data.flag_of("success")) {
        std::string error = text_of_error(data["error"]);
        if (error.empty()) error = text;
        const Json& code = data["error"]["code"];
        const bool refused = code == "denied" || code == "rejected" ||
                             api::hooks::says_refused(api::hooks::Refusing::kOfCopilot, error);
        add_failed(agent_line, data["toolCallId"], refused ? "denied" : "", error);
    } else if (exit.is_integer() && exit.integer() != 0) {
        add_failed(agent_line, data["toolCallId"], "", text);
    } else {
        add_succeeded(agent_line, data["toolCallId"], text);
    }
}

/// True for an answer to the agent itself: not to a sub-agent, and none by the way, as that which
/// names the session.
bool is_own_answer(const Json& usage) {
    const std::string& by = usage.text_of("initiator");
    const std::string& kind = usage.text_of("interactionType");
    if (by == "sub-agent" || by == "mcp-sampling" || usage.contains("parentToolCallId"))
        return false;
    return kind.empty() || kind == "conversation-agent" || kind == "conversation-user";
}

// Why the last answer ended. A version that does not say it is not the worse for that.
void read_finish(const Json& usage, AgentLine& agent_line) {
    constexpr std::array<std::string_view, 3> kGood{"stop", "tool_calls", "function_call"};
    const Json& reason = usage["finishReason"];
    const bool good = std::find(kGood.begin(), kGood.end(), reason.text()) != kGood.end();
    const bool untold = reason.is_null() || reason == "";  // by a model of one's own, perhaps
    LineResult result{untold || good};
    if (usage.flag_of("contentFilterTriggered") || reason == "content_filter") {
        result = {false, "its last answer was refused: \"content_filter\"", {}, "content_filter"};
    } else if (reason == "length") {
        result.text = kCutOff;
    } else if (!result.ok) {
        result.text = "its last answer ended with " + quoted(reason);
    }
    agent_line.end = LineEnd{"answer", std::move(result)};
}

// Input and output as OpenAI counts them.
void read_use(const Json& line, AgentLine& agent_line) {
    const Json& usage = line["data"]["usage"];
    if (usage.empty()) return;
    LineUse& use = agent_line.use.emplace();
    use.tokens = tokens_inside(usage.count_of("inputTokens"), usage.count_of("cacheReadTokens"),
                               usage.count_of("cacheWriteTokens"), usage.count_of("outputTokens"),
                               usage.count_of("reasoningTokens"));
    use.answer = line.text_of("id");
    use.model = usage.text_of("model");
    if (agent_line.below || !is_own_answer(usage)) return;
    agent_line.model = use.model;
    read_finish(usage, agent_line);
}

void read_error(const Json& data, bool final, AgentLine& agent_line) {
    // The code is the more exact one: "user_weekly_rate_limited" of the type "rate_limit".
    const std::string& code = data.text_of("errorCode");
    ToldError error{data.text_of("message"), code.empty() ? data.text_of("errorType") : code};
    for (const char* name : {"errorMessage", "error", "outcome"}) {
        if (error.message.empty()) error.message = text_of_error(data[name]);
    }
    error.status = status_of(data["statusCode"]);
    if (error.message.empty()) error.message = "a request to the model failed";
    error.retryable = !final;
    error.ends_turn = final;
    add_error(agent_line, error);
}

// An error of a hook ends nothing, and one of a sub-agent nothing of the agent itself.
void read_session_error(const Json& data, AgentLine& agent_line) {
    if (data["errorType"] == "hook")
        return add_message(agent_line, "system", "a hook has failed: " + data.text_of("message"));
    read_error(data, !agent_line.below, agent_line);
}

LineResult result_of(const Json& line) {
    const std::int64_t code = line["exitCode"].integer();
    const Json& outcome = line["outcome"];
    LineResult result{code == 0};
    if (!result.ok) result.text = "its result says exit code " + std::to_string(code);
    if (!line.contains("outcome") || outcome == "completed") return result;
    result.ok = false;
    result.ending = outcome.text();
    const bool blocked = outcome == "blocked";
    result.text = blocked ? "needs a person: its task is blocked"
                          : "its result says the outcome " + quoted(outcome);
    return result;
}

// None of the lines of a sub-agent ends the agent itself.
void read_end(const std::string& type, const Json& data, AgentLine& agent_line) {
    if (type == "abort") read_abort(data, agent_line);
    if (type == "session.autopilot_stopped") read_autopilot(data, agent_line);
    if (type == "session.task_complete") read_task(data, agent_line);
    if (type == "session.warning") read_warning(data, agent_line);
}

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    AgentLine agent_line;
    if (type == "result" && line["exitCode"].is_integer() && line["sessionId"].is_string()) {
        agent_line.conversation = line.text_of("sessionId");
        agent_line.result = result_of(line);
        return agent_line;
    }
    if (!begins(line)) return std::nullopt;
    const Json& data = line["data"];
    agent_line.below = !line.text_of("agentId").empty();
    if (!agent_line.below) read_end(type, data, agent_line);
    // Once, at its start. Its tools change later, too.
    agent_line.begins_run = type == "session.skills_loaded" && !agent_line.below;
    if (type == "session.tools_updated")
        add_beginning(agent_line, "copilot", {}, data.text_of("model"));
    if (type == "user.message") add_message(agent_line, "user", data.text_of("content"));
    if (type == "assistant.message") add_message(agent_line, "assistant", data.text_of("content"));
    if (type == "tool.execution_start")
        add_started(agent_line, data["toolCallId"], data.text_of("toolName"), data["arguments"]);
    if (type == "tool.execution_complete") read_finished(data, agent_line);
    if (type == "session.error") read_session_error(data, agent_line);
    if (type == "model.call_failure") read_error(data, false, agent_line);
    if (type == "session.usage_record") read_use(line, agent_line);
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::copilot_lines

namespace headway::cli {

const LineFormat kCopilotLines{"copilot", copilot_lines::begins, copilot_lines::read, false, true,
                               true};

}  // namespace headway::cli
