// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decode/bodies.hpp"
#include "api/decode/check_policy.hpp"
#include "api/decode/decode.hpp"
#include "api/json/decode_fields.hpp"
#include "core/base/limits.hpp"

// The opening of a session, and sessions of the past.

namespace headway::api {
using core::Error;
using core::ErrorCode;
using core::Result;
using fields::under;
using fields::wrong;

namespace {

/// Stored sorted, so that the same labels in another order are the same opening.
void sort_labels(std::vector<core::Label>& labels) {
    std::sort(labels.begin(), labels.end(),
              [](const core::Label& a, const core::Label& b) { return a.key < b.key; });
}

constexpr std::string_view kOpeningType = "session.started";

bool is_opening(JsonValue event) {
    bool opening = false;
    event.each([&opening](JsonValue member) {
        if (member.key() == "type")
            opening = member.kind() == JsonKind::kString && member.text() == kOpeningType;
        return true;
    });
    return opening;
}

Result<> decode_opening(JsonValue event, DecodedRecording& recording) {
    RecordedOpening opening;
    HEADWAY_CHECK(fields::decode_object(event, opening));
    RecordedAbout& data = opening.data;
    if (!data.parent.empty() && !valid_id(data.parent))
        return under(
            under(wrong("must be a session id: 1 to 128 of A-Z a-z 0-9 . _ ~ : -"), "parent"),
            "data");
    recording.opened_at = opening.at;
    core::SessionStarted& about = recording.about.emplace();
    about.goal = std::move(data.goal);
    about.agent = std::move(data.agent);
    about.parent = std::move(data.parent);
    about.labels = std::move(data.labels);
    sort_labels(about.labels);
    about.recorded = true;
    return {};
}

Result<> decode_one(JsonValue event, DecodedRecording& recording) {
    if (event.kind() != JsonKind::kObject) return wrong("an event must be an object");
    if (is_opening(event)) {
        if (recording.about || !recording.events.empty())
            return under(wrong("session.started is the first event"), "type");
        return decode_opening(event, recording);
    }
    HEADWAY_TRY(core::Event decoded, decode_recorded_event(event));
    if (std::holds_alternative<core::ApprovalRequested>(decoded.payload))
        return under(wrong("must not be approval.requested: no person decides about the past"),
                     "type");
    recording.events.push_back(std::move(decoded));
    return {};
}

}  // namespace

Result<DecodedOpen> decode_open(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    OpenBody open;
    if (auto decoded = fields::decode_object(document.root(), open); !decoded) {
        core::Error error = std::move(decoded).error();
        if (error.field == "/policy/risk")
            error.detail =
                "is gone: the learned risk told no more than the number of calls; leave it out";
        return error;
    }
    if (auto checked = check_policy(open.policy); !checked) {
        return under(std::move(checked).error(), "policy");
    }
    if (!open.parent.empty() && !valid_id(open.parent)) {
        return under(wrong("must be a session id: 1 to 128 of A-Z a-z 0-9 . _ ~ : -"), "parent");
    }
    if (!open.id.empty() && !valid_id(open.id)) {
        return Error{ErrorCode::kInvalidId,
                     "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..", "/id"};
    }
    DecodedOpen decoded;
    decoded.id = std::move(open.id);
    decoded.about.goal = std::move(open.goal);
    decoded.about.agent = std::move(open.agent);
    decoded.about.parent = std::move(open.parent);
    decoded.about.labels = std::move(open.labels);
    decoded.about.policy = open.policy;
    const OpenBudget& budget = open.budget;
    decoded.about.budget = {budget.timeout_seconds, budget.max_steps, budget.max_tokens,
                            budget.max_cost_usd};
    decoded.about.complexity = open.complexity;
    decoded.suggested = open.budget.suggested;
    sort_labels(decoded.about.labels);
    return decoded;
}

Result<DecodedRecording> decode_recording(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body));
    const JsonValue root = document.root();
    if (root.kind() != JsonKind::kArray)
        return wrong("must be an array of events, each with type, at, event_id and data");
    if (root.size() > core::limits::kReportEventsMax)
        return Error{ErrorCode::kTooManyEvents,
                     "a part holds at most " + std::to_string(core::limits::kReportEventsMax) +
                         " events; send several parts",
                     {}};
    if (root.size() == 0)
        return Error{ErrorCode::kEmptyReport, "a part holds at least one event", {}};
    DecodedRecording recording;
    std::size_t place = 0;
    Result<> result;
    root.each([&](JsonValue event) {
        result = decode_one(event, recording);
        if (!result) result = under(result.error(), std::to_string(place));
        ++place;
        return result.has_value();
    });
    HEADWAY_CHECK(result);
    return recording;
}

}  // namespace headway::api
