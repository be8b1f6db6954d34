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
#include "core/calls/command_parts.hpp"
#include "core/text/words.hpp"

// Qwen Code 0.24: hooks of Claude's shape, tools of Gemini's.

namespace headway::api::hooks {
namespace {

/// A command that ran has an exit code; its output may hold any words.
void name_refusal(HookCall& call) {
    if (!call.exit_code && call.error_class.empty() && says_refused(Refusing::kOfQwen, call.error))
        call.error_class = "denied";
}

/// True for a command whose exit code 1 is an answer, and to Qwen Code 0.24.4 no error: one of
/// these alone, or at the end of a pipeline.
bool answers_by_code(std::string_view command) {
    constexpr std::array<std::string_view, 6> kAnswering{"grep", "rg", "diff", "test", "[", "[["};
    std::string_view part;
    for (std::string_view rest = core::trimmed(command); !rest.empty();) {
        const char* const from = rest.data();
        const std::size_t size = rest.size();
        part = core::next_part(rest);
        const std::string_view read{from, size - rest.size()};
        const bool piped = read.ends_with('|') && !read.ends_with("||");
        // Also in quotes, where it would do no harm: then the exit code is an error, as elsewhere.
        if (part.find('&') != part.npos || (!rest.empty() && !piped)) return false;
    }
    part = core::plain_command(part);
    part = part.substr(0, part.find_first_of(" \t"));
    part = part.substr(part.rfind('/') + 1);
    return std::find(kAnswering.begin(), kAnswering.end(), part) != kAnswering.end();
}

/// Qwen Code names the end of a command from 0.24.4 on.
void read_qwen_shell(JsonValue response, HookCall& call) {
    const auto display = object_in(response, "returnDisplay");
    const auto code = display ? count_in(*display, "exitCode") : std::nullopt;
    const std::string command = call.args ? text_in(*call.args, "command") : std::string{};
    const std::string text = text_in(response, "llmContent");
    call.exit_code = code ? code : shell_exit_code(text);
    const bool named = display && !name_in(*display, "outcome").empty();
    const bool answered = call.exit_code == 1U && answers_by_code(command);
    if (!named && !answered) read_shell_end(response, call);
}

void read_qwen_finished(JsonValue body, HookCall& call) {
    if (!call.ok.value_or(true)) {
        if (is_shell(call.tool)) call.exit_code = shell_exit_code(call.error);
        name_refusal(call);
        return;
    }
    const auto response = object_in(body, "tool_response");
    if (!response) return;
    call.result = shown_result(call.tool, *response);
    if (is_unparsed(call.result)) fail(call);
    if (is_shell(call.tool)) read_qwen_shell(*response, call);
    const auto display = object_in(*response, "returnDisplay");
    read_display_end(display, call);
    if (call.ok.value_or(true)) read_shown_file(display, call);
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
    const std::string output = qwen_output(*response);
    const auto display = member(*response, "result_display");
    if (display) call.result = display_text(*display);
    if (call.result.empty()) call.result = output;
    if (call.ok.value_or(true)) {
        if (is_unparsed(output)) fail(call);
        read_display_end(display, call);
        if (!call.untold && call.ok.value_or(true)) read_shown_file(display, call);
        return;
    }
    call.error = text_in(*response, "error");
    if (is_shell(call.tool)) call.exit_code = shell_exit_code(call.error);
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
    read_no_words(hook);
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
