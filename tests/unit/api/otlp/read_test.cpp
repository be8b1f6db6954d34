// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <protozero/pbf_writer.hpp>

#include "api/otlp/export.hpp"
#include "tests/support/gen.hpp"
#include "tests/unit/api/otlp/otlp_text.hpp"

using namespace headway;
using namespace headway::api::otlp;
using namespace headway::tests;
using protozero::pbf_writer;

namespace {

core::Result<Export> json_export(const std::string& body, Signal signal = Signal::kLogs) {
    api::JsonDocument document;
    REQUIRE(document.parse(body));
    return read_json(document.root(), signal);
}

std::string log_with(const std::string& value) {
    return R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"k","value":)" +
           value + "}]}]}]}]}";
}

std::string json_value(const std::string& value) {
    const auto received = json_export(log_with(value));
    REQUIRE(received);
    const Attributes& attributes = received->sources.at(0).records.at(0).attributes;
    return attributes.empty() ? "absent" : attributes.front().value;
}

/// A message in a message, by its number.
std::string nested(unsigned number, const std::string& message) {
    std::string out;
    pbf_writer{out}.add_message(number, message);
    return out;
}

std::string pb_text(const std::string& text) {
    std::string out;
    pbf_writer{out}.add_string(1, text);
    return out;
}

/// A log record with one attribute `k`.
std::string pb_log(const std::string& any) {
    std::string pair;
    pbf_writer writer{pair};
    writer.add_string(1, "k");
    writer.add_message(2, any);
    return nested(1, nested(2, nested(2, nested(6, pair))));
}

std::string pb_value(const std::string& any) {
    const auto received = read_protobuf(pb_log(any), Signal::kLogs);
    REQUIRE(received);
    return received->sources.at(0).records.at(0).attributes.at(0).value;
}

}  // namespace

TEST_CASE("values of JSON are texts, or JSON") {
    CHECK(json_value(R"({"stringValue":"a\"b"})") == "a\"b");
    CHECK(json_value(R"({"intValue":"12"})") == "12");
    CHECK(json_value(R"({"intValue":12})") == "12");
    CHECK(json_value(R"({"doubleValue":0.5})") == "0.5");
    CHECK(json_value(R"({"boolValue":true})") == "true");
    CHECK(json_value("{}") == "null");
    CHECK(json_value(R"({"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"1"}]}})") ==
          R"(["a",1])");
    CHECK(json_value(R"({"arrayValue":{}})") == "[]");
    CHECK(json_value(R"({"kvlistValue":{"values":[{"key":"a","value":{"boolValue":false}}]}})") ==
          R"({"a":false})");
    CHECK(json_value("7") == "absent");
}

TEST_CASE("values of protobuf are the same as those of JSON") {
    std::string any;
    CHECK(pb_value(pb_text("a\"b")) == "a\"b");
    pbf_writer{any = {}}.add_int64(3, -12);
    CHECK(pb_value(any) == "-12");
    pbf_writer{any = {}}.add_double(4, 0.5);
    CHECK(pb_value(any) == "0.5");
    pbf_writer{any = {}}.add_bool(2, true);
    CHECK(pb_value(any) == "true");
    CHECK(pb_value("") == "null");
    CHECK(pb_value(nested(5, nested(1, pb_text("a")))) == R"(["a"])");
    std::string pair;
    pbf_writer writer{pair};
    writer.add_string(1, "a");
    writer.add_message(2, pb_text("b"));
    CHECK(pb_value(nested(6, nested(1, pair))) == R"({"a":"b"})");
}

