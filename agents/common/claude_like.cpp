// SPDX-License-Identifier: Apache-2.0
#include "agents/common/claude_like.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/hooks/read.hpp"
#include "api/hooks/texts/background.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::array<std::pair<std::string_view, HookKind>, 20> kKinds{{
    {"SessionStart", HookKind::kStart},
    {"UserPromptSubmit", HookKind::kPrompt},
    {"PreToolUse", HookKind::kPre},
    {"PostToolUse", HookKind::kPost},
    {"PostToolUseFailure", HookKind::kPost},
    {"PermissionDenied", HookKind::kPost},
    {"PostToolBatch", HookKind::kBatch},
    {"PermissionRequest", HookKind::kPermission},
    {"MessageDisplay", HookKind::kSaid},
    {"Stop", HookKind::kStop},
    {"StopFailure", HookKind::kError},
    {"PostCompact", HookKind::kCompacted},
    {"SessionEnd", HookKind::kEnd},
    {"SubagentStart", HookKind::kSubStart},
    {"SubagentStop", HookKind::kSubEnd},
    {"Elicitation", HookKind::kAsks},
    {"ElicitationResult", HookKind::kAnswered},
    {"Interrupt", HookKind::kInterrupt},
    {"ErrorOccurred", HookKind::kError},
    {"Usage", HookKind::kUsage},  // of headway-hook --usage, not of an agent
}};

/// The meaning of a type of notification (Claude Code 2.1.332, Qwen Code 0.24, Copilot
/// CLI 1.0.102). One that is not here is a note: a sign of life, in its own words.
constexpr std::array<std::pair<std::string_view, HookKind>, 9> kNotifications{{
    {"permission_prompt", HookKind::kAsks},
    {"worker_permission_prompt", HookKind::kAsks},
    {"agent_needs_input", HookKind::kAsks},
    {"elicitation_dialog", HookKind::kAsks},
    {"elicitation_url_dialog", HookKind::kAsks},
    // The limit is over, and the agent waits for the enter key.
    {"quota_auto_resume_stale", HookKind::kAsks},
    {"elicitation_complete", HookKind::kAnswered},
    {"elicitation_response", HookKind::kAnswered},
    {"idle_prompt", HookKind::kIdle},
}};

/// Types that ask for nothing, whatever their words are: these may be a model's.
constexpr std::array<std::string_view, 10> kNotes{
    "auth_success",        "agent_completed",        "push_notification",
    "computer_use_enter",  "computer_use_exit",      "quota_auto_resume_fired",
    "plugin_notification", "model_refusal_fallback", "quota_auto_resume_disabled",
    "auth_storage_failure"};

/// The id that stays the same from PreToolUse to PostToolBatch. Where an agent has both, the other
/// one changes.
std::string call_id_in(JsonValue json) {
    std::string id = name_in(json, "tool_call_id");
    return id.empty() ? name_in(json, "tool_use_id") : id;
}

void read_call(JsonValue json, HookCall& call) {
    call.tool = name_in(json, "tool_name");
    call.args = member(json, "tool_input");
    call.call = call_id_in(json);
}

void read_finished(JsonValue body, Hook& hook, ReadCall finished) {
    HookCall& call = hook.call;
    read_call(body, call);
    if (call.call.empty()) call.call = call_id_of(call.tool, call.args);
    call.duration_ms = count_in(body, "duration_ms");
    call.ok = hook.event == "PostToolUse";
    if (hook.event == "PermissionDenied") {
        call.error = text_in(body, "reason");
        call.error_class = "denied";
        return;
    }
    if (call.ok.value()) {
        if (const auto response = member(body, "tool_response")) {
            call.result = result_text(*response);
            if (says_failed(*response)) fail(call);
        }
    } else {
        call.error = text_in(body, "error");
        call.interrupted = flag_in(body, "is_interrupt").value_or(false);
    }
    finished(body, call);
    if (!call.interrupted) return;
    fail(call);
    call.error_class = "cancelled";
}

