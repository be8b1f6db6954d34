// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "api/hooks/dialects.hpp"
#include "api/hooks/read.hpp"
#include "api/hooks/reply.hpp"
#include "api/hooks/texts/background.hpp"
#include "api/hooks/texts/errors.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "core/views/digest.hpp"

// The neutral form itself, for plugins and clients of ours.

namespace headway::api::hooks {
namespace {

/// Whatever the agent's tools return; a text is itself.
std::string generic_text(JsonValue object, std::string_view name) {
    const auto found = member(object, name);
    if (!found) return {};
    if (found->kind() == JsonKind::kString) return found->redacted_text();
    std::string out;
    found->append_redacted_to(out);
    return out;
}

void read_generic_mutated(JsonValue json, HookCall& call) {
    const auto list = array_in(json, "mutated");
    if (!list) return;
    list->each([&](JsonValue item) {
        std::string path = path_in(item, "path");
        if (!path.empty()) call.mutated.push_back({std::move(path), name_in(item, "digest")});
        return call.mutated.size() < core::limits::kListItemsMax;
    });
}

bool is_given(JsonValue object, std::string_view name) {
    const auto found = member(object, name);
    return found && found->kind() != JsonKind::kNull;
}

bool is_text(JsonValue object, std::string_view name) {
    const auto found = member(object, name);
    return found && found->kind() == JsonKind::kString;
}

void read_generic_call(JsonValue json, HookCall& call) {
    call.tool = name_in(json, "tool");
    call.args = member(json, "args");
    call.call = name_in(json, "call");
    call.ok = flag_in(json, "ok");
    call.result = generic_text(json, "result");
    call.error = generic_text(json, "error");
    call.error_class = phrase_in(json, "class");
    call.duration_ms = count_in(json, "duration_ms");
    call.exit_code = count_in(json, "exit_code");
    read_generic_mutated(json, call);
    call.interrupted = call.error_class == "cancelled";
    // A word that is not known is no success.
    const bool unknown = (is_given(json, "ok") && !call.ok) ||
                         (is_given(json, "exit_code") && !call.exit_code) ||
                         (is_given(json, "class") && !is_text(json, "class"));
    const bool failed = !call.error.empty() || !call.error_class.empty() || unknown ||
                        call.exit_code.value_or(0) != 0;
    if (!call.ok && failed) call.ok = false;
    if (!call.ok.value_or(true)) fail(call);
}

void read_generic_calls(JsonValue body, Hook& hook) {
    const bool one = hook.kind == HookKind::kPre || hook.kind == HookKind::kPost ||
                     hook.kind == HookKind::kPermission || hook.kind == HookKind::kRequest;
    if (one) read_generic_call(body, hook.call);
    const bool named = hook.kind != HookKind::kPermission;
    if (one && named && hook.call.call.empty())
        hook.call.call = call_id_of(hook.call.tool, hook.call.args);
    if (hook.kind == HookKind::kQuestion) read_question(body, hook);
    const auto calls = hook.kind == HookKind::kBatch ? array_in(body, "calls") : std::nullopt;
    if (!calls) return;
    calls->each([&](JsonValue json) {
        if (json.kind() != JsonKind::kObject) return true;
        HookCall& call = hook.calls.emplace_back();
        read_generic_call(json, call);
        if (call.call.empty()) call.call = call_id_of(call.tool, call.args);
        call.untold = !call.ok && !member(json, "result");
        return true;
    });
}

void read_generic_usage(JsonValue body, Hook& hook) {
    const auto usage = object_in(body, "usage");
    if (!usage) return;
    core::Usage& out = hook.usage.emplace();
    out.input_tokens = count_in(*usage, "input_tokens").value_or(0);
    out.cached_tokens = count_in(*usage, "cached_tokens").value_or(0);
    out.cache_write_tokens = count_in(*usage, "cache_write_tokens").value_or(0);
    out.output_tokens = count_in(*usage, "output_tokens").value_or(0);
    out.reasoning_tokens = count_in(*usage, "reasoning_tokens").value_or(0);
    out.model = phrase_in(*usage, "model");
    if (out.model.empty()) out.model = hook.model;
    auto cost = member(*usage, "cost");
    if (!cost) cost = member(*usage, "cost_usd");
    // A cost that is not reported is unknown, and no cost is 0 where a client sends 0.
    const bool number = cost && cost->kind() >= JsonKind::kUnsigned &&
                        cost->kind() <= JsonKind::kNumber && cost->number() >= 0;
    if (number) out.cost_usd = cost->number();
}

/// Names of tasks; or their number, or whether there are any.
void read_generic_background(JsonValue body, Hook& hook) {
    constexpr std::string_view kUnnamed = "task";
    if (const auto names = array_in(body, "background")) {
        names->each([&](JsonValue name) {
            if (name.kind() == JsonKind::kString)
                hook.background.push_back(background_name(name.redacted_text(), {}));
            return hook.background.size() < core::limits::kListItemsMax;
        });
        return;
    }
    std::uint64_t count = flag_in(body, "background").value_or(false) ? 1 : 0;
    if (count == 0) count = count_in(body, "background").value_or(0);
    hook.background.assign(std::min<std::uint64_t>(count, core::limits::kListItemsMax),
                           std::string{kUnnamed});
}

void read_generic_error(JsonValue body, Hook& hook) {
    constexpr std::array<std::string_view, 2> kAborts{"MessageAbortedError", "AbortError"};
    hook.error_class = phrase_in(body, "class");
    if (hook.text.empty()) hook.text = text_in(body, "error");
    hook.status = status_in(body);
    if (!hook.status) hook.status = status_in_words(hook.text);
    hook.retryable = flag_in(body, "retryable");
    hook.ends_turn = flag_in(body, "ends_turn").value_or(true);
    read_reset(body, hook);
    const bool abort = std::find(kAborts.begin(), kAborts.end(), hook.error_class) != kAborts.end();
    if (abort) hook.kind = HookKind::kInterrupt;  // by a person: no error
}

/// An outcome that is not known is a failure.
void read_generic_outcome(JsonValue body, Hook& hook) {
    if (!is_given(body, "outcome")) return;
    hook.outcome = phrase_in(body, "outcome");
    core::Outcome known{};
    if (core::parse_name(hook.outcome, known)) return;
    const std::string why = "it ended with an outcome that is not known" +
                            (hook.outcome.empty() ? std::string{} : ": " + hook.outcome);
    hook.reason = hook.reason.empty() ? why : why + "; " + hook.reason;
    hook.outcome = core::name_of(core::Outcome::kFailed);
}

void read_generic_fields(JsonValue body, Hook& hook) {
    hook.agent = name_in(body, "agent");
    hook.agent_type = phrase_in(body, "agent_type");
    hook.cwd = path_in(body, "cwd");
    hook.any_cwd = true;
    hook.model = phrase_in(body, "model");
    hook.mode = name_in(body, "mode");
    hook.source = phrase_in(body, "source");
    hook.text = text_in(body, "text");
    const bool over = hook.kind == HookKind::kStop || hook.kind == HookKind::kSubEnd;
    hook.silent = over && is_empty_in(body, "text");
    hook.synthetic = flag_in(body, "synthetic").value_or(false);
    read_generic_background(body, hook);
    hook.reason = text_in(body, "reason");
    hook.free_reason = true;
    read_generic_outcome(body, hook);
    hook.hold_ms = count_in(body, "hold_ms");
    hook.unedited = !flag_in(body, "edits").value_or(true);
    hook.wordless = !flag_in(body, "words").value_or(true);
    hook.dialog = hook.kind == HookKind::kPermission && flag_in(body, "dialog").value_or(false);
    if (hook.kind == HookKind::kError) read_generic_error(body, hook);
    if (hook.kind != HookKind::kPrompt) return;
    hook.wake_up = flag_in(body, "wake_up").value_or(false) || is_made_prompt(hook.text);
    hook.synthetic = hook.synthetic || hook.wake_up;
    if (hook.text.empty()) hook.kind = HookKind::kTurn;
}

std::string event_id_in(JsonValue body) {
    std::string id = name_in(body, "event_id");
    const bool usable =
        id.size() <= core::limits::kIdBytesMax && !id.starts_with(core::kOwnEventIds);
    return usable ? id : std::string{};
}

Hook parse_generic(JsonValue body, const HookFacts& facts) {
    Hook hook;
    hook.event = name_in(body, "event");
    hook.event_id = event_id_in(body);
    hook.session = name_in(body, "session");
    hook.agent_version = phrase_in(body, "agent_version");
    if (hook.agent_version.empty()) hook.agent_version = facts.agent_version;
    if (hook.session.empty()) return hook;
    if (!core::parse_name(hook.event, hook.kind)) hook.kind = HookKind::kNone;
    // A session of its own to the agent, a sub-agent of its parent to us.
    hook.parent = name_in(body, "parent");
    if (!hook.parent.empty()) {
        hook.agent_id = hook.session;
        hook.session = hook.parent;
    }
    read_generic_fields(body, hook);
    read_generic_usage(body, hook);
    read_generic_calls(body, hook);
    return hook;
}

bool generic_takes_context(const Hook& hook) {
    return hook.kind != HookKind::kNone && !hook.wordless;
}

void write_generic_decision(JsonWriter& json, const Hook& hook, const HookReply& reply) {
    const bool silent = reply.undecided && hook.dialog;
    if (reply.stop_hard) {
        json.member("deny", stop_words(reply));
    } else if (refuses(reply) || (reply.undecided && !silent)) {
        HookReply words = reply;  // what there is to say has members of its own
        words.context.clear();
        words.system.clear();
        json.member("deny", refusal_words(words));
    } else if (!silent && hook.unedited && !reply.edit_json.empty()) {
        HookReply words = reply;
        words.context.clear();
        words.system.clear();
        json.member("deny", edit_words(words));
    } else if (!silent && (!reply.edit_json.empty() || !reply.allow.empty())) {
        if (!reply.edit_json.empty()) {
            json.key("edit");
            json.raw(reply.edit_json);
        }
        if (!reply.allow.empty()) json.member("allow", allow_words(reply));
    }
}

std::string render_generic(const Hook& hook, const HookReply& reply) {
    if (hook.kind == HookKind::kNone) return std::string{kNothing};
    std::string out;
    JsonWriter json{out};
    json.open_object();
    if (hook.kind == HookKind::kPre || hook.kind == HookKind::kPermission ||
        asks_person(hook.kind)) {
        write_generic_decision(json, hook, reply);
    }
    if (!reply.answer.empty()) json.member("answer", answer_words(reply));
    if (reply.stop_hard) {
        json.member("stop", stop_words(reply));
    } else if (!hook.wordless) {
        HookReply context = reply;
        context.system.clear();
        if (!reply.context.empty()) json.member("context", context_words(context));
        HookReply system = reply;
        system.context.clear();
        if (!reply.system.empty()) json.member("system", context_words(system));
    }
    json.close_object();
    return out;
}

}  // namespace

const Dialect kGeneric{
    .name = "generic",
    .pre_event = "pre",
    .parse = parse_generic,
    .render = render_generic,
    .takes_context = generic_takes_context,
    .hold = kHoldOfADay,
    .hold_permission = kHoldOfADay,
    .edits_in_dialog = true,
    .has_call_ids = true,
    .reports_tokens = true,
    .reports_cost = true,
    .reports_rounds = false,
    .stops_hard = true,
};

}  // namespace headway::api::hooks
