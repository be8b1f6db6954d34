// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/hooks/texts/refusals.hpp"
#include "cli/lines/agent_line.hpp"
#include "cli/lines/line_words.hpp"
#include "core/text/words.hpp"

// `opencode run --format json` 1.18 and 2.2, and `kilo run --format json` 7.7. A call is one line,
// when it is over; tokens come with each step of the model.

namespace headway::cli::opencode_lines {
namespace {

bool begins(const Json& line) {
    return line["sessionID"].is_string() && line["timestamp"].is_integer() &&
           (line["part"].is_object() || (line["type"] == "error" && line["error"].is_object()));
}

void add_duration(const Json& time, Json& data) {
    const std::int64_t start = time["start"].integer();
    const std::int64_t end = time["end"].integer();
    const bool has_times = time["start"].is_integer() && time["end"].is_integer();
    if (has_times && start >= 0 && end >= start) data["duration_ms"] = end - start;
}

void read_call(const Json& part, AgentLine& agent_line) {
    const Json& state = part["state"];
    // In 2.2 the data of the tool lie one level deeper, and the call's id is that of its part.
    const Json& about = state["metadata"]["metadata"].is_object() ? state["metadata"]["metadata"]
                                                                  : state["metadata"];
    const Json& exit = about["exit"];
    const Json& id = part["callID"].is_string() ? part["callID"] : part["id"];
    add_started(agent_line, id, part.text_of("tool"), state["input"]);
    const std::string& status = state.text_of("status");
    if (status == "error") {
        const std::string error = text_of_error(state["error"]);
        const bool refused = api::hooks::says_refused(api::hooks::Refusing::kOfOpencode, error);
        add_failed(agent_line, id, refused ? "denied" : "", error);
    } else if (status != "completed") {
        const bool open = status == "running" || status == "pending";
        add_failed(agent_line, id, open ? "cancelled" : "",
                   "its status is \"" + status + "\"\n" + state.text_of("output"));
    } else if (exit.is_integer() && exit.integer() != 0) {
        add_failed(agent_line, id, "",
                   "exit code " + std::to_string(exit.integer()) + "\n" + state.text_of("output"));
    } else if (exit.is_null() && about.contains("exit")) {  // a signal ended it
        add_failed(agent_line, id, "", "no exit code\n" + state.text_of("output"));
    } else {
        add_succeeded(agent_line, id, state["output"]);
    }
    add_duration(state["time"], agent_line.events.back().data);
}

// After a step that calls tools, or whose end the provider does not say, it goes on.
void read_reason(const std::string& reason, AgentLine& agent_line) {
    if (reason == "stop") {
        agent_line.result.emplace();
    } else if (reason == "length") {
        agent_line.result = LineResult{false, std::string{kCutOff}};
    } else if (reason != "tool-calls" && reason != "unknown" && !reason.empty()) {
        agent_line.result =
            LineResult{false, "it ended with the reason \"" + reason + "\"", {}, reason};
    }
}

void read_step(const Json& part, AgentLine& agent_line) {
    const Json& tokens = part["tokens"];
    agent_line.use.emplace();
    agent_line.use->tokens = {tokens.count_of("input"), tokens["cache"].count_of("read"),
                              tokens["cache"].count_of("write"), tokens.count_of("output"),
                              tokens.count_of("reasoning")};
    if (part["cost"].is_number()) agent_line.use->cost_usd = part["cost"].number();
    agent_line.use->answer = part.text_of("id");
    read_reason(part.text_of("reason"), agent_line);
}

std::optional<std::uint64_t> retry_delay(const Json& headers) {
    const auto number = [&headers](const char* name) -> std::optional<double> {
        const Json& value = headers[name];
        if (value.is_number()) return value.number();
        char* end = nullptr;
        const double read = std::strtod(value.text().c_str(), &end);
        if (value.text().empty() || *end != 0) return std::nullopt;  // a date, perhaps
        return read;
    };
    constexpr double kDelayMsMax = 1e12;
    std::optional<double> delay = number("retry-after-ms");
    if (!delay) {
        delay = number("retry-after");
        if (delay) *delay *= 1000;
    }
    if (!delay || !(*delay >= 0 && *delay <= kDelayMsMax)) return std::nullopt;
    return static_cast<std::uint64_t>(*delay);
}

/// The provider's own name for the error: `FreeUsageLimitError` behind a status that says
/// "rate limit". Empty: none.
std::string class_of_provider(const Json& data) {
    const Json body = Json::parse(data.text_of("responseBody")).value_or(Json());
    const std::string& type = body["error"].text_of("type");
    static constexpr std::array<std::string_view, 3> kLimits{"limit", "quota", "credit"};
    return core::mentions(core::lower(type), kLimits) ? type : std::string{};
}

void read_error(const Json& json, AgentLine& agent_line) {
    const Json& data = json["data"];
    // 2.2 has a type and a status beside the message.
    const std::string& kind = json.text_of(json["name"].is_string() ? "name" : "type");
    ToldError error{text_of_error(json), kind == "unknown" ? std::string{} : kind};
    if (std::string named = class_of_provider(data); !named.empty()) error.error_class = named;
    error.status = status_of(data["statusCode"]);
    if (!error.status) error.status = status_of(json["status"]);
    if (data["isRetryable"].is_boolean()) error.retryable = data.flag_of("isRetryable");
    error.retry_in_ms = retry_delay(data["responseHeaders"]);
    error.ends_turn = true;
    agent_line.result = LineResult{false, error.message, {}, kind};
    add_error(agent_line, error);
}

std::optional<AgentLine> read(const Json& line) {
    if (!begins(line)) return std::nullopt;
    AgentLine agent_line;
    agent_line.conversation = line.text_of("sessionID");
    const std::string& type = line.text_of("type");
    const Json& part = line["part"];
    if (type == "tool_use") read_call(part, agent_line);
    if (type == "text") add_message(agent_line, "assistant", part.text_of("text"));
    if (type == "step_finish") read_step(part, agent_line);
    if (type == "step_start") agent_line.begins_turn = true;
    if (type == "step_finish" && part.contains("metrics")) agent_line.agent = "kilo";
    if (type == "error") read_error(line["error"], agent_line);
    return agent_line;
}

}  // namespace
}  // namespace headway::cli::opencode_lines

namespace headway::cli {

const LineFormat kOpencodeLines{"opencode", opencode_lines::begins, opencode_lines::read, true,
                                true};

}  // namespace headway::cli