void read_batch(JsonValue body, Hook& hook, ReadCall batched) {
    const auto calls = array_in(body, "tool_calls");
    if (!calls) return;
    calls->each([&](JsonValue json) {
        if (json.kind() != JsonKind::kObject) return true;
        HookCall& call = hook.calls.emplace_back();
        read_call(json, call);
        if (call.call.empty()) call.call = call_id_of(call.tool, call.args);
        batched(json, call);
        return true;
    });
}

/// Results of background work come as prompts too, and those of sub-agents are by their parents.
/// Claude Code 2.1.332 says who wrote a prompt.
void read_prompt(JsonValue body, Hook& hook) {
    constexpr std::array<std::string_view, 4> kWakers{"system", "loop_wakeup", "schedule_wakeup",
                                                      "poll_event"};
    const std::string_view prompt = exact_in(body, "prompt").value_or("");
    const std::string source = name_in(body, "source");
    hook.text = text_in(body, "prompt");
    hook.typed = !source.empty();
    const bool wakes = std::find(kWakers.begin(), kWakers.end(), source) != kWakers.end();
    hook.wake_up = is_made_prompt(prompt) || wakes;
    hook.synthetic = !hook.agent_id.empty() || hook.wake_up;
    if (prompt.empty()) hook.kind = HookKind::kTurn;
}

/// "Claude needs your permission to use Bash", of a version that names no type or a new one. Before
/// it stands only the agent's name.
bool asks_by_words(std::string_view words) {
    constexpr std::size_t kNameBytesMax = 24;
    constexpr std::array<std::string_view, 3> kAsking{" needs your permission",
                                                      " needs your approval", " needs your input"};
    return std::any_of(kAsking.begin(), kAsking.end(), [&](std::string_view asking) {
        const std::size_t at = words.find(asking);
        return at <= kNameBytesMax && words.substr(0, at).find_first_of(".,:;!?") == words.npos;
    });
}

void read_notification(JsonValue body, Hook& hook) {
    const std::string type = name_in(body, "notification_type");
    hook.text = text_in(body, "message");
    hook.kind = HookKind::kNote;
    for (const auto& [name, kind] : kNotifications)
        if (name == type) hook.kind = kind;
    const bool known = std::find(kNotes.begin(), kNotes.end(), type) != kNotes.end();
    if (hook.kind == HookKind::kNote && !known && asks_by_words(hook.text))
        hook.kind = HookKind::kAsks;
    if (hook.kind == HookKind::kNote && !type.empty())
        hook.text = type + (hook.text.empty() ? "" : ": ") + hook.text;
}

/// The agent's words for people, and the provider's message where it has more.
void read_stop_failure(JsonValue body, Hook& hook) {
    hook.error_class = phrase_in(body, "error");
    hook.text = text_in(body, "last_assistant_message");
    const std::string details = text_in(body, "error_details");
    if (hook.text.empty()) {
        hook.text = details;
    } else if (!details.empty() && hook.text.find(details) == std::string::npos) {
        hook.text += "\n" + details;
    }
    hook.status = status_in(body);
    if (!hook.status) hook.status = status_in_words(hook.text);
    if (!hook.status) hook.status = status_in_words(details);
    read_reset(body, hook);
    hook.ends_turn = true;
}

/// A failed try; the agent goes on unless it says that it does not.
void read_error_occurred(JsonValue body, Hook& hook) {
    if (const auto error = member(body, "error")) read_error(*error, hook);
    if (!hook.status) hook.status = status_in_words(hook.text);
    read_reset(body, hook);
    const auto recoverable = flag_in(body, "recoverable");
    hook.retryable = recoverable;
    hook.ends_turn = !recoverable.value_or(true);
}

/// A server asks a person through the agent.
void read_elicitation(JsonValue body, Hook& hook) {
    hook.text = text_in(body, hook.kind == HookKind::kAsks ? "message" : "action");
    const std::string server = name_in(body, "mcp_server_name");
    if (!server.empty()) hook.text = server + ": " + hook.text;
}

void read_stop(JsonValue body, Hook& hook) {
    hook.text = text_in(body, "last_assistant_message");
    hook.silent = is_empty_in(body, "last_assistant_message");
    read_background(body, hook);
    hook.outcome = phrase_in(body, "stop_reason");
    std::string own = path_in(body, "agent_transcript_path");
    if (!own.empty()) hook.transcript_path = std::move(own);
}

}  // namespace

