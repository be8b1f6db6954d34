// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "agents/common/claude_like.hpp"
#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/mutation.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"

// Claude Code, 2.1.197 to 2.1.332. Its hooks are http, except for SessionStart.

namespace headway::api::hooks {
namespace {

constexpr std::string_view kToolErrorOpen = "<tool_use_error>";
constexpr std::string_view kToolErrorClose = "</tool_use_error>";

void set_class(HookCall& call, std::string_view error_class) {
    fail(call);
    call.error_class = error_class;
}

/// Classifies the text that Claude writes itself in place of a tool's output. A refusal of 2.1.197
/// is the bare reason, which no phrase tells.
void classify_claude(HookCall& call) {
    std::string& text = call.ok.value_or(true) ? call.result : call.error;
    // Only the beginning, since what follows may be the output of the tool.
    const std::string_view head = std::string_view{text}.substr(0, 400);
    if (const auto code = number_after(head, "Exit code ")) {
        call.exit_code = code;
        if (*code != 0) fail(call);
        return;
    }
    if (head.starts_with(kToolErrorOpen)) {
        text.erase(0, kToolErrorOpen.size());
        const std::size_t close = text.rfind(kToolErrorClose);
        if (close != std::string::npos) text.resize(close);
        const std::string_view words = text;
        if (words.starts_with("Error: No such tool available")) {
            set_class(call, "unknown_tool");
        } else if (words.starts_with("InputValidationError")) {
            set_class(call, "json_parse");
        } else if (says_refused(Refusing::kOfClaude, words)) {
            set_class(call, "denied");
        } else {
            fail(call);
        }
        return;
    }
    if (says_refused(Refusing::kOfClaude, head)) set_class(call, "denied");
    if (head.starts_with("[Request interrupted by user") ||
        head.starts_with("[Tool call interrupted")) {
        call.interrupted = true;
        set_class(call, "cancelled");
    }
}

void read_claude_mutation(JsonValue body, HookCall& call) {
    const auto input = object_in(body, "tool_input");
    const auto response = object_in(body, "tool_response");
    if (!input || !response) return;
    std::string path = path_in(*response, "filePath");
    if (path.empty()) path = path_in(*input, "file_path");
    if (call.tool == "Write") {
        add_written(call.mutated, path, exact_in(*input, "content").value_or(""));
    } else if (call.tool == "Edit") {
        // The person may have changed the edit in an unknown way.
        const bool changed = flag_in(*response, "userModified").value_or(false);
        if (changed && !path.empty()) call.mutated.push_back({path, ""});
        if (changed) return;
        const Replacement edit{exact_in(*input, "old_string").value_or(""),
                               exact_in(*input, "new_string").value_or(""),
                               flag_in(*input, "replace_all").value_or(false)};
        const auto original = exact_in(*response, "originalFile");
        add_edited(call.mutated, path, edit.before.empty() ? "" : original, edit);
    } else if (call.tool == "MultiEdit" || call.tool == "NotebookEdit") {
        if (path.empty()) path = path_in(*input, "notebook_path");
        if (!path.empty()) call.mutated.push_back({path, ""});
    }
}

/// The answer of a call that only begins work is a receipt: its id and file are others each time
/// and say nothing about the question.
void drop_receipt(JsonValue response, HookCall& call) {
    const bool agent = name_in(response, "status") == "async_launched";
    const bool shell =
        !name_in(response, "backgroundTaskId").empty() && text_in(response, "stdout").empty();
    if (agent || shell) call.result = "it goes on in the background";
}

/// True for a question that the agent answered in the person's place, with nothing.
bool is_unanswered(const HookCall& call, JsonValue response) {
    const auto answers = object_in(response, "answers");
    if (call.tool != "AskUserQuestion" || !answers) return false;
    bool any = false;
    answers->each([&any](JsonValue) {
        any = true;
        return false;
    });
    return !any;
}

void read_claude_finished(JsonValue body, HookCall& call) {
    const auto response = object_in(body, "tool_response");
    if (response && flag_in(*response, "interrupted").value_or(false)) call.interrupted = true;
    // Some tools report to the model that they failed, and to the hook that they ran.
    std::string error = response ? text_in(*response, "error") : std::string{};
    if (!error.empty() && call.ok.value_or(true)) {
        fail(call);
        call.error = std::move(error);
    }
    if (!call.ok.value_or(true)) {
        classify_claude(call);
    } else if (response && is_unanswered(call, *response)) {
        set_class(call, "denied");
        call.error = "a question was not answered";
    } else if (!call.interrupted) {
        if (response) drop_receipt(*response, call);
        read_claude_mutation(body, call);
    }
}

void read_claude_batched(JsonValue json, HookCall& call) {
    if (const auto response = member(json, "tool_response")) call.result = result_text(*response);
    classify_claude(call);
    // A call that runs has a hook of its own besides, or is one that no hook is asked for.
    call.untold = !call.ok.has_value();
}

/// Claude leaves the message out where it has no words; the version that has this list has it.
bool has_no_words(JsonValue body, const Hook& hook) {
    const bool ends = hook.kind == HookKind::kStop || hook.kind == HookKind::kSubEnd;
    return ends && array_in(body, "background_tasks") && !member(body, "last_assistant_message");
}

/// The hook does not say when a limit is over, nor tells one of a plan from one of a minute; the
/// transcript does.
void add_record(const HookFacts& facts, Hook& hook) {
    if (facts.retry_at != core::kNever) hook.retry_at = facts.retry_at;
    if (!hook.status) hook.status = facts.error_status;
    if (hook.error_class == "rate_limit" && !facts.error_class.empty())
        hook.error_class = facts.error_class;
}

Hook parse_claude(JsonValue body, const HookFacts& facts) {
    Hook hook = parse_claude_like(body, read_claude_finished, read_claude_batched);
    hook.agent_version = facts.agent_version;
    if (hook.kind == HookKind::kError) add_record(facts, hook);
    if (has_no_words(body, hook)) hook.silent = true;
    // This dialog is the question itself: allowed without an answer, it would have none.
    hook.dialog = hook.kind == HookKind::kPermission && hook.call.tool != "AskUserQuestion";
    return hook;
}

constexpr std::array<std::string_view, 6> kClaudeContext{"PreToolUse",         "PostToolUse",
                                                         "PostToolUseFailure", "PostToolBatch",
                                                         "UserPromptSubmit",   "SubagentStart"};
/// Where `continue: false` ends the loop without harm. At PreToolUse it needs a refusal besides:
/// alone it ends the loop only after the call has run.
constexpr std::array<std::string_view, 3> kClaudeStop{"PostToolUse", "PostToolBatch",
                                                      "UserPromptSubmit"};

bool claude_takes_context(const Hook& hook) {
    return hook.kind != HookKind::kNone && std::find(kClaudeContext.begin(), kClaudeContext.end(),
                                                     hook.event) != kClaudeContext.end();
}

std::string render_claude_pre(const HookReply& reply) {
    ClaudeReply out;
    if (reply.stop_hard) {
        // 2.1.197 obeys the refusal only; the PostToolBatch behind it then ends the loop.
        out = {"deny", stop_words(reply), {}, {}, stop_words(reply)};
    } else if (refuses(reply) || reply.undecided) {
        out = {"deny", refusal_words(reply), {}, {}, {}};
    } else if (!reply.allow.empty() || !reply.edit_json.empty()) {
        out = {"allow", allow_words(reply), reply.edit_json, context_words(reply), {}};
    } else {
        out.context = context_words(reply);
    }
    return write_claude_reply("PreToolUse", out);
}

/// The agent's own dialog waits beside the hook, so no answer leaves the call to it.
std::string render_claude_permission(const HookReply& reply) {
    if (reply.stop_hard) return write_claude_permission("deny", stop_words(reply), true);
    if (refuses(reply)) return write_claude_permission("deny", refusal_words(reply));
    if (reply.undecided) return write_claude_permission({}, {});
    if (!reply.edit_json.empty()) return write_claude_permission("deny", edit_words(reply));
    return write_claude_permission(reply.allow.empty() ? "" : "allow", {});
}

std::string render_claude(const Hook& hook, const HookReply& reply) {
    if (hook.kind == HookKind::kNone) return std::string{kNothing};
    if (hook.kind == HookKind::kPre) return render_claude_pre(reply);
    if (hook.kind == HookKind::kPermission) return render_claude_permission(reply);
    if (const std::string why = go_on_words(hook, reply); !why.empty())
        return write_claude_block(why);
    ClaudeReply out;
    if (reply.stop_hard) {
        const bool ends =
            std::find(kClaudeStop.begin(), kClaudeStop.end(), hook.event) != kClaudeStop.end();
        if (ends) out.stop = stop_words(reply);
    } else if (claude_takes_context(hook)) {
        out.context = context_words(reply);
    }
    return write_claude_reply(hook.event, out);
}

}  // namespace

const Dialect kClaude{
    .name = "claude",
    .parse = parse_claude,
    .render = render_claude,
    .takes_context = claude_takes_context,
    .hold = kHoldOfADay,
    .hold_permission = kHoldOfADay,
    .has_call_ids = true,
    .reports_tokens = true,  // by headway-hook
    .reports_cost = false,
    .reports_rounds = true,
    .goes_on = true,
    .stops_hard = true,
};

}  // namespace headway::api::hooks
