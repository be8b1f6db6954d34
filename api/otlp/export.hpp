// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"

// Telemetry of OpenTelemetry exporters (OTLP 1.x over HTTP), read from JSON or protobuf into one
// form. Only data about agents is kept; scopes, links and trace states are not.

namespace headway::api::otlp {

enum class Signal : std::uint8_t { kLogs, kTraces };

struct Attribute {
    std::string key;
    std::string value;  ///< a string unchanged, any other value as JSON
};
using Attributes = std::vector<Attribute>;

/// A log record or a finished span.
struct Record {
    std::string name;  ///< a log record's event, or the span's name
    std::string body;  ///< body of a log record, in the form of Attribute::value
    std::string trace_id;
    std::string span_id;
    std::string parent_id;  ///< id of the parent span; empty: the span has no parent
    std::uint64_t began_ns = 0;
    std::uint64_t ended_ns = 0;  ///< end of the span, or time of the log record
    bool failed = false;         ///< the span has a status other than UNSET and OK
    std::string error;           ///< message of the status or of the exception
    Attributes attributes;
};

/// Data of one process.
struct Source {
    Attributes attributes;
    std::vector<Record> records;
};

struct Export {
    std::vector<Source> sources;
    std::size_t records = 0;
    std::size_t dropped = 0;  ///< records beyond kRecordsMax
};

/// Maximum number of records: eight batches of a usual exporter, with 512 records each.
inline constexpr std::size_t kRecordsMax = 4'096;
/// Maximum number of attributes of a record; further attributes are skipped. The SDKs have the same
/// default limit (OTEL_ATTRIBUTE_COUNT_LIMIT).
inline constexpr std::size_t kAttributesMax = 128;

/// The value of attribute `key`; empty if absent.
std::string_view value_of(const Attributes& attributes, std::string_view key);

/// Reads an export from JSON. Unknown members are skipped, and members of a wrong type are taken as
/// absent. Texts stay exact: secrets are redacted only when records become events. Error:
/// kInvalidField if the body is not an export of this signal.
core::Result<Export> read_json(JsonValue body, Signal signal);

/// Like read_json(), for protobuf. Bytes that are not UTF-8 become U+FFFD, and NUL is left out.
/// Error: kInvalidField.
core::Result<Export> read_protobuf(std::string_view body, Signal signal);

}  // namespace headway::api::otlp
