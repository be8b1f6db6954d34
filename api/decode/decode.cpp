// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/decode/bodies.hpp"
#include "api/decode/decode_approvals.hpp"
#include "api/json/canonical_json.hpp"
#include "api/json/decode_fields.hpp"
#include "api/records/canonical.hpp"
#include "core/base/limits.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/text/suggest.hpp"
#include "core/text/words.hpp"
#include "core/values/policy.hpp"
#include "core/views/digest.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using fields::under;
using fields::wrong;

// Rules that one field cannot express.

template <class P>
Result<> check(const P&) {
    return {};
}

Result<> check(const core::Reflection& reflection) {
    const double confidence = reflection.confidence.value_or(0);
    if (confidence >= 0 && confidence <= 1) return {};
    return under(wrong("must be from 0 to 1"), "confidence");
}

Result<> check(const core::ProgressEstimated& progress) {
    if (progress.percent >= 0 && progress.percent <= 100) return {};
    return under(wrong("must be from 0 to 100"), "percent");
}

Result<> check_usage(const std::optional<core::Usage>& usage) {
    const double cost = usage ? usage->cost_usd.value_or(0) : 0;
    if (cost >= 0 && cost <= core::kMaxCostUsdMax) return {};
    return under(under(wrong("must be from 0 to 1000000"), "cost_usd"), "usage");
}

Result<> check(const core::Heartbeat& beat) {
    return check_usage(beat.usage);
}

Result<> check(const core::Message& message) {
    return check_usage(message.usage);
}

Result<> check(const core::ToolFinished& call) {
    return check_usage(call.usage);
}

Result<> check(const core::SessionEnded& end) {
    if (end.automatic) return under(wrong("is set by Headway; leave it out"), "automatic");
    if (!end.code.empty()) return under(wrong("is set by Headway; leave it out"), "code");
    if (end.outcome != core::Outcome::kHalted) return {};
    return under(
        wrong("must be one of completed, failed, cancelled, budget_exhausted; only Headway halts"),
        "outcome");
}

Result<> check(const core::ToolStarted& call) {
    if (call.call_id.empty())
        return under(wrong("must not be empty: it names this call"), "call_id");
    if (call.tool.empty()) return under(wrong("must not be empty"), "tool");
    return {};
}

Result<> decode_data(JsonValue json, core::Payload& payload) {
    return std::visit(
        [&json](auto& data) -> Result<> {
            HEADWAY_CHECK(fields::decode_object(json, data));
            return check(data);
        },
        payload);
}

Result<> require_defaults(core::Payload& payload) {
    // No data at all: the fields that are required are missing.
    if (std::holds_alternative<core::ApprovalRequested>(payload)) {
        return under(
            under(Error{ErrorCode::kMissingField, "is required for kind tool", {}}, "tool"),
            "data");
    }
    return std::visit(
        []<class P>(P&) -> Result<> {
            Result<> result;
            core::for_each_field<P>([&](const auto& field, std::size_t) {
                if (!field.required || !result) return;
                result = under(
                    under(Error{ErrorCode::kMissingField, "is required", {}}, field.name), "data");
            });
            return result;
        },
        payload);
}

/// Names of the first designs for the change that an event of ours makes.
struct OtherName {
    std::string_view name;
    std::string_view event;
};
constexpr std::array<OtherName, 6> kNamesOfDesigns{{{"tool_call", "tool.finished"},
                                                    {"tool_result", "tool.finished"},
                                                    {"reflection_complete", "reflection"},
                                                    {"plan_generated", "plan.updated"},
                                                    {"phase_transition", "phase.started"},
                                                    {"progress_estimate", "progress.estimated"}}};

std::string no_event_type(JsonValue json) {
    constexpr std::size_t kMeantBytesMax = 64;  // a longer word is no slip of the hand
    const auto& names = core::EnumNames<core::EventType>::kNames;
    std::string near;
    if (json.kind() == JsonKind::kString && json.text().size() <= kMeantBytesMax) {
        std::vector<std::string_view> known;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (core::reportable(static_cast<core::EventType>(i))) known.push_back(names[i]);
        for (const OtherName& other : kNamesOfDesigns) {
            if (json.text() == other.name)
                return "is the name of a change; report `" + std::string{other.event} + "`";
        }
        near = core::did_you_mean(json.text(), known);
    }
    return near.empty() ? "is no event type, such as heartbeat, tool.finished or message"
                        : "is no event type" + near;
}

