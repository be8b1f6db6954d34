// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "agents/common/claude_like.hpp"
#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/mutation.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"

// Codex 0.169 to 0.171. Its hooks do not say how a call ended; the exit code is a fact from its
// rollout, and so is the error of its last turn, of which only SessionEnd comes.

namespace headway::api::hooks {
namespace {

/// `Exit code: 0`, how long it took, and the output: a call is compared by the last.
void strip_codex_header(HookCall& call) {
    call.exit_code = number_after(call.result, "Exit code: ");
    constexpr std::string_view kOutput = "\nOutput:\n";
    const std::size_t at = call.result.find(kOutput);
    if (call.exit_code && at < 200) call.result.erase(0, at + kOutput.size());
}

void read_codex_finished(JsonValue body, HookCall& call) {
    if (!call.ok.value_or(true)) return;  // it says so itself
    call.ok.reset();
    strip_codex_header(call);
    const auto input = object_in(body, "tool_input");
    const auto patch = input ? exact_in(*input, "command") : std::nullopt;
    // Words of a refusal stand where the output would; a command that ran has an exit code.
    if (!call.exit_code && says_refused(Refusing::kOfCodex, call.result)) {
        fail(call);
        call.error_class = "denied";
        return;
    }
    // It has this hook only if the patch could be applied.
    if (call.tool == "apply_patch") call.ok = true;
    if (call.tool == "apply_patch" && patch) add_patched(call.mutated, *patch);
}

/// The dialog has the reason of a command among its arguments, and a patch without its last line
/// end: back to what the call has before and after it runs.
void read_codex_dialog(Hook& hook) {
    HookCall& call = hook.call;
    const bool patch = call.tool == "apply_patch";
    if (!call.args || call.args->kind() != JsonKind::kObject) return;
    if (!patch && call.tool != "Bash") return;
    if (!patch) hook.text = text_in(*call.args, "description");
    JsonWriter json{call.call_args};
    json.open_object();
    call.args->each([&](JsonValue member) {
        if (!patch && member.key() == "description") return true;
        std::string value;
        member.append_to(value);
        const bool cut = patch && member.key() == "command" && member.kind() == JsonKind::kString &&
                         !member.text().ends_with('\n');
        if (cut) value.insert(value.size() - 1, "\\n");
        json.key(member.key());
        json.raw(value);
        return true;
    });
    json.close_object();
}

void read_nothing(JsonValue, HookCall&) {}

Hook parse_codex(JsonValue body, const HookFacts& facts) {
    Hook hook = parse_claude_like(body, read_codex_finished, read_nothing);
    hook.agent_version = facts.agent_version;
    hook.dialog = hook.kind == HookKind::kPermission;
    if (hook.dialog) read_codex_dialog(hook);
    if (hook.kind == HookKind::kEnd && !facts.error_class.empty()) {
        hook.error_class = facts.error_class;
        hook.status = facts.error_status;
        hook.retry_at = facts.retry_at;
        hook.ends_turn = true;
    }
    if (hook.kind != HookKind::kPost) return hook;
    HookCall& call = hook.call;
    if (facts.exit_code) call.exit_code = facts.exit_code;
    if (!call.exit_code) return hook;
    call.ok = *call.exit_code == 0;
    if (*call.ok) {
        call.error_class.clear();
        if (call.result.empty()) call.result = std::move(call.error);
        call.error.clear();
    } else {
        fail(call);
        call.mutated.clear();
    }
    return hook;
}

constexpr std::array<std::string_view, 4> kCodexContext{"SessionStart", "UserPromptSubmit",
                                                        "PreToolUse", "PostToolUse"};

bool codex_takes_context(const Hook& hook) {
    return hook.kind != HookKind::kNone &&
           std::find(kCodexContext.begin(), kCodexContext.end(), hook.event) != kCodexContext.end();
}

/// `continue: false` is ignored here, so that a stop is a refusal of every call.
std::string render_codex_pre(const HookReply& reply) {
    ClaudeReply out;
    // `codex exec` has no rules of its own that would ask a person, so no decision is a refusal.
    if (refuses(reply) || reply.undecided) {
        out = {"deny", refusal_words(reply), {}, {}, {}};
    } else {
        if (!reply.edit_json.empty()) out = {"allow", {}, reply.edit_json, {}, {}};
        out.context = context_words(reply);
    }
    return write_claude_reply("PreToolUse", out);
}

std::string render_codex_permission(const HookReply& reply) {
    if (refuses(reply)) return write_claude_permission("deny", refusal_words(reply));
    if (reply.undecided) return write_claude_permission({}, {});
    if (!reply.edit_json.empty()) return write_claude_permission("deny", edit_words(reply));
    return write_claude_permission(reply.allow.empty() ? "" : "allow", {});
}

std::string render_codex(const Hook& hook, const HookReply& reply) {
    if (hook.kind == HookKind::kPre) return render_codex_pre(reply);
    if (hook.kind == HookKind::kPermission) return render_codex_permission(reply);
    if (const std::string why = go_on_words(hook, reply); !why.empty())
        return write_claude_block(why);
    if (reply.stop_hard && hook.kind == HookKind::kPrompt) {
        return write_claude_block(stop_words(reply));
    }
    if (reply.stop_hard || !codex_takes_context(hook)) return std::string{kNothing};
    return write_claude_reply(hook.event, {{}, {}, {}, context_words(reply), {}});
}

}  // namespace

const Dialect kCodex{
    .name = "codex",
    .parse = parse_codex,
    .render = render_codex,
    .takes_context = codex_takes_context,
    .hold = kHoldOfADay,
    // The agent's own question is not shown while its hook runs.
    .hold_permission = core::Millis{30'000},
    .has_call_ids = true,
    .reports_tokens = true,  // by headway-hook
    .reports_cost = false,
    .reports_rounds = false,
    .goes_on = true,
    .stops_hard = false,
};

}  // namespace headway::api::hooks
