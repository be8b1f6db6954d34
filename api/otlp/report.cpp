// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/report.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"

namespace headway::api::otlp {
namespace {

namespace limits = core::limits;

/// A century: more is a mistake, of which the call is not to blame.
constexpr std::uint64_t kDurationMsMax = 3'155'760'000'000;

/// Opens an event with its key and its data; close_event() ends it.
JsonWriter open_event(std::string& out, std::string_view type, const Said& record) {
    JsonWriter json{out};
    json.open_object();
    json.member("type", type);
    if (!record.key.empty()) json.member("event_id", record.key);
    json.key("data");
    json.open_object();
    return json;
}

void close_event(JsonWriter& json) {
    json.close_object();
    json.close_object();
}

/// The first value in a list of so many; nothing: it is none such.
std::optional<JsonValue> first_in(std::optional<JsonValue> list, std::size_t size) {
    std::optional<JsonValue> first;
    if (!list || list->kind() != JsonKind::kArray || list->size() != size) return first;
    list->each([&first](JsonValue child) {
        first = child;
        return false;
    });
    return first;
}

/// Whether it is one object, as deep as it will stand in the event and with as many values beside
/// it. A text that only begins like one, `{},{}` or `{}],[{}`, would break the event.
bool is_one_object(JsonDocument& document, const std::string& args) {
    constexpr std::string_view kBeside = ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]";
    constexpr std::size_t kValues = 17;  // with the arguments
    const std::string whole = std::string{"[[["}.append(args).append("]]").append(kBeside);
    if (!args.starts_with('{') || !document.parse(whole)) return false;
    const auto found = first_in(first_in(first_in(document.root(), kValues), 1), 1);
    return found && found->kind() == JsonKind::kObject;
}

/// Arguments are JSON in a text, or any other text.
void write_args(JsonWriter& json, JsonDocument& document, const std::string& args) {
    json.key("args");
    if (is_one_object(document, args)) return json.raw(args);
    json.open_object();
    json.member("input", args);
    json.close_object();
}

std::string short_id(const std::string& id) {
    return id.size() <= limits::kIdBytesMax ? id : core::to_hex(core::digest_of(id));
}

/// Two failures without a reason are the same only if the calls are.
std::string unknown_error(const SaidCall& call) {
    constexpr std::size_t kCallBytesMax = 200;  // enough to tell calls apart, and to read
    std::string out = "failed, without a reason in the telemetry";
    if (!call.args.empty()) out.append(": ").append(core::cut_text(call.args, kCallBytesMax));
    return out;
}

void write_call(std::string& out, JsonDocument& document, const Said& record) {
    const SaidCall& call = record.call;
    JsonWriter json = open_event(out, "tool.finished", record);
    json.member("tool", core::cut_text(call.tool, limits::kStringBytesMax));
    if (!call.id.empty()) json.member("call_id", short_id(call.id));
    if (call.args.empty()) {
        json.member("args_digest", record.key);
    } else {
        write_args(json, document, call.args);
    }
    json.member("ok", call.ok);
    if (!call.ok) {
        json.key("error");
        json.open_object();
        if (call.denied) json.member("class", "denied");
        json.member("message", call.error.empty() ? unknown_error(call) : call.error);
        json.close_object();
    } else if (call.result.empty()) {
        json.member("result_digest", record.key);
    } else {
        json.member("result", call.result);
    }
    if (call.duration_ms.value_or(kDurationMsMax) < kDurationMsMax)
        json.member("duration_ms", *call.duration_ms);
    close_event(json);
}

/// The model has answered. This is not a heartbeat: some of those in a row mean that nothing
/// happens.
void write_usage(std::string& out, const Said& record) {
    JsonWriter json = open_event(out, "message", record);
    json.member("role", "assistant");
    json.member("digest", record.key);
    json.member("usage", record.usage);
    close_event(json);
}

void write_prompt(std::string& out, const Said& record) {
    if (record.text.empty()) {
        JsonWriter json = open_event(out, "state.changed", record);
        json.member("state", "processing_prompt");
        return close_event(json);
    }
    JsonWriter json = open_event(out, "message", record);
    json.member("role", "user");
    json.member("text", record.text);
    close_event(json);
}

void write_error(std::string& out, const Said& record) {
    JsonWriter json = open_event(out, "error.reported", record);
    json.member("message", record.text.empty() ? "the model was not reached" : record.text);
    if (!record.error_class.empty()) json.member("class", record.error_class);
    if (record.status) json.member("status", *record.status);
    close_event(json);
}

void write_turn_end(std::string& out, const Said& record) {
    JsonWriter json = open_event(out, "state.changed", record);
    json.member("state", "idle");
    json.member("detail", "its turn is over");
    close_event(json);
}

core::Event end_of(const Said& record) {
    core::SessionEnded end;
    end.outcome = record.failed ? core::Outcome::kFailed : core::Outcome::kCompleted;
    end.reason = core::bounded_text(record.text);
    core::Event event;
    event.event_id = record.key;
    event.payload = std::move(end);
    return event;
}

core::Event beat() {
    core::Event event;
    event.payload = core::Heartbeat{};
    return event;
}

bool is_beat(const core::Event& event) {
    return event.event_id.empty();
}

/// Empty: only a sign of life, or a kRunEnd.
std::string event_text(JsonDocument& document, const Said& record) {
    std::string out;
    switch (record.kind) {
        case SaidKind::kCall:
            write_call(out, document, record);
            break;
        case SaidKind::kUsage:
            write_usage(out, record);
            break;
        case SaidKind::kPrompt:
            write_prompt(out, record);
            break;
        case SaidKind::kError:
            write_error(out, record);
            break;
        case SaidKind::kTurnEnd:
            write_turn_end(out, record);
            break;
        case SaidKind::kAlive:
        case SaidKind::kRunEnd:
            break;
    }
    return out;
}

void reject(Reports& reports, std::string why) {
    if (reports.rejected++ == 0) reports.why = std::move(why);
}

SessionReport* session_in(Reports& reports, const Said& record) {
    auto& sessions = reports.sessions;
    const auto found = std::find_if(sessions.begin(), sessions.end(), [&](const auto& known) {
        return known.session == record.session && known.sub_agent == record.sub_agent &&
               known.agent == record.agent;
    });
    if (found != sessions.end()) return &*found;
    if (sessions.size() == kSessionsMax) return nullptr;
    SessionReport& report = sessions.emplace_back();
    report.agent = record.agent;
    report.agent_version = record.agent_version;
    report.session = record.session;
    report.own_name = record.own_name;
    report.sub_agent = record.sub_agent;
    return &report;
}

void add(Reports& reports, JsonDocument& document, const Said& record) {
    if (record.beyond)
        return reject(reports, "the tokens or the cost of a record are none of one answer");
    SessionReport* const session = session_in(reports, record);
    if (session == nullptr)
        return reject(reports, "send records of at most " + std::to_string(kSessionsMax) +
                                   " sessions at once");
    if (session->model.empty()) session->model = record.model;
    const bool model_only = record.kind == SaidKind::kUsage || record.kind == SaidKind::kError;
    if (!record.by_trace || !model_only) session->opens = true;
    if (record.kind == SaidKind::kRunEnd) {
        session->events.push_back(end_of(record));
        return;
    }
    if (record.kind == SaidKind::kAlive) {
        if (session->events.empty()) session->events.push_back(beat());
        return;
    }
    const std::string text = event_text(document, record);
    auto decoded = decode_report(document, text, BodyFormat::kJson);
    if (!decoded) return reject(reports, decoded.error().field + ": " + decoded.error().detail);
    // A sign of life is said by anything else, too.
    if (session->events.size() == 1 && is_beat(session->events.front())) session->events.clear();
    std::move(decoded->events.begin(), decoded->events.end(), std::back_inserter(session->events));
}

}  // namespace

Reports report(JsonDocument& document, std::span<const Said> records) {
    Reports reports;
    for (const Said& one : records)
        add(reports, document, one);
    return reports;
}

}  // namespace headway::api::otlp
