// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>

#include "api/otlp/export.hpp"
#include "api/text/plain_text.hpp"

// The numbers are those of opentelemetry/proto/{common,resource,logs,trace}/v1.

namespace headway::api::otlp {
namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// AnyValue nests; deeper ones than those of JSON bodies are null.
constexpr int kDepthMax = 16;

std::string_view view(data_view data) {
    return {data.data(), data.size()};
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    constexpr std::size_t kIdBytes = 16;  // of a trace; a span has 8
    std::string out;
    for (const char c : bytes.substr(0, kIdBytes)) {
        out.push_back(kDigits[static_cast<unsigned char>(c) >> 4U]);
        out.push_back(kDigits[static_cast<unsigned char>(c) & 15U]);
    }
    return out;
}

std::string number(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
}

void append_json(std::string& out, data_view any, int depth);

void append_list(std::string& out, pbf_reader list, int depth) {
    out.push_back('[');
    bool first = true;
    while (list.next(1, pbf_wire_type::length_delimited)) {
        if (!std::exchange(first, false)) out.push_back(',');
        append_json(out, list.get_view(), depth);
    }
    out.push_back(']');
}

void append_map(std::string& out, pbf_reader map, int depth) {
    out.push_back('{');
    bool first = true;
    while (map.next(1, pbf_wire_type::length_delimited)) {
        pbf_reader pair = map.get_message();
        std::string key;
        data_view value{};
        while (pair.next()) {
            switch (pair.tag_and_type()) {
                case tag_and_type(1, pbf_wire_type::length_delimited):
                    key = as_utf8(view(pair.get_view()));
                    break;
                case tag_and_type(2, pbf_wire_type::length_delimited):
                    value = pair.get_view();
                    break;
                default:
                    pair.skip();
            }
        }
        if (!std::exchange(first, false)) out.push_back(',');
        append_json_string(out, key);
        out.push_back(':');
        append_json(out, value, depth);
    }
    out.push_back('}');
}

void append_json(std::string& out, data_view any, int depth) {
    pbf_reader value{any};
    if (depth == kDepthMax || !value.next()) {
        out += "null";
        return;
    }
    switch (value.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::length_delimited):
        case tag_and_type(7, pbf_wire_type::length_delimited):
            append_json_string(out, as_utf8(view(value.get_view())));
            break;
        case tag_and_type(2, pbf_wire_type::varint):
            out += value.get_bool() ? "true" : "false";
            break;
        case tag_and_type(3, pbf_wire_type::varint):
            out += std::to_string(value.get_int64());
            break;
        case tag_and_type(4, pbf_wire_type::fixed64):
            out += number(value.get_double());
            break;
        case tag_and_type(5, pbf_wire_type::length_delimited):
            append_list(out, value.get_message(), depth + 1);
            break;
        case tag_and_type(6, pbf_wire_type::length_delimited):
            append_map(out, value.get_message(), depth + 1);
            break;
        default:
            out += "null";
    }
}

std::string value_text(data_view any) {
    pbf_reader value{any};
    if (value.next() && value.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited))
        return as_utf8(view(value.get_view()));
    std::string out;
    append_json(out, any, 0);
    return out;
}

void add_attribute(pbf_reader pair, Attributes& out) {
    if (out.size() == kAttributesMax) return;
    Attribute attribute;
    while (pair.next()) {
        switch (pair.tag_and_type()) {
            case tag_and_type(1, pbf_wire_type::length_delimited):
                attribute.key = as_utf8(view(pair.get_view()));
                break;
            case tag_and_type(2, pbf_wire_type::length_delimited):
                attribute.value = value_text(pair.get_view());
                break;
            default:
                pair.skip();
        }
    }
    out.push_back(std::move(attribute));
}

Record log_record(pbf_reader message) {
    Record record;
    std::uint64_t observed_ns = 0;
    while (message.next()) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, pbf_wire_type::fixed64):
                record.ended_ns = message.get_fixed64();
                break;
            case tag_and_type(11, pbf_wire_type::fixed64):
                observed_ns = message.get_fixed64();
                break;
            case tag_and_type(5, pbf_wire_type::length_delimited):
                record.body = value_text(message.get_view());
                break;
            case tag_and_type(6, pbf_wire_type::length_delimited):
                add_attribute(message.get_message(), record.attributes);
                break;
            case tag_and_type(9, pbf_wire_type::length_delimited):
                record.trace_id = hex(view(message.get_view()));
                break;
            case tag_and_type(10, pbf_wire_type::length_delimited):
                record.span_id = hex(view(message.get_view()));
                break;
            case tag_and_type(12, pbf_wire_type::length_delimited):
                record.name = as_utf8(view(message.get_view()));
                break;
            default:
                message.skip();
        }
    }
    if (record.ended_ns == 0) record.ended_ns = observed_ns;
    record.began_ns = record.ended_ns;
    return record;
}

