// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "agents/common/gemini_like.hpp"
#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/background.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"

// Gemini CLI 0.61. Its calls have no ids.

namespace headway::api::hooks {
namespace {

/// PreCompress is not among them: it fires before each question to the model.
constexpr std::array<std::pair<std::string_view, HookKind>, 9> kGeminiKinds{{
    {"SessionStart", HookKind::kStart},
    {"BeforeAgent", HookKind::kPrompt},
    {"BeforeModel", HookKind::kTurn},
    {"AfterModel", HookKind::kUsage},
    {"BeforeTool", HookKind::kPre},
    {"AfterTool", HookKind::kPost},
    {"AfterAgent", HookKind::kStop},
    {"Notification", HookKind::kAsks},
    {"SessionEnd", HookKind::kEnd},
}};

void read_gemini_call(JsonValue body, Hook& hook) {
    HookCall& call = hook.call;
    call.tool = name_in(body, "tool_name");
    call.args = member(body, "tool_input");
    call.call = call_id_of(call.tool, call.args);
    if (hook.kind == HookKind::kPre) return;
    const auto response = object_in(body, "tool_response");
    call.ok = true;
    if (!response) return;
    const auto display = object_in(*response, "returnDisplay");
    call.result = shown_result(call.tool, *response);
    if (is_unparsed(call.result)) fail(call);
    if (is_shell(call.tool)) read_shell_end(*response, call);
    read_display_end(display, call);
    if (says_failed(*response) || !text_in(*response, "error").empty()) fail(call);
    if (const auto error = object_in(*response, "error")) {
        call.error = text_in(*error, "message");
        call.error_class = error_class_of(name_in(*error, "type"));
        if (call.error_class.empty() && says_refused(Refusing::kOfGemini, call.error))
            call.error_class = "denied";
        fail(call);
    }
    if (call.ok.value_or(true)) read_shown_file(display, call);
}

/// Google's words for the end of an answer; one that is not known is no success. Gemini CLI takes
/// the text of an answer that was cut off or refused for a success, and says so nowhere else.
AnswerEnd end_of_answer(const std::string& reason) {
    constexpr std::array<std::string_view, 8> kRefused{
        "SAFETY",       "PROHIBITED_CONTENT",       "BLOCKLIST",       "SPII", "RECITATION",
        "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"};
    if (reason == "STOP") return {};
    if (reason == "MAX_TOKENS") return {"max_tokens", "its last answer was cut off: " + reason};
    if (std::find(kRefused.begin(), kRefused.end(), reason) != kRefused.end())
        return {"refusal", "its last answer was refused: " + reason};
    return {"", "its last answer ended with " + reason};
}

/// A streamed answer has many of these hooks; the last one has a reason why it ended.
void read_gemini_usage(JsonValue body, Hook& hook) {
    const auto response = object_in(body, "llm_response");
    const auto candidates = response ? array_in(*response, "candidates") : std::nullopt;
    std::string reason;
    if (candidates) {
        candidates->each([&](JsonValue candidate) {
            reason = phrase_in(candidate, "finishReason");
            return reason.empty();
        });
    }
    if (!reason.empty()) hook.answer_end = end_of_answer(reason);
    const auto used = reason.empty() ? std::nullopt : object_in(*response, "usageMetadata");
    hook.kind = used ? HookKind::kUsage : HookKind::kNone;
    if (!used) return;
    core::Usage usage;
    const std::uint64_t prompt = count_in(*used, "promptTokenCount").value_or(0);
    // The cached part is in the prompt.
    usage.cached_tokens = std::min(count_in(*used, "cachedContentTokenCount").value_or(0), prompt);
    usage.input_tokens = prompt - usage.cached_tokens;
    usage.output_tokens = count_in(*used, "candidatesTokenCount").value_or(0);
    // Thoughts are in the total alone: the hook has no count of them.
    const std::uint64_t total = count_in(*used, "totalTokenCount").value_or(0);
    const std::uint64_t counted = prompt + usage.output_tokens;
    const std::uint64_t thoughts = total > counted ? total - counted : 0;
    usage.reasoning_tokens = count_in(*used, "thoughtsTokenCount").value_or(thoughts);
    hook.usage = usage;
}

void read_gemini_fields(JsonValue body, Hook& hook) {
    switch (hook.kind) {
        case HookKind::kStart:
            hook.source = phrase_in(body, "source");
            break;
        case HookKind::kPrompt:
            hook.text = text_in(body, "prompt");
            hook.wake_up = hook.synthetic = is_made_prompt(hook.text);
            break;
        case HookKind::kPre:
        case HookKind::kPost:
            read_gemini_call(body, hook);
            break;
        case HookKind::kUsage:
            read_gemini_usage(body, hook);
            break;
        case HookKind::kStop:
            hook.text = text_in(body, "prompt_response");
            hook.silent = is_empty_in(body, "prompt_response");
            read_no_words(hook);
            break;
        case HookKind::kAsks:
            hook.text = text_in(body, "message");
            if (name_in(body, "notification_type") != "ToolPermission") {
                hook.kind = HookKind::kNote;
            }
            break;
        case HookKind::kEnd:
            hook.reason = text_in(body, "reason");
            break;
        default:
            if (hook.event != "BeforeToolSelection") note_unknown(body, hook);
            break;
    }
}

Hook parse_gemini(JsonValue body, const HookFacts& facts) {
    Hook hook;
    hook.event = name_in(body, "hook_event_name");
    hook.session = name_in(body, "session_id");
    hook.agent_version = facts.agent_version;
    if (hook.session.empty()) return hook;
    for (const auto& [name, kind] : kGeminiKinds) {
        if (name == hook.event) hook.kind = kind;
    }
    hook.cwd = path_in(body, "cwd");
    hook.transcript_path = path_in(body, "transcript_path");
    if (const auto request = object_in(body, "llm_request")) {
        hook.model = phrase_in(*request, "model");
    }
    read_gemini_fields(body, hook);
    return hook;
}

bool gemini_takes_context(const Hook& hook) {
    return hook.kind == HookKind::kPost || hook.kind == HookKind::kPrompt ||
           hook.kind == HookKind::kStart;
}

std::string write_gemini_stop(const HookReply& reply) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("continue", false);
    json.member("stopReason", stop_words(reply));
    json.close_object();
    return out;
}

std::string write_gemini_refusal(std::string_view reason) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.member("decision", "deny");
    json.member("reason", reason);
    json.close_object();
    return out;
}