HookKind claude_kind(std::string_view event) {
    for (const auto& [name, kind] : kKinds) {
        if (name == event) return kind;
    }
    return HookKind::kNone;
}

void read_claude_fields(JsonValue body, Hook& hook, ReadCall finished, ReadCall batched) {
    switch (hook.kind) {
        case HookKind::kStart:
            hook.source = phrase_in(body, "source");
            break;
        case HookKind::kPrompt:
            read_prompt(body, hook);
            break;
        case HookKind::kPre:
            read_call(body, hook.call);
            if (hook.call.call.empty()) {
                hook.call.call = call_id_of(hook.call.tool, hook.call.args);
            }
            break;
        case HookKind::kPermission:
            read_call(body, hook.call);
            break;
        case HookKind::kPost:
            read_finished(body, hook, finished);
            break;
        case HookKind::kBatch:
            read_batch(body, hook, batched);
            break;
        case HookKind::kSaid:
            // A message comes in pieces; the last one is all of a short message.
            if (flag_in(body, "final").value_or(false))
                hook.text = text_in(body, "delta");
            else
                hook.kind = HookKind::kNone;
            break;
        case HookKind::kStop:
        case HookKind::kSubEnd:
            read_stop(body, hook);
            break;
        case HookKind::kError:
            if (hook.event == "ErrorOccurred") {
                read_error_occurred(body, hook);
            } else {
                read_stop_failure(body, hook);
            }
            break;
        case HookKind::kAsks:
        case HookKind::kAnswered:
            read_elicitation(body, hook);
            break;
        case HookKind::kCompacted:
            hook.source = phrase_in(body, "trigger");
            hook.text = text_in(body, "compact_summary");
            break;
        case HookKind::kEnd:
            hook.reason = text_in(body, "reason");
            break;
        default:
            if (hook.event == "Notification") {
                read_notification(body, hook);
            } else {
                note_unknown(body, hook);
            }
            break;
    }
}

Hook parse_claude_like(JsonValue body, ReadCall finished, ReadCall batched) {
    Hook hook;
    hook.event = name_in(body, "hook_event_name");
    hook.session = name_in(body, "session_id");
    if (hook.session.empty()) return hook;
    hook.kind = claude_kind(hook.event);
    hook.agent_id = name_in(body, "agent_id");
    hook.agent_type = phrase_in(body, "agent_type");
    hook.cwd = path_in(body, "cwd");
    hook.model = phrase_in(body, "model");
    hook.transcript_path = path_in(body, "transcript_path");
    hook.mode = name_in(body, "permission_mode");
    read_claude_fields(body, hook, finished, batched);
    return hook;
}

std::string write_claude_reply(std::string_view event, const ClaudeReply& reply) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    if (!reply.stop.empty()) {
        json.member("continue", false);
        json.member("stopReason", reply.stop);
    }
    if (!reply.decision.empty() || !reply.context.empty()) {
        json.key("hookSpecificOutput");
        json.open_object();
        json.member("hookEventName", event);
        if (!reply.decision.empty()) json.member("permissionDecision", reply.decision);
        if (!reply.reason.empty()) json.member("permissionDecisionReason", reply.reason);
        if (!reply.edit_json.empty()) {
            json.key("updatedInput");
            json.raw(reply.edit_json);
        }
        if (!reply.context.empty()) json.member("additionalContext", reply.context);
        json.close_object();
    }
    json.close_object();
    return out;
}

std::string write_claude_permission(std::string_view behavior, std::string_view message,
                                    bool interrupt) {
    if (behavior.empty()) return "{}";
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.key("hookSpecificOutput");
    json.open_object();
    json.member("hookEventName", "PermissionRequest");
    json.key("decision");
    json.open_object();
    json.member("behavior", behavior);
    if (!message.empty()) json.member("message", message);
    if (interrupt) json.member("interrupt", true);
    json.close_object();
    json.close_object();
    json.close_object();
    return out;
}

std::string write_claude_block(std::string_view reason) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("decision", "block");
    json.member("reason", reason);
    json.close_object();
    return out;
}

}  // namespace headway::api::hooks