/// UNSET or OK. A code that is not known is no success.
bool is_good_code(std::int32_t code) {
    return code == 0 || code == 1;
}

void read_status(pbf_reader status, Record& record) {
    while (status.next()) {
        switch (status.tag_and_type()) {
            case tag_and_type(2, pbf_wire_type::length_delimited):
                record.error = as_utf8(view(status.get_view()));
                break;
            case tag_and_type(3, pbf_wire_type::varint):
                record.failed |= !is_good_code(status.get_int32());
                break;
            default:
                status.skip();
        }
    }
}

std::string exception_of(pbf_reader event) {
    bool exception = false;
    Attributes attributes;
    while (event.next()) {
        switch (event.tag_and_type()) {
            case tag_and_type(2, pbf_wire_type::length_delimited):
                exception = view(event.get_view()) == "exception";
                break;
            case tag_and_type(3, pbf_wire_type::length_delimited):
                add_attribute(event.get_message(), attributes);
                break;
            default:
                event.skip();
        }
    }
    return exception ? std::string{value_of(attributes, "exception.message")} : std::string{};
}

Record span_record(pbf_reader message) {
    Record record;
    std::string exception;
    while (message.next()) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, pbf_wire_type::length_delimited):
                record.trace_id = hex(view(message.get_view()));
                break;
            case tag_and_type(2, pbf_wire_type::length_delimited):
                record.span_id = hex(view(message.get_view()));
                break;
            case tag_and_type(4, pbf_wire_type::length_delimited):
                record.parent_id = hex(view(message.get_view()));
                break;
            case tag_and_type(5, pbf_wire_type::length_delimited):
                record.name = as_utf8(view(message.get_view()));
                break;
            case tag_and_type(7, pbf_wire_type::fixed64):
                record.began_ns = message.get_fixed64();
                break;
            case tag_and_type(8, pbf_wire_type::fixed64):
                record.ended_ns = message.get_fixed64();
                break;
            case tag_and_type(9, pbf_wire_type::length_delimited):
                add_attribute(message.get_message(), record.attributes);
                break;
            case tag_and_type(11, pbf_wire_type::length_delimited):
                if (exception.empty()) {
                    exception = exception_of(message.get_message());
                } else {
                    message.skip();
                }
                break;
            case tag_and_type(15, pbf_wire_type::length_delimited):
                read_status(message.get_message(), record);
                break;
            default:
                message.skip();
        }
    }
    if (record.failed && record.error.empty()) record.error = std::move(exception);
    return record;
}

void read_scope(pbf_reader scope, Signal signal, Export& out) {
    while (scope.next()) {
        if (scope.tag_and_type() != tag_and_type(2, pbf_wire_type::length_delimited)) {
            scope.skip();
            continue;
        }
        if (out.records == kRecordsMax) {
            ++out.dropped;
            scope.skip();
            continue;
        }
        pbf_reader message = scope.get_message();
        out.sources.back().records.push_back(signal == Signal::kLogs ? log_record(message)
                                                                     : span_record(message));
        ++out.records;
    }
}

void read_source(pbf_reader message, Signal signal, Export& out) {
    Source& source = out.sources.emplace_back();
    while (message.next()) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, pbf_wire_type::length_delimited): {
                pbf_reader resource = message.get_message();
                while (resource.next(1, pbf_wire_type::length_delimited))
                    add_attribute(resource.get_message(), source.attributes);
                break;
            }
            case tag_and_type(2, pbf_wire_type::length_delimited):
                read_scope(message.get_message(), signal, out);
                break;
            default:
                message.skip();
        }
    }
}

}  // namespace

core::Result<Export> read_protobuf(std::string_view body, Signal signal) {
    Export out;
    try {
        pbf_reader request{body.data(), body.size()};
        while (request.next()) {
            const bool source =
                request.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited);
            if (source && out.sources.size() < kRecordsMax) {
                read_source(request.get_message(), signal, out);
            } else {
                request.skip();
            }
        }
    } catch (const protozero::exception&) {
        return core::Error{core::ErrorCode::kInvalidField,
                           "this is no export of OTLP in protobuf, or it was cut off", "body"};
    }
    return out;
}

}  // namespace headway::api::otlp