/// One member beside the name of the event.
std::string write_gemini_output(std::string_view event, std::string_view name,
                                std::string_view value_json) {
    std::string out;
    JsonWriter json{out};
    json.open_object();
    json.key("hookSpecificOutput");
    json.open_object();
    json.member("hookEventName", event);
    json.key(name);
    json.raw(value_json);
    json.close_object();
    json.close_object();
    return out;
}

std::string render_gemini(const Hook& hook, const HookReply& reply) {
    const bool pre = hook.kind == HookKind::kPre;
    const bool may_end = pre || hook.kind == HookKind::kPost || hook.kind == HookKind::kUsage;
    if (reply.stop_hard) return may_end ? write_gemini_stop(reply) : std::string{kNothing};
    if (pre && (refuses(reply) || reply.undecided)) {
        return write_gemini_refusal(refusal_words(reply));
    }
    if (pre && !reply.edit_json.empty()) {
        return write_gemini_output(hook.event, "tool_input", reply.edit_json);
    }
    if (const std::string why = go_on_words(hook, reply); !why.empty())
        return write_gemini_refusal(why);
    const std::string words = gemini_takes_context(hook) ? context_words(reply) : std::string{};
    if (words.empty()) return std::string{kNothing};
    std::string value;
    append_json_string(value, words);
    return write_gemini_output(hook.event, "additionalContext", value);
}

}  // namespace

const Dialect kGemini{
    .name = "gemini",
    .pre_event = "BeforeTool",
    .parse = parse_gemini,
    .render = render_gemini,
    .takes_context = gemini_takes_context,
    .hold = kHoldOfADay,
    .hold_permission = core::Millis{0},
    .has_call_ids = false,
    .reports_tokens = true,
    .reports_cost = false,
    .reports_rounds = false,
    .goes_on = true,
    .stops_hard = true,
};

}  // namespace headway::api::hooks
