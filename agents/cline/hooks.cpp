// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/hooks/texts/refusals.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"

// Cline 3.0. Its hooks are executables in one folder.

namespace headway::api::hooks {
namespace {

HookKind cline_kind(std::string_view event, bool sub_agent) {
    if (event == "tool_call") return HookKind::kPre;
    if (event == "tool_result") return HookKind::kPost;
    const bool starts = event == "agent_start" || event == "agent_resume";
    if (starts) return sub_agent ? HookKind::kSubStart : HookKind::kStart;
    if (event == "agent_end") return sub_agent ? HookKind::kSubEnd : HookKind::kStop;
    if (event == "agent_error") return HookKind::kError;
    if (event == "agent_abort") return sub_agent ? HookKind::kNone : HookKind::kInterrupt;
    if (event == "session_shutdown") return HookKind::kEnd;
    return HookKind::kNone;
}

/// Events that are nothing to report.
bool says_nothing(std::string_view event) {
    return event == "prompt_submit" || event == "pre_compact" || event == "agent_abort";
}

/// Every agent has an id; only that of a sub-agent has a parent. A sub-agent has a task of its own
/// in the same session.
void read_cline_place(JsonValue body, Hook& hook) {
    if (const auto context = object_in(body, "sessionContext")) {
        hook.session = name_in(*context, "rootSessionId");
    }
    if (hook.session.empty()) hook.session = name_in(body, "taskId");
    hook.parent = name_in(body, "parent_agent_id");
    if (!hook.parent.empty()) hook.agent_id = name_in(body, "agent_id");
    if (const auto workspace = object_in(body, "workspaceInfo")) {
        hook.cwd = path_in(*workspace, "rootPath");
    }
    hook.agent_version = phrase_in(body, "clineVersion");
    hook.round = count_in(body, "iteration");
}

/// `{query, result, success}` of each command of a call, whose success the agent calls its own.
void read_cline_output(JsonValue output, HookCall& call) {
    bool has_output = output.kind() == JsonKind::kArray && output.size() > 0;
    has_output = has_output &&
                 output.each([](JsonValue item) { return exact_in(item, "result").has_value(); });
    if (!has_output) {
        call.result = result_text(output);
        return;
    }
    bool failed = false;
    output.each([&](JsonValue item) {
        if (!call.result.empty() && call.result.back() != '\n') call.result.push_back('\n');
        call.result += text_in(item, "result");
        failed = failed || !flag_in(item, "success").value_or(true);
        if (const auto code =
                number_after(exact_in(item, "error").value_or(""), "Command exited with code ")) {
            call.exit_code = code;
        }
        return true;
    });
    if (failed) fail(call);
}

void read_cline_call(JsonValue body, Hook& hook) {
    const bool pre = hook.kind == HookKind::kPre;
    const auto json = object_in(body, pre ? "tool_call" : "tool_result");
    if (!json) return;
    HookCall& call = hook.call;
    call.tool = name_in(*json, "name");
    call.args = member(*json, "input");
    call.call = name_in(*json, "id");
    if (call.call.empty()) call.call = call_id_of(call.tool, call.args);
    if (pre) return;
    call.duration_ms = count_in(*json, "durationMs");
    const auto summary = object_in(body, "postToolUse");
    call.ok = !summary || flag_in(*summary, "success").value_or(true);
    if (const auto output = member(*json, "output")) read_cline_output(*output, call);
    call.error += call.error.empty() ? text_in(*json, "error") : "";
    if (!call.error.empty() || !*call.ok) fail(call);
    if (!*call.ok && !call.exit_code && says_refused(Refusing::kOfCline, call.error))
        call.error_class = "denied";
}

/// Cline reports some refusals of the provider as an abort, with the refusal as its reason.
void read_cline_abort(JsonValue body, Hook& hook) {
    hook.status = status_in_words(text_in(body, "reason"));
    if (!hook.status) return;
    hook.kind = HookKind::kError;
    hook.text = text_in(body, "reason");
    read_reset(body, hook);
    hook.ends_turn = true;
}

/// Its words stand where those of the turn would.
void read_cline_error(JsonValue body, Hook& hook) {
    std::string turn;
    std::swap(turn, hook.text);
    if (const auto error = member(body, "error")) read_error(*error, hook);
    if (hook.text.empty()) hook.text = std::move(turn);
    if (!hook.status) hook.status = status_in_words(hook.text);
    read_reset(body, hook);
    hook.ends_turn = true;
}

Hook parse_cline(JsonValue body, const HookFacts& facts) {
    Hook hook;
    hook.event = name_in(body, "hookName");
    read_cline_place(body, hook);
    if (hook.agent_version.empty()) hook.agent_version = facts.agent_version;
    if (hook.session.empty()) return hook;
    hook.kind = cline_kind(hook.event, !hook.agent_id.empty());
    const bool calls = hook.kind == HookKind::kPre || hook.kind == HookKind::kPost;
    if (calls) read_cline_call(body, hook);
    if (const auto turn = object_in(body, "turn")) {
        hook.text = text_in(*turn, "outputText");
        hook.outcome = phrase_in(*turn, "status");
    }
    if (hook.kind == HookKind::kNone) {
        hook.text.clear();
        if (!says_nothing(hook.event)) note_unknown(body, hook);
    }
    if (hook.kind == HookKind::kError) read_cline_error(body, hook);
    if (hook.kind == HookKind::kInterrupt) read_cline_abort(body, hook);
    // The run was ended by a person, or by its own guard: no result.
    if (hook.kind == HookKind::kStop && hook.outcome == "aborted") hook.kind = HookKind::kInterrupt;
    return hook;
}

bool cline_takes_context(const Hook& hook) {
    return hook.kind == HookKind::kPre || hook.kind == HookKind::kPost;
}

/// There is no refusal of one call: `cancel` ends the run.
std::string render_cline(const Hook& hook, const HookReply& reply) {
    const bool pre = hook.kind == HookKind::kPre;
    std::string out;
    JsonWriter json{out};
    json.open_object();
    if (pre && (refuses(reply) || reply.undecided)) {
        json.member("cancel", true);
    } else if (cline_takes_context(hook) && !reply.stop_hard) {
        if (pre && !reply.edit_json.empty()) {
            json.key("overrideInput");
            json.raw(reply.edit_json);
        }
        const std::string words = context_words(reply);
        if (!words.empty()) json.member("context", words);
    }
    json.close_object();
    return out;
}

}  // namespace

const Dialect kCline{
    .name = "cline",
    .pre_event = "tool_call",
    .parse = parse_cline,
    .render = render_cline,
    .takes_context = cline_takes_context,
    .hold = kHoldOfADay,
    .hold_permission = core::Millis{0},
    .has_call_ids = true,
    .reports_tokens = false,
    .reports_cost = false,
    .reports_rounds = true,
    .stops_hard = true,
};

}  // namespace headway::api::hooks
