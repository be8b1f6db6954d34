// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>
#include <utility>

#include "api/otlp/export.hpp"

// The JSON of OTLP: proto3's, with ids in hexadecimal
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).

namespace headway::api::otlp {
namespace {

std::optional<JsonValue> member(JsonValue object, std::string_view name, JsonKind kind) {
    std::optional<JsonValue> found;
    if (object.kind() != JsonKind::kObject) return found;
    object.each([&](JsonValue child) {
        if (child.key() == name && child.kind() == kind) found = child;
        return !found;
    });
    return found;
}

std::string text(JsonValue object, std::string_view name) {
    const auto found = member(object, name, JsonKind::kString);
    return found ? std::string{found->text()} : std::string{};
}

/// Exporters write 64-bit numbers as texts, and some as numbers.
std::uint64_t number(JsonValue object, std::string_view name) {
    if (const auto plain = member(object, name, JsonKind::kUnsigned))
        return plain->unsigned_integer();
    const std::string digits = text(object, name);
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    return read.ec == std::errc{} && read.ptr == end ? value : 0;
}

void append_json(std::string& out, JsonValue any);

void append_list(std::string& out, JsonValue values) {
    out.push_back('[');
    bool first = true;
    values.each([&](JsonValue child) {
        if (!std::exchange(first, false)) out.push_back(',');
        append_json(out, child);
        return true;
    });
    out.push_back(']');
}

void append_map(std::string& out, JsonValue values) {
    out.push_back('{');
    bool first = true;
    values.each([&](JsonValue child) {
        const auto key = member(child, "key", JsonKind::kString);
        const auto value = member(child, "value", JsonKind::kObject);
        if (!key || !value) return true;
        if (!std::exchange(first, false)) out.push_back(',');
        append_json_string(out, key->text());
        out.push_back(':');
        append_json(out, *value);
        return true;
    });
    out.push_back('}');
}

/// An AnyValue as JSON; as deep as the parser allowed.
void append_json(std::string& out, JsonValue any) {
    std::optional<JsonValue> value;
    if (any.kind() == JsonKind::kObject) {
        any.each([&](JsonValue child) {
            value = child;
            return false;
        });
    }
    if (!value) {
        out += "null";
    } else if (value->key() == "arrayValue") {
        const auto list = member(*value, "values", JsonKind::kArray);
        list ? append_list(out, *list) : void(out += "[]");
    } else if (value->key() == "kvlistValue") {
        const auto map = member(*value, "values", JsonKind::kArray);
        map ? append_map(out, *map) : void(out += "{}");
    } else if (value->key() == "intValue" && value->kind() == JsonKind::kString) {
        out += value->text();  // digits, or no number at all: both are texts where they are read
    } else {
        value->append_to(out);
    }
}

std::string value_text(JsonValue any) {
    if (const auto plain = member(any, "stringValue", JsonKind::kString))
        return std::string{plain->text()};
    std::string out;
    append_json(out, any);
    return out;
}

Attributes attributes_of(JsonValue holder) {
    Attributes out;
    const auto list = member(holder, "attributes", JsonKind::kArray);
    if (!list) return out;
    list->each([&](JsonValue child) {
        const auto key = member(child, "key", JsonKind::kString);
        const auto value = member(child, "value", JsonKind::kObject);
        if (key && value) out.push_back({std::string{key->text()}, value_text(*value)});
        return out.size() < kAttributesMax;
    });
    return out;
}

Record log_record(JsonValue json) {
    Record record;
    record.name = text(json, "eventName");
    if (const auto body = member(json, "body", JsonKind::kObject)) record.body = value_text(*body);
    record.ended_ns = number(json, "timeUnixNano");
    if (record.ended_ns == 0) record.ended_ns = number(json, "observedTimeUnixNano");
    record.began_ns = record.ended_ns;
    return record;
}

void read_exception(JsonValue span, Record& record) {
    const auto events = member(span, "events", JsonKind::kArray);
    if (!events) return;
    events->each([&](JsonValue event) {
        if (text(event, "name") == "exception")
            record.error = value_of(attributes_of(event), "exception.message");
        return record.error.empty();
    });
}

/// True for the codes UNSET and OK. A code that is not known is no success.
bool is_good_code(JsonValue code) {
    if (code.kind() == JsonKind::kNull) return true;
    if (code.kind() == JsonKind::kUnsigned) return code.unsigned_integer() <= 1;
    if (code.kind() != JsonKind::kString) return false;
    const std::string_view name = code.text();
    return name == "STATUS_CODE_UNSET" || name == "STATUS_CODE_OK" || name == "0" || name == "1";
}

bool has_failed(JsonValue status) {
    bool failed = false;
    status.each([&failed](JsonValue child) {
        if (child.key() == "code" && !is_good_code(child)) failed = true;
        return !failed;
    });
    return failed;
}

Record span_record(JsonValue json) {
    Record record;
    record.name = text(json, "name");
    record.parent_id = text(json, "parentSpanId");
    record.began_ns = number(json, "startTimeUnixNano");
    record.ended_ns = number(json, "endTimeUnixNano");
    if (const auto status = member(json, "status", JsonKind::kObject)) {
        record.failed = has_failed(*status);
        record.error = text(*status, "message");
    }
    if (record.failed && record.error.empty()) read_exception(json, record);
    return record;
}

struct Names {
    std::string_view sources;
    std::string_view scopes;
    std::string_view records;
};
constexpr Names kLogNames{"resourceLogs", "scopeLogs", "logRecords"};
constexpr Names kSpanNames{"resourceSpans", "scopeSpans", "spans"};

void read_scope(JsonValue scope, const Names& names, Signal signal, Export& out) {
    const auto records = member(scope, names.records, JsonKind::kArray);
    if (!records) return;
    records->each([&](JsonValue json) {
        if (out.records == kRecordsMax) {
            ++out.dropped;
            return true;
        }
        Record record = signal == Signal::kLogs ? log_record(json) : span_record(json);
        record.trace_id = text(json, "traceId");
        record.span_id = text(json, "spanId");
        record.attributes = attributes_of(json);
        out.sources.back().records.push_back(std::move(record));
        ++out.records;
        return true;
    });
}

}  // namespace

std::string_view value_of(const Attributes& attributes, std::string_view key) {
    for (const Attribute& attribute : attributes) {
        if (attribute.key == key) return attribute.value;
    }
    return {};
}

core::Result<Export> read_json(JsonValue body, Signal signal) {
    const Names& names = signal == Signal::kLogs ? kLogNames : kSpanNames;
    const auto sources = member(body, names.sources, JsonKind::kArray);
    const bool empty = body.kind() == JsonKind::kObject && body.size() == 0;
    if (!sources && !empty) {
        return core::Error{core::ErrorCode::kInvalidField,
                           "this is no export of OTLP, which has a list of this name",
                           "/" + std::string{names.sources}};
    }
    Export out;
    if (empty) return out;
    sources->each([&](JsonValue json) {
        Source& source = out.sources.emplace_back();
        if (const auto resource = member(json, "resource", JsonKind::kObject))
            source.attributes = attributes_of(*resource);
        if (const auto scopes = member(json, names.scopes, JsonKind::kArray)) {
            scopes->each([&](JsonValue scope) {
                read_scope(scope, names, signal, out);
                return true;
            });
        }
        return true;
    });
    return out;
}

}  // namespace headway::api::otlp
