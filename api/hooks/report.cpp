// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/report.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json_writer.hpp"
#include "api/records/args_digest.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/calls/tool_class.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kDetailBytesMax = 256;

/// One event; `data(json)` writes the members of its data.
template <class Data>
void write_event(JsonWriter& json, std::string_view type, Data&& data) {
    json.open_object();
    json.member("type", type);
    json.key("data");
    json.open_object();
    data();
    json.close_object();
    json.close_object();
}

void write_text(JsonWriter& json, std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, text);
}

void write_args(JsonWriter& json, const HookCall& call) {
    if (!call.args) return;
    std::string args = call.call_args;
    if (args.empty()) call.args->append_to(args);
    json.key("args");
    json.raw(args);
}

void write_started(JsonWriter& json, const HookCall& call) {
    write_event(json, "tool.started", [&] {
        json.member("call_id", call.call);
        json.member("tool", call.tool);
        write_args(json, call);
    });
}

/// `folder`: where the agent stands, if known. The same shell command in another folder is another
/// question.
void write_finished(JsonWriter& json, const HookCall& call, std::string_view folder = {}) {
    const bool ok = call.ok.value_or(!call.untold);
    write_event(json, "tool.finished", [&] {
        json.member("tool", call.tool);
        if (!call.call.empty()) json.member("call_id", call.call);
        write_args(json, call);
        json.member("ok", ok);
        if (ok) {
            json.member("result", call.result);
        } else {
            json.key("error");
            json.open_object();
            write_text(json, "class", call.untold ? "denied" : call.error_class);
            json.member("message", call.untold ? call.result : call.error);
            json.close_object();
        }
        if (call.duration_ms) json.member("duration_ms", *call.duration_ms);
        if (ok && !call.mutated.empty()) json.member("mutated", call.mutated);
        if (!folder.empty() && core::class_of_tool(call.tool) == "class:shell")
            json.member("lane", core::cut_text(folder, core::limits::kStringBytesMax));
    });
}

void write_message(JsonWriter& json, std::string_view role, const std::string& text,
                   bool wake_up = false) {
    write_event(json, "message", [&] {
        json.member("role", role);
        json.member("text", text);
        if (wake_up) json.member("wake_up", true);
    });
}

void write_state(JsonWriter& json, std::string_view state, const std::string& detail) {
    write_event(json, "state.changed", [&] {
        json.member("state", state);
        write_text(json, "detail", detail);
    });
}

void write_beat(JsonWriter& json, const Hook& hook) {
    write_event(json, "heartbeat", [&] {
        if (hook.usage) json.member("usage", *hook.usage);
        const bool notes = hook.kind == HookKind::kNote || hook.kind == HookKind::kNone;
        if (notes && !hook.text.empty())
            json.member("note", core::cut_text(hook.text, core::limits::kStringBytesMax));
    });
}

/// The agent's turn is over, and this work goes on: also where that is none.
void write_idle(JsonWriter& json, const Hook& hook, std::string_view detail) {
    write_event(json, "state.changed", [&] {
        json.member("state", "idle");
        json.member("detail", detail);
        if (!hook.background.empty()) json.member("background", hook.background);
    });
}

/// Where the agent is at its prompt, or begins there. A start in the middle of a turn, after a
/// compaction, is a sign of life only.
void write_start(JsonWriter& json, const Hook& hook) {
    if (hook.source == "compact") return write_beat(json, hook);
    write_state(json, "idle", hook.source);
}

void write_stop(JsonWriter& json, const Hook& hook) {
    if (hook.usage) write_beat(json, hook);
    if (!hook.text.empty() || hook.silent) write_message(json, "assistant", hook.text);
    write_idle(json, hook, "its turn is over");
}

void write_error(JsonWriter& json, const Hook& hook) {
    write_event(json, "error.reported", [&] {
        json.member("message", hook.text);
        write_text(json, "class", hook.error_class);
        if (hook.status) json.member("status", *hook.status);
        if (hook.retryable) json.member("retryable", *hook.retryable);
        if (hook.retry_at != core::kNever) json.member("retry_at", hook.retry_at);
        if (hook.ends_turn) json.member("ends_turn", true);
    });
}

void write_compacted(JsonWriter& json, const Hook& hook) {
    write_event(json, "compacted", [&] {
        write_text(json, "trigger", hook.source);
        write_text(json, "summary", hook.text);
    });
}

void write_batch(JsonWriter& json, const Hook& hook) {
    for (const HookCall& call : hook.calls)
        write_finished(json, call);
    write_beat(json, hook);
}

void write_request(JsonWriter& json, const Hook& hook) {
    write_event(json, "approval.requested", [&] {
        write_text(json, "call_id", hook.call.call);
        if (hook.kind == HookKind::kQuestion) {
            json.member("kind", "question");
            json.member("summary", hook.text);
            if (!hook.options.empty()) json.member("options", hook.options);
            return;
        }
        json.member("tool", hook.call.tool);
        write_text(json, "summary", hook.text);
        write_args(json, hook.call);
    });
}

