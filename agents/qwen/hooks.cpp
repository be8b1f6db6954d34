// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "agents/common/claude_like.hpp"
#include "agents/common/gemini_like.hpp"
#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"

// Qwen Code 0.24: hooks of Claude's shape, tools of Gemini's.

namespace headway::api::hooks {
namespace {

/// A command that ran has an exit code; its output may hold any words.
void name_refusal(HookCall& call) {
    if (!call.exit_code && call.error_class.empty() && says_refused(Refusing::kOfQwen, call.error))
        call.error_class = "denied";
}

void read_qwen_finished(JsonValue body, HookCall& call) {
    if (!call.ok.value_or(true)) {
        call.exit_code = shell_exit_code(call.error);
        name_refusal(call);
        return;
    }
    const auto response = object_in(body, "tool_response");
    if (!response) return;
    call.result = shown_result(*response);
    const auto content = member(*response, "llmContent");
    if (content && content->kind() == JsonKind::kString) read_shell_exit(content->text(), call);
    if (call.ok.value_or(true)) read_shown_file(object_in(*response, "returnDisplay"), call);
}

/// The text that the model gets, in the first part that has one.
std::string qwen_output(JsonValue response) {
    std::string out;
    const auto parts = array_in(response, "response_parts");
    if (!parts) return out;
    parts->each([&](JsonValue part) {
        const auto function = object_in(part, "functionResponse");
        const auto answer = function ? object_in(*function, "response") : std::nullopt;
        if (answer) out = text_in(*answer, "output");
        return out.empty();
    });
    return out;
}

void read_qwen_batched(JsonValue json, HookCall& call) {
    const std::string status = name_in(json, "status");
    if (!status.empty()) call.ok = status == "success";
    call.untold = !call.ok;
    call.interrupted = status == "cancelled";
    if (call.interrupted) call.error_class = "cancelled";
    const auto response = object_in(json, "tool_response");
    if (!response) {
        if (const auto text = member(json, "tool_response")) call.result = result_text(*text);
        if (!call.ok.value_or(true)) fail(call);
        return;
    }
    call.result = text_in(*response, "result_display");
    if (call.result.empty()) call.result = qwen_output(*response);
    if (call.ok.value_or(true)) {
        if (!call.untold) read_shown_file(object_in(*response, "result_display"), call);
        return;
    }
    call.error = text_in(*response, "error");
    call.exit_code = shell_exit_code(call.error);
    fail(call);
    // A hook may replace the result of a call that has run, which is then called a refusal too.
    const bool ran = name_in(*response, "execution_status") != "not_started";
    const std::string_view error_class = error_class_of(name_in(*response, "error_type"));
    if (!ran && !error_class.empty()) call.error_class = error_class;
    if (!ran) name_refusal(call);
}

Hook parse_qwen(JsonValue body, const HookFacts& facts) {
    Hook hook = parse_claude_like(body, read_qwen_finished, read_qwen_batched);
    hook.agent_version = facts.agent_version;
    return hook;
}

constexpr std::array<std::string_view, 4> kQwenContext{"SessionStart", "PostToolUse",
                                                       "PostToolUseFailure", "PostToolBatch"};

bool qwen_takes_context(const Hook& hook) {
    if (hook.kind == HookKind::kPrompt) return true;
    return hook.kind != HookKind::kNone &&
           std::find(kQwenContext.begin(), kQwenContext.end(), hook.event) != kQwenContext.end();
}

/// Neither other arguments nor context are obeyed here, and an allowance changes nothing.
std::string render_qwen_pre(const HookReply& reply) {
    std::string why;
    if (refuses(reply) || reply.undecided) {
        why = refusal_words(reply);
    } else if (!reply.edit_json.empty()) {
        why = edit_words(reply);
    }
    if (why.empty()) return std::string{kNothing};
    return write_claude_reply("PreToolUse", {"deny", why, {}, {}, {}});
}

std::string render_qwen(const Hook& hook, const HookReply& reply) {
    if (hook.kind == HookKind::kPre) return render_qwen_pre(reply);
    if (const std::string why = go_on_words(hook, reply); !why.empty())
        return write_claude_block(why);
    const bool prompt = hook.kind == HookKind::kPrompt || hook.kind == HookKind::kTurn;
    // Fires before the model is asked again too, so it is the place to end a run.
    if (reply.stop_hard && prompt) return write_claude_block(stop_words(reply));
    if (reply.stop_hard || !qwen_takes_context(hook)) return std::string{kNothing};
    return write_claude_reply(hook.event, {{}, {}, {}, context_words(reply), {}});
}

}  // namespace

const Dialect kQwen{
    .name = "qwen",
    .parse = parse_qwen,
    .render = render_qwen,
    .takes_context = qwen_takes_context,
    // Qwen Code 0.24 runs the call after 60 s, whatever the timeout of the hook is.
    .hold = core::Millis{55'000},
    .hold_permission = core::Millis{0},
    .edits_calls = false,
    .has_call_ids = true,
    .reports_tokens = false,
    .reports_cost = false,
    .reports_rounds = true,
    .goes_on = true,
    .stops_hard = true,
};

}  // namespace headway::api::hooks