TEST_CASE("texts of protobuf that are no UTF-8 are made it, and NUL is left out") {
    CHECK(pb_value(pb_text(std::string{"a\0b", 3})) == "ab");
    CHECK(pb_value(pb_text("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")) ==
          "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    CHECK(pb_value(pb_text("a\xFFz")) == "a\xEF\xBF\xBDz");
    CHECK(pb_value(pb_text("\xC0\x80")) == "\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(pb_value(pb_text("\xED\xA0\x80")) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(pb_value(pb_text("\xE2\x82")) == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("values that nest deeper than any exporter makes them end in null") {
    std::string any = pb_text("x");
    for (int i = 0; i < 500; ++i)
        any = nested(5, nested(1, any));
    const std::string text = pb_value(any);
    CHECK(text == std::string(16, '[') + "null" + std::string(16, ']'));
}

TEST_CASE("ids of protobuf are hexadecimal, as those of JSON are") {
    std::string span;
    pbf_writer writer{span};
    writer.add_bytes(1, "\x01\xAB");
    writer.add_bytes(2, "\x02");
    writer.add_bytes(4, "\x03");
    writer.add_string(5, "chat");
    writer.add_fixed64(7, 5);
    writer.add_fixed64(8, 9);
    std::string status;
    pbf_writer status_writer{status};
    status_writer.add_string(2, "no");
    status_writer.add_enum(3, 2);
    writer.add_message(15, status);
    const auto received = read_protobuf(nested(1, nested(2, nested(2, span))), Signal::kTraces);
    REQUIRE(received);
    const Record& record = received->sources.at(0).records.at(0);
    CHECK(record.trace_id == "01ab");
    CHECK(record.span_id == "02");
    CHECK(record.parent_id == "03");
    CHECK(record.name == "chat");
    CHECK(record.began_ns == 5);
    CHECK(record.ended_ns == 9);
    CHECK(record.failed);
    CHECK(record.error == "no");
}

TEST_CASE("records, attributes and sources beyond their bounds are dropped and counted") {
    std::string scope;
    pbf_writer writer{scope};
    for (std::size_t i = 0; i < kRecordsMax + 5; ++i)
        writer.add_message(2, std::string{});
    auto received = read_protobuf(nested(1, nested(2, scope)), Signal::kLogs);
    REQUIRE(received);
    CHECK(received->records == kRecordsMax);
    CHECK(received->dropped == 5);

    std::string record;
    pbf_writer record_writer{record};
    for (std::size_t i = 0; i < 1000; ++i)
        record_writer.add_message(6, std::string{});
    received = read_protobuf(nested(1, nested(2, nested(2, record))), Signal::kLogs);
    REQUIRE(received);
    CHECK(received->sources.at(0).records.at(0).attributes.size() == kAttributesMax);

    std::string body;
    pbf_writer sources{body};
    for (std::size_t i = 0; i < 100'000; ++i)
        sources.add_message(1, std::string{});
    received = read_protobuf(body, Signal::kLogs);
    REQUIRE(received);
    CHECK(received->sources.size() == kRecordsMax);
}

TEST_CASE("a body that is no export is refused, an empty one is none") {
    CHECK(json_export("{}"));
    CHECK(read_protobuf("", Signal::kLogs));
    CHECK(json_export(R"({"resourceSpans":[]})").error().field == "/resourceLogs");
    CHECK(json_export("[]").error().code == core::ErrorCode::kInvalidField);
    CHECK(json_export(R"({"resourceLogs":{}})").error().field == "/resourceLogs");
    CHECK_FALSE(read_protobuf("{}", Signal::kLogs));
    CHECK_FALSE(read_protobuf("\x0A\xFF", Signal::kLogs));
}

TEST_CASE("members of the wrong type are as absent") {
    const auto received = json_export(
        R"({"resourceLogs":[{"resource":[],"scopeLogs":{}},7,{"scopeLogs":[7,{"logRecords":[7,)"
        R"({"timeUnixNano":true,"body":"x","eventName":7,"attributes":[7,{"key":7},{"key":"a"}]}]}]}]})");
    REQUIRE(received);
    CHECK(received->records == 2);
    CHECK(received->sources.at(2).records.at(1).attributes.empty());
}

TEST_CASE("whatever the bytes are, they are read or refused") {
    Gen gen{seed()};
    INFO("HEADWAY_SEED=" << seed());
    const std::string real = otlp_fixture("claude_logs.pb");
    for (int i = 0; i < 5'000; ++i) {
        std::string bytes = real;
        for (std::size_t flips = 1 + gen.below(8); flips > 0; --flips)
            bytes[gen.below(bytes.size())] = static_cast<char>(gen.below(256));
        if (gen.chance(3)) bytes.resize(gen.below(bytes.size()));
        for (const Signal signal : {Signal::kLogs, Signal::kTraces}) {
            const auto received = read_protobuf(bytes, signal);
            if (!received) continue;
            for (const auto& record : understand(*received, signal))
                CHECK_FALSE(record.session.empty());
        }
    }
}
