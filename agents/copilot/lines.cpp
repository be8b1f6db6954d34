// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"

// `copilot -p --output-format json` 1.0: events with an id, that of the one before, and data. Its
// cost is in premium requests, which are no dollars.

namespace headway::cli::copilot_lines {
namespace {

bool begins(const Json& line) {
    return line.text_of("type").find('.') != std::string::npos && line["data"].is_object() &&
           !line.text_of("id").empty() && !line.text_of("timestamp").empty() &&
           line.contains("parentId");
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

// Input and output as OpenAI counts them.
void read_use(const Json& line, AgentLine& agent_line) {
    const Json& usage = line["data"]["usage"];
    if (usage.empty()) return;
    LineUse& use = agent_line.use.emplace();
    use.tokens = tokens_inside(usage.count_of("inputTokens"), usage.count_of("cacheReadTokens"),
                               usage.count_of("cacheWriteTokens"), usage.count_of("outputTokens"),
                               usage.count_of("reasoningTokens"));
    use.answer = line.text_of("id");
    use.model = line["data"].text_of("model");
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

std::optional<AgentLine> read(const Json& line) {
    const std::string& type = line.text_of("type");
    AgentLine agent_line;
    if (type == "result" && line["exitCode"].is_integer() && line["sessionId"].is_string()) {
        const std::int64_t code = line["exitCode"].integer();
        agent_line.conversation = line.text_of("sessionId");
        agent_line.result = LineResult{
            code == 0, code == 0 ? "" : "its result says exit code " + std::to_string(code)};
        return agent_line;
    }
    if (!begins(line)) return std::nullopt;
    const Json& data = line["data"];
    if (type == "session.tools_updated")
        add_beginning(agent_line, "copilot", {}, data.text_of("model"));
    if (type == "user.message") add_message(agent_line, "user", data.text_of("content"));
    if (type == "assistant.message") add_message(agent_line, "assistant", data.text_of("content"));
    if (type == "tool.execution_start")
        add_started(agent_line, data["toolCallId"], data.text_of("toolName"), data["arguments"]);
    if (type == "tool.execution_complete") read_finished(data, agent_line);
    if (type == "session.error") read_error(data, true, agent_line);
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
