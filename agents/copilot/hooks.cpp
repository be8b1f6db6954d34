// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "agents/common/claude_like.hpp"
#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/hooks/texts/mutation.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"

// GitHub Copilot CLI 1.0.102. Installed under names with a capital letter its hooks have Claude's
// shape, except for two events; under the others the body does not name its event. No call ids.

namespace headway::api::hooks {
namespace {

/// A member under either of its two names.
std::string either_name(JsonValue body, std::string_view snake, std::string_view camel) {
    std::string name = name_in(body, snake);
    return name.empty() ? name_in(body, camel) : name;
}

/// The event of a body that does not name it, by what only that event has.
std::string_view event_by_shape(JsonValue body) {
    const auto has = [body](std::string_view name) { return member(body, name).has_value(); };
    if (has("toolName")) {
        if (has("toolResult")) return "PostToolUse";
        if (has("error")) return "PostToolUseFailure";
        return has("toolArgs") ? "PreToolUse" : "";
    }
    if (has("errorContext") || has("recoverable")) return "ErrorOccurred";
    if (has("agentName")) return has("stopReason") ? "SubagentStop" : "SubagentStart";
    if (has("initialPrompt") || has("source")) return "SessionStart";
    if (has("prompt")) return "UserPromptSubmit";
    if (has("stopReason")) return "Stop";
    return has("reason") ? "SessionEnd" : "";
}

std::string copilot_event(JsonValue body) {
    std::string event = name_in(body, "hook_event_name");
    if (event.empty()) event = name_in(body, "hookName");
    if (event == "permissionRequest") return "PermissionRequest";
    return event.empty() ? std::string{event_by_shape(body)} : event;
}

/// The session of a sub-agent has the sub-agent's id in most events, and the parent's in others.
void read_copilot_place(JsonValue body, Hook& hook) {
    hook.session = either_name(body, "session_id", "sessionId");
    hook.agent_id = either_name(body, "agent_id", "agentId");
    hook.agent_type = either_name(body, "agent_type", "agentType");
    hook.parent = either_name(body, "parent_agent_id", "parentAgentId");
    const bool own = !hook.agent_id.empty() && hook.session == hook.agent_id;
    if (own && !hook.parent.empty()) hook.session = hook.parent;
    if (own && hook.session == hook.agent_id) hook.agent_id.clear();
    hook.cwd = path_in(body, "cwd");
    hook.transcript_path = path_in(body, "transcript_path");
    if (hook.transcript_path.empty()) hook.transcript_path = path_in(body, "transcriptPath");
}

/// The shell adds a line with the exit code and a number that grows with each call.
void strip_shell_line(HookCall& call) {
    constexpr std::string_view kLine = "<shellId: ";
    constexpr std::string_view kCode = " completed with exit code ";
    const std::size_t at = call.result.rfind(kLine);
    if (at == std::string::npos || (at > 0 && call.result[at - 1] != '\n')) return;
    const std::string_view line = std::string_view{call.result}.substr(at);
    const std::size_t code = line.find(kCode);
    if (code == std::string_view::npos || !line.ends_with('>')) return;
    call.exit_code = number_after(line.substr(code), kCode);
    call.result.resize(at > 0 ? at - 1 : 0);
}

void read_copilot_result(JsonValue body, HookCall& call) {
    auto result = object_in(body, "tool_result");
    if (!result) result = object_in(body, "toolResult");
    if (!result) {
        call.result = text_in(body, "tool_result");
        return;
    }
    call.result = text_in(*result, "text_result_for_llm");
    if (call.result.empty()) call.result = text_in(*result, "textResultForLlm");
    for (const std::string_view name : {"binary_results_for_llm", "binaryResultsForLlm"}) {
        const auto pictures = array_in(*result, name);
        if (pictures && pictures->size() > 0)
            call.result += (call.result.empty() ? "" : "\n") + result_text(*pictures);
    }
    const std::string type = either_name(*result, "result_type", "resultType");
    call.ok = (type.empty() || type == "success") && !says_failed(*result);
    strip_shell_line(call);
    if (!*call.ok || call.exit_code.value_or(0) != 0) fail(call);
    const bool refused = type == "denied" || type == "rejected";
    if (refused || (!*call.ok && says_refused(Refusing::kOfCopilot, call.error)))
        call.error_class = "denied";
}

void read_copilot_mutation(HookCall& call) {
    if (!call.args) return;
    const std::string path = path_in(*call.args, "path");
    const auto content = exact_in(*call.args, "file_text");
    const auto after = exact_in(*call.args, "new_str");
    if ((call.tool == "Write" || call.tool == "create") && content) {
        add_written(call.mutated, path, *content);
    } else if ((call.tool == "Edit" || call.tool == "edit") && after) {
        const Replacement edit{exact_in(*call.args, "old_str").value_or(""), *after};
        add_edited(call.mutated, path, std::nullopt, edit);
    }
}

void read_copilot_call(JsonValue body, Hook& hook) {
    HookCall& call = hook.call;
    call.tool = either_name(body, "tool_name", "toolName");
    for (const std::string_view name : {"tool_input", "toolArgs", "toolInput"}) {
        if (!call.args) call.args = member(body, name);
    }
    // The arguments of a question are other ones than those of its call.
    if (hook.kind == HookKind::kPermission) return;
    call.call = call_id_of(call.tool, call.args);
    if (hook.event == "PostToolUse") {
        read_copilot_result(body, call);
        if (call.ok.value_or(true)) read_copilot_mutation(call);
    } else if (hook.kind == HookKind::kPost) {
        call.error = text_in(body, "error");
        fail(call);
        if (call.error.ends_with("' does not exist.") && call.error.starts_with("Tool '")) {
            call.error_class = "unknown_tool";
        } else if (says_refused(Refusing::kOfCopilot, call.error)) {
            call.error_class = "denied";
        }
    }
}

/// The last turn ended by an error, and the session with it.
void read_copilot_end(JsonValue body, Hook& hook) {
    if (const auto error = member(body, "error")) read_error(*error, hook);
    if (!hook.status) hook.status = status_in_words(hook.text);
    if (hook.error_class.empty()) hook.error_class = "error";
    hook.ends_turn = true;
}

void copilot_tells_nothing(JsonValue, HookCall&) {}

Hook parse_copilot(JsonValue body, const HookFacts& facts) {
    Hook hook;
    hook.event = copilot_event(body);
    hook.agent_version = facts.agent_version;
    read_copilot_place(body, hook);
    if (hook.session.empty()) return hook;
    hook.kind = claude_kind(hook.event);
    hook.dialog = hook.kind == HookKind::kPermission;
    hook.before_rules = hook.dialog;  // with --allow-all too
    const bool calls = hook.kind == HookKind::kPre || hook.kind == HookKind::kPost ||
                       hook.kind == HookKind::kPermission;
    if (calls) {
        read_copilot_call(body, hook);
    } else {
        read_claude_fields(body, hook, copilot_tells_nothing, copilot_tells_nothing);
    }
    if (hook.kind == HookKind::kSubEnd && hook.text.empty()) hook.text = text_in(body, "response");
    if (hook.outcome.empty()) hook.outcome = phrase_in(body, "stopReason");
    if (hook.kind == HookKind::kEnd && hook.reason == "error") read_copilot_end(body, hook);
    return hook;
}

constexpr std::array<std::string_view, 4> kCopilotContext{"SessionStart", "UserPromptSubmit",
                                                          "PreToolUse", "PostToolUse"};

bool copilot_takes_context(const Hook& hook) {
    return hook.kind != HookKind::kNone && std::find(kCopilotContext.begin(), kCopilotContext.end(),
                                                     hook.event) != kCopilotContext.end();
}

void write_copilot_pre(JsonWriter& json, const HookReply& reply) {
    if (refuses(reply) || reply.undecided) {
        json.member("permissionDecision", "deny");
        json.member("permissionDecisionReason", refusal_words(reply));
        return;
    }
    if (!reply.allow.empty() || !reply.edit_json.empty()) {
        json.member("permissionDecision", "allow");
    }
    if (!reply.edit_json.empty()) {
        json.key("modifiedArgs");
        json.raw(reply.edit_json);
    }
    const std::string words = context_words(reply);
    if (!words.empty()) json.member("additionalContext", words);
}

void write_copilot_permission(JsonWriter& json, const HookReply& reply) {
    std::string why;
    if (refuses(reply)) {
        why = refusal_words(reply);
    } else if (!reply.edit_json.empty() && !reply.undecided) {
        why = edit_words(reply);
    }
    if (!why.empty()) {
        json.member("behavior", "deny");
        json.member("message", why);
    } else if (!reply.allow.empty() && !reply.undecided) {
        json.member("behavior", "allow");
    }
}

/// It fails closed: an answer that is not valid denies the call.
std::string render_copilot(const Hook& hook, const HookReply& reply) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    if (hook.kind == HookKind::kPre) {
        write_copilot_pre(json, reply);
    } else if (hook.kind == HookKind::kPermission) {
        write_copilot_permission(json, reply);
    } else if (const std::string why = go_on_words(hook, reply); !why.empty()) {
        json.member("decision", "block");
        json.member("reason", why);
    } else if (!reply.stop_hard && copilot_takes_context(hook)) {
        const std::string words = context_words(reply);
        if (!words.empty()) json.member("additionalContext", words);
    }
    json.close_object();
    return out;
}

}  // namespace

const Dialect kCopilot{
    .name = "copilot",
    .parse = parse_copilot,
    .render = render_copilot,
    .takes_context = copilot_takes_context,
    .hold = kHoldOfADay,
    .hold_permission = kHoldOfADay,
    .asks_always = true,  // with --allow-all too
    .has_call_ids = false,
    .reports_tokens = false,
    .reports_cost = false,
    .reports_rounds = false,
    .goes_on = true,
    .stops_hard = false,
};

}  // namespace headway::api::hooks