/// The text of a dialog, short enough for a line.
std::string detail_of(const Hook& hook) {
    const std::string_view text = core::trimmed(hook.text);
    return std::string{core::cut_text(text.substr(0, text.find('\n')), kDetailBytesMax)};
}

void write_events(JsonWriter& json, const Hook& hook) {
    switch (hook.kind) {
        case HookKind::kStart:
            return write_start(json, hook);
        case HookKind::kSubStart:
            return write_state(json, "processing_prompt", hook.agent_type);
        case HookKind::kPrompt:
            return write_message(json, hook.synthetic ? "system" : "user", hook.text,
                                 hook.synthetic && hook.wake_up);
        case HookKind::kPre:
            return write_started(json, hook.call);
        case HookKind::kPost:
            return write_finished(json, hook.call, hook.any_cwd ? "" : hook.cwd);
        case HookKind::kBatch:
            return write_batch(json, hook);
        case HookKind::kPermission:
            if (hook.before_rules) return write_beat(json, hook);
            return write_state(json, "awaiting_permission", hook.call.tool);
        case HookKind::kAsks:
            return write_state(json, "awaiting_permission", detail_of(hook));
        case HookKind::kAnswered:
            return write_state(json, "executing_tool", detail_of(hook));
        case HookKind::kInterrupt:
            return write_idle(json, hook, "interrupted");
        case HookKind::kIdle:
            return write_state(json, "idle", {});
        case HookKind::kSaid:
            return write_message(json, "assistant", hook.text);
        case HookKind::kStop:
        case HookKind::kSubEnd:
            return write_stop(json, hook);
        case HookKind::kError:
            return write_error(json, hook);
        case HookKind::kCompacted:
            return write_compacted(json, hook);
        case HookKind::kRequest:
        case HookKind::kQuestion:
            return write_request(json, hook);
        case HookKind::kStatus:
        case HookKind::kNone:
        case HookKind::kUsage:
        case HookKind::kTurn:
        case HookKind::kNote:
            return write_beat(json, hook);
        case HookKind::kEnd:
            // The agent tells of its error only by its end.
            if (!hook.error_class.empty()) write_error(json, hook);
            return;
    }
}

/// With its memory, which an assignment would keep.
template <class Content>
void drop(Content& content) {
    Content{}.swap(content);
}

/// Drops content that is in the events now.
void drop_content(HookCall& call) {
    call.args.reset();
    drop(call.call_args);
    drop(call.result);
    drop(call.error);
    drop(call.mutated);
}

/// A hook that waits is kept, for a day maybe, and so are many of them: without texts of any length
/// and lists, which an agent may put into every hook.
void drop_texts(Hook& hook) {
    drop(hook.text);
    drop(hook.reason);
    drop(hook.options);
    drop(hook.background);
    drop(hook.background_agents);
    drop(hook.wake_prompts);
}

/// One event stands for all of the hook, which are stored together: ids made for the others could
/// be ones that an agent gives. The last, since those before it may be left out.
void name_hook(std::vector<core::Event>& events, const std::string& id) {
    if (!events.empty()) events.back().event_id = id;
}

}  // namespace

/// The request of a dialog. A call that could not be shown to a person is left to the dialog.
std::optional<core::ApprovalRequested> dialog_of(JsonDocument& document, std::string_view text) {
    if (text.empty()) return std::nullopt;
    auto decoded = decode_report(document, text, BodyFormat::kJson);
    if (!decoded) return std::nullopt;
    HEADWAY_ASSERT(decoded->events.size() == 1);
    return std::get<core::ApprovalRequested>(std::move(decoded->events.front().payload));
}

core::Result<HookReport> take_report(JsonDocument& document, Hook& hook) {
    HookReport report;
    const bool waits = hook.kind == HookKind::kPre || hook.kind == HookKind::kPermission ||
                       hook.kind == HookKind::kRequest;
    if (waits) {
        report.args_digest = hook.call.args ? args_digest(*hook.call.args) : no_args_digest();
    }
    std::string text;
    JsonWriter json{text};
    json.open_array();
    write_events(json, hook);
    json.close_array();
    std::string asks;
    if (hook.dialog && !hook.call.tool.empty()) {
        JsonWriter request{asks};
        request.open_array();
        write_request(request, hook);
        request.close_array();
    }
    drop_content(hook.call);
    for (std::size_t place = 0; place < hook.calls.size(); ++place)
        if (hook.calls[place].untold) report.untold.push_back(place);
    drop(hook.calls);
    if (waits || hook.kind == HookKind::kQuestion) drop_texts(hook);
    const bool silent_end = hook.kind == HookKind::kEnd && hook.error_class.empty();
    if (silent_end) return report;
    HEADWAY_TRY(report.decoded, decode_report(document, text, BodyFormat::kJson));
    name_hook(report.decoded.events, hook.event_id);
    report.dialog = dialog_of(document, asks);
    // The dialog may show other arguments than those that run.
    if (report.dialog) report.args_digest = report.dialog->args_digest;
    return report;
}

}  // namespace headway::api::hooks