Result<> decode_type(JsonValue json, core::Event& event) {
    core::EventType type{};
    if (json.kind() != JsonKind::kString || !core::parse_name(json.text(), type)) {
        return under(wrong(no_event_type(json)), "type");
    }
    if (!core::reportable(type)) {
        return under(wrong("is written by Headway only"), "type");
    }
    core::set_payload(event.payload, type);
    return {};
}

Result<> decode_attempt(JsonValue json, core::Event& event) {
    std::uint64_t attempt = 0;
    HEADWAY_CHECK(fields::decode(json, attempt));
    if (attempt < 1 || attempt > 1'000'000'000) return wrong("must be from 1 to 1000000000");
    event.attempt = static_cast<std::uint32_t>(attempt);
    return {};
}

/// The clock that sets the time of an event.
enum class TimeOf : std::uint8_t { kDaemon, kRecording };

Result<> decode_member(JsonValue member, TimeOf time, core::Event& event) {
    const std::string_view name = member.key();
    if (name == "type" || name == "data") return {};
    if (member.kind() == JsonKind::kNull) return {};
    if (name == "at" && time == TimeOf::kRecording) return fields::decode(member, event.at);
    if (name == "event_id") {
        HEADWAY_CHECK(fields::decode_exact(member, event.event_id));
        if (event.event_id.empty() || event.event_id.size() > core::limits::kIdBytesMax) {
            return wrong("must be 1 to 128 bytes");
        }
        if (event.event_id.starts_with(core::kOwnEventIds))
            return wrong("must not begin with \"headway:\", as the daemon's own do");
        return fields::check_no_nul(event.event_id);
    }
    if (name == "attempt") return decode_attempt(member, event);
    if (name == "n" || name == "at" || name == "session") {
        return Error{ErrorCode::kUnknownField, "is set by Headway; leave it out", {}};
    }
    if (name == "events") {
        return Error{
            ErrorCode::kUnknownField,
            "unknown field; the body of several events is the array itself: [{\"type\":...}, ...]",
            {}};
    }
    return Error{
        ErrorCode::kUnknownField,
        "unknown field; known are type, data, event_id, attempt (fields of the event go into data)",
        {}};
}

/// Adds the parts that only the JSON of the data can give: fingerprints and digests, and arguments
/// that were cut.
Result<> complete(JsonValue data, DecodedReport& report) {
    core::Event& event = report.events.back();
    if (auto* call = std::get_if<core::ToolFinished>(&event.payload)) {
        const bool fails = call->error && *call->error != core::ToolError{};
        if (fails && !member(data, "ok")) call->ok = false;
        call->fingerprint = fingerprint_of(data, *call);
        keep_exact_args(data, *call->fingerprint);
    } else if (auto* asked = std::get_if<core::ApprovalRequested>(&event.payload)) {
        return complete_request(data, *asked);
    } else if (const auto* started = std::get_if<core::ToolStarted>(&event.payload)) {
        // A call that needs approval is bound to the arguments as they came.
        const bool redacted = started->args.kept.find(core::kRedacted) != std::string::npos;
        if (started->args.whole() && !redacted) return {};
        WholeArgs& whole = report.whole_args.emplace_back();
        whole.place = report.events.size() - 1;
        data.each([&whole](JsonValue member) {
            if (member.key() != "args") return true;
            member.append_to(whole.text);
            member.append_redacted_to(whole.redacted);
            return false;
        });
    }
    return {};
}

/// Into a new event at the end of the report.
Result<> decode_event(JsonValue json, DecodedReport& report, TimeOf time = TimeOf::kDaemon) {
    core::Event& event = report.events.emplace_back();
    if (json.kind() != JsonKind::kObject) return wrong("an event must be an object");
    std::optional<JsonValue> type;
    std::optional<JsonValue> data;
    Result<> result;
    json.each([&](JsonValue member) {
        if (member.key() == "type") type = member;
        if (member.key() == "data" && member.kind() != JsonKind::kNull) data = member;
        result = decode_member(member, time, event);
        if (!result) result = under(result.error(), member.key());
        return result.has_value();
    });
    HEADWAY_CHECK(result);
    if (!type) return under(Error{ErrorCode::kMissingField, "is required", {}}, "type");
    HEADWAY_CHECK(decode_type(*type, event));
    if (!data) return require_defaults(event.payload);
    auto decoded = decode_data(*data, event.payload);
    if (decoded) decoded = complete(*data, report);
    if (!decoded) return under(std::move(decoded).error(), "data");
    return {};
}

Error too_many() {
    return {ErrorCode::kTooManyEvents,
            "a report holds at most " + std::to_string(core::limits::kReportEventsMax) +
                " events; send several reports",
            {}};
}

Error no_events() {
    return {ErrorCode::kEmptyReport, "a report holds at least one event", {}};
}

Result<DecodedReport> decode_array(JsonValue array) {
    if (array.size() > core::limits::kReportEventsMax) return too_many();
    if (array.size() == 0) return no_events();
    DecodedReport report;
    report.batch = true;
    report.events.reserve(array.size());
    Result<> result;
    array.each([&](JsonValue item) {
        result = decode_event(item, report);
        if (!result) {
            result = under(result.error(), std::to_string(report.events.size() - 1));
        }
        return result.has_value();
    });
    HEADWAY_CHECK(result);
    return report;
}

Result<DecodedReport> decode_lines(JsonDocument& document, std::string_view body) {
    DecodedReport report;
    report.batch = true;
    for (std::size_t number = 1; !body.empty(); ++number) {
        const std::string_view line = body.substr(0, body.find('\n'));
        body.remove_prefix(std::min(body.size(), line.size() + 1));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (report.events.size() == core::limits::kReportEventsMax) return too_many();
        auto decoded = document.parse(line);
        if (decoded) decoded = decode_event(document.root(), report);
        if (!decoded) {
            Error error = under(std::move(decoded).error(), std::to_string(number - 1));
            error.detail = "line " + std::to_string(number) + ": " + error.detail;
            return error;
        }
    }
    if (report.events.empty()) return no_events();
    return report;
}

/// An absent body stands for an object without members.
Result<> parse_object(JsonDocument& document, std::string_view body) {
    return document.parse(body.empty() ? std::string_view{"{}"} : body);
}

}  // namespace

