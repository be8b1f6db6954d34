// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"

// Decodes the bodies of requests into events and arguments. The functions change only `document`,
// and only where it is not const: it is scratch memory that the caller reuses. Errors name the JSON
// pointer and the fix.

namespace headway::api {

enum class BodyFormat : std::uint8_t { kJson, kNdjson };

/// The arguments of a tool.started, for an event that cannot keep them whole because they are too
/// long or contain secrets.
struct WholeArgs {
    std::size_t place = 0;  ///< the event's place in the report
    std::string text;       ///< as received, for comparison; never stored
    std::string redacted;   ///< the same without secrets, for the person who decides
};

struct DecodedReport {
    std::vector<core::Event> events;
    std::vector<WholeArgs> whole_args;  ///< whole arguments of calls that may need approval
    bool batch = false;                 ///< the body is an array or NDJSON, so the reply lists the
                                        ///< number of every event
};

/// Decodes 1 to limits::kReportEventsMax events. Errors: kInvalidJson, kInvalidField,
/// kUnknownField, kMissingField, kTooManyEvents, kEmptyReport.
core::Result<DecodedReport> decode_report(JsonDocument& document, std::string_view body,
                                          BodyFormat format);

/// Decodes the event in the parsed `document`, as decode_report() does if a body has only one
/// event.
core::Result<core::Event> decode_event_of(const JsonDocument& document);

/// Decodes an event with an optional time of its own, `at`; without `at`, its time is kNever.
core::Result<core::Event> decode_recorded_event(JsonValue event);

/// Decodes a body that is the data of one heartbeat; an empty body means `{}`.
core::Result<DecodedReport> decode_heartbeat(JsonDocument& document, std::string_view body);

struct DecodedOpen {
    std::string id;  ///< the id in the body, or empty
    core::SessionStarted about;
    bool suggested = false;  ///< limits that `about` leaves unset are taken from expectations
};

/// An empty body means `{}`.
core::Result<DecodedOpen> decode_open(JsonDocument& document, std::string_view body);

/// A part of a past session, as a client has recorded it.
struct DecodedRecording {
    /// The opening, if this is the first part.
    std::optional<core::SessionStarted> about;
    core::Timestamp opened_at = core::kNever;  ///< time of the opening; kNever: now
    /// An event with the time kNever happened at the time of the event before it.
    std::vector<core::Event> events;
};

/// Reads an array of 1 to limits::kReportEventsMax events, each with or without `at`. Errors:
/// kInvalidJson, kInvalidField, kUnknownField, kMissingField, kTooManyEvents, kEmptyReport.
core::Result<DecodedRecording> decode_recording(JsonDocument& document, std::string_view body);

core::Result<core::SessionEnded> decode_end(JsonDocument& document, std::string_view body);

/// Decodes `{"reason"?}`; an empty body means `{}`.
core::Result<core::CancelRequested> decode_cancel(JsonDocument& document, std::string_view body);

/// Body of a pause, a resume or a nudge by an operator.
struct ControlBody {
    std::string text;  ///< the `reason` of a pause or a resume, or the `text` of a nudge
    std::string by;
};

/// Decodes `{"reason"?,"by"?}`; an empty body means `{}`.
core::Result<ControlBody> decode_pause(JsonDocument& document, std::string_view body);

/// Decodes `{"text","by"?}`.
core::Result<ControlBody> decode_nudge(JsonDocument& document, std::string_view body);

/// True if `id` can name a session: `[A-Za-z0-9._~:-]{1,128}`, except `.` and `..`.
bool valid_id(std::string_view id) noexcept;

/// The name of an agent as part of an id, at most 32 bytes, with `-` in place of characters that
/// are invalid in ids.
std::string id_part(std::string_view name);

}  // namespace headway::api
