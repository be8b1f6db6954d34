// SPDX-License-Identifier: Apache-2.0
#include "api/mcp/tools.hpp"

#include <algorithm>
#include <chrono>

#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api::mcp {
namespace {

using namespace std::chrono_literals;
using hooks::Hook;
using hooks::HookKind;
using hooks::HookReply;

constexpr std::string_view kTools = R"json({"tools":[
{"name":"approve","title":"Approve a tool call",
 "description":"Asks a person whether a tool may run with this input, and waits for the decision. Made for --permission-prompt-tool.",
 "inputSchema":{"type":"object","properties":{
  "tool_name":{"type":"string","description":"The tool that is about to run"},
  "input":{"type":"object","description":"Its arguments"},
  "tool_use_id":{"type":"string","description":"The id of the call, if it has one"}},
  "required":["tool_name","input"]}},
{"name":"ask_human","title":"Ask a person",
 "description":"Asks the person who supervises you a question, and waits for the answer. If there is none in time, ask the same question again to go on waiting.",
 "inputSchema":{"type":"object","properties":{
  "question":{"type":"string","description":"The question, with what is needed to answer it"},
  "options":{"type":"array","items":{"type":"string"},"maxItems":16,"description":"Answers to choose from"},
  "wait_seconds":{"type":"integer","minimum":0,"maximum":86400,"description":"How long to wait; 50 by default, since some clients give up after 60"}},
  "required":["question"]}},
{"name":"status","title":"How am I doing",
 "description":"Says whether you make progress, what is left of your budget, and what your supervisor wants you to do.",
 "inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}]})json";

core::Error missing(std::string_view name, std::string_view what) {
    return {core::ErrorCode::kInvalidField, std::string{name} + " " + std::string{what},
            "/params/arguments/" + std::string{name}};
}

bool has(JsonValue object, std::string_view name) {
    return !object.each([name](JsonValue child) { return child.key() != name; });
}

core::Result<Hook> read_approve(JsonValue arguments) {
    Hook hook;
    hook.kind = HookKind::kRequest;
    hook.call.tool = hooks::name_in(arguments, "tool_name");
    if (hook.call.tool.empty()) return missing("tool_name", "must be the name of a tool");
    hook.call.args = hooks::object_in(arguments, "input");
    if (!hook.call.args) return missing("input", "must be an object");
    hook.call.args->append_to(hook.echo_args);
    hook.call.call = hooks::name_in(arguments, "tool_use_id");
    if (hook.call.call.empty()) hook.call.call = hooks::call_id_of(hook.call.tool, hook.call.args);
    return hook;
}

core::Result<Hook> read_question(JsonValue arguments) {
    constexpr std::uint64_t kWaitSecondsDefault = 50;
    constexpr std::uint64_t kWaitSecondsMax = 86'400;
    Hook hook;
    hook.kind = HookKind::kQuestion;
    hook.text = hooks::text_in(arguments, "question");
    if (hook.text.empty()) return missing("question", "must be a text");
    hooks::read_question(arguments, hook);
    if (has(arguments, "options") && !hooks::array_in(arguments, "options"))
        return missing("options", "must be a list of texts");
    if (hook.options.size() > hooks::kQuestionOptionsMax)
        return missing("options", "must have at most 16 items: the person has to see all of them");
    const auto wait_asked = hooks::count_in(arguments, "wait_seconds");
    if (has(arguments, "wait_seconds") && !wait_asked)
        return missing("wait_seconds", "must be a number from 0 to 86400");
    const auto wait = wait_asked.value_or(kWaitSecondsDefault);
    hook.hold_ms = std::max<std::uint64_t>(std::min(wait, kWaitSecondsMax) * 1000, 1);
    return hook;
}

std::string content(std::string_view text, bool is_error) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.key("content");
    json.open_array();
    json.open_object();
    json.member("type", "text");
    json.member("text", text);
    json.close_object();
    json.close_array();
    if (is_error) json.member("isError", true);
    json.close_object();
    return out;
}

/// Reply that Claude Code takes from a permission prompt tool
/// (https://code.claude.com/docs/en/headless).
std::string permission(const Hook& hook, const HookReply& reply) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    const bool denied = hooks::stops(reply) || hooks::refuses(reply) || reply.undecided ||
                        (reply.allow.empty() && reply.edit_json.empty());
    json.member("behavior", denied ? "deny" : "allow");
    if (denied) {
        json.member("message",
                    reply.stop_hard ? hooks::stop_words(reply) : hooks::refusal_words(reply));
    } else {
        json.key("updatedInput");
        json.raw(reply.edit_json.empty() ? hook.echo_args : reply.edit_json);
    }
    json.close_object();
    return out;
}

std::string words_of_answer(const HookReply& reply) {
    if (hooks::stops(reply)) return hooks::stop_words(reply);
    HookReply words = reply;
    if (reply.answer.empty()) return hooks::refusal_words(words);
    const std::string more = hooks::context_words(words);
    const std::string answer = hooks::answer_words(reply);
    return more.empty() ? answer : answer + "\n\n" + more;
}

std::string render_call(const Hook& hook, const HookReply& reply) {
    std::string text;
    if (hook.kind == HookKind::kRequest) text = permission(hook, reply);
    if (hook.kind == HookKind::kQuestion) text = words_of_answer(reply);
    if (hook.kind == HookKind::kStatus)
        text = hooks::stops(reply) ? hooks::stop_words(reply) : hooks::context_words(reply);
    return result_of(hook.echo, content(text, false));
}

Hook parse_nothing(JsonValue, const hooks::HookFacts&) {
    return {};
}

bool takes_context(const Hook& hook) {
    return hook.kind != HookKind::kRequest;  // an allowed call has no words
}

}  // namespace

std::string_view tool_list() {
    return kTools;
}

core::Result<Hook> read_call(const Message& message) {
    const std::string name = message.params ? hooks::name_in(*message.params, "name") : "";
    const auto arguments =
        message.params ? hooks::object_in(*message.params, "arguments") : std::nullopt;
    core::Result<Hook> hook = missing("name", "is no tool; these are: approve, ask_human, status");
    if (name == "status") {
        hook = Hook{};
        hook->kind = HookKind::kStatus;
    } else if (name == "approve" || name == "ask_human") {
        if (!arguments) return missing("arguments", "are missing");
        hook = name == "approve" ? read_approve(*arguments) : read_question(*arguments);
    }
    if (hook) {
        hook->event = name;
        hook->echo = message.id;
    }
    return hook;
}

const hooks::Dialect kDialect{
    .name = "mcp",
    .parse = parse_nothing,
    .render = render_call,
    .takes_context = takes_context,
    .hold = 24h,
    .hold_permission = 24h,
    .has_call_ids = true,
    .reports_tokens = false,
    .reports_cost = false,
    .reports_rounds = false,
    .stops_hard = false,
};

}  // namespace headway::api::mcp