Result<DecodedReport> decode_report(JsonDocument& document, std::string_view body,
                                    BodyFormat format) {
    if (format == BodyFormat::kNdjson) return decode_lines(document, body);
    HEADWAY_CHECK(document.parse(body));
    if (document.root().kind() == JsonKind::kArray) return decode_array(document.root());
    DecodedReport report;
    HEADWAY_CHECK(decode_event(document.root(), report));
    return report;
}

Result<core::Event> decode_event_of(const JsonDocument& document) {
    DecodedReport report;
    HEADWAY_CHECK(decode_event(document.root(), report));
    return std::move(report.events.front());
}

Result<core::Event> decode_recorded_event(JsonValue event) {
    DecodedReport report;
    HEADWAY_CHECK(decode_event(event, report, TimeOf::kRecording));
    return std::move(report.events.front());
}

Result<DecodedReport> decode_heartbeat(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(parse_object(document, body));
    DecodedReport report;
    core::Event& event = report.events.emplace_back();
    event.payload = core::Heartbeat{};
    HEADWAY_CHECK(decode_data(document.root(), event.payload));
    return report;
}

Result<core::SessionEnded> decode_end(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(parse_object(document, body));
    core::SessionEnded end;
    HEADWAY_CHECK(fields::decode_object(document.root(), end));
    HEADWAY_CHECK(check(end));
    return end;
}

Result<core::CancelRequested> decode_cancel(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(parse_object(document, body));
    core::CancelRequested cancel;
    HEADWAY_CHECK(fields::decode_object(document.root(), cancel));
    return cancel;
}

Result<ControlBody> decode_pause(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(parse_object(document, body));
    PauseBody pause;
    HEADWAY_CHECK(fields::decode_object(document.root(), pause));
    return ControlBody{std::move(pause.reason), std::move(pause.by)};
}

Result<ControlBody> decode_nudge(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(parse_object(document, body));
    NudgeBody nudge;
    HEADWAY_CHECK(fields::decode_object(document.root(), nudge));
    if (nudge.text.find_first_not_of(" \t\r\n") == std::string::npos)
        return under(wrong("must say something"), "text");
    return ControlBody{std::move(nudge.text), std::move(nudge.by)};
}

bool valid_id(std::string_view id) noexcept {
    return core::is_id(id);
}

std::string id_part(std::string_view name) {
    constexpr std::size_t kBytesMax = 32;  // the agent's own id has to fit behind it
    std::string out{name.substr(0, kBytesMax)};
    for (char& c : out) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') c = '-';
    }
    return out.empty() ? "agent" : out;
}

}  // namespace headway::api
