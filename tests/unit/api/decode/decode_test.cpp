// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode.hpp"
#include "api/decode/decode_checks.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using namespace headway::core;
namespace limits = headway::core::limits;

namespace {

Result<DecodedReport> report(std::string_view body, BodyFormat format = BodyFormat::kJson) {
    JsonDocument document;
    return decode_report(document, body, format);
}

Result<DecodedOpen> open(std::string_view body) {
    JsonDocument document;
    return decode_open(document, body);
}

std::string quoted(std::size_t size) {
    return '"' + std::string(size, 'x') + '"';
}

std::string listed(const std::string& item, std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i)
        out += (i > 0 ? "," : "") + item;
    return out + "]";
}

}  // namespace

TEST_CASE("decode: each error of a report names its code and JSON pointer", "[api]") {
    struct Case {
        const char* name;
        std::string body;
        ErrorCode code;
        std::string field;
    };
    const std::string long_name = quoted(limits::kStringBytesMax + 1);
    const Case cases[] = {
        {"no JSON", "{", ErrorCode::kInvalidJson, ""},
        {"empty body", "", ErrorCode::kInvalidJson, ""},
        {"not an object", "7", ErrorCode::kInvalidField, ""},
        {"no type", "{}", ErrorCode::kMissingField, "/type"},
        {"null type", R"({"type":null})", ErrorCode::kInvalidField, "/type"},
        {"unknown type", R"({"type":"tool.exploded"})", ErrorCode::kInvalidField, "/type"},
        {"type of Headway", R"({"type":"verdict.changed"})", ErrorCode::kInvalidField, "/type"},
        {"unknown member", R"({"type":"heartbeat","when":1})", ErrorCode::kUnknownField, "/when"},
        {"an id of ours", R"({"type":"heartbeat","event_id":"headway:goal-1"})",
         ErrorCode::kInvalidField, "/event_id"},
        {"our n", R"({"type":"heartbeat","n":1})", ErrorCode::kUnknownField, "/n"},
        {"our at", R"({"type":"heartbeat","at":"x"})", ErrorCode::kUnknownField, "/at"},
        {"empty event id", R"({"type":"heartbeat","event_id":""})", ErrorCode::kInvalidField,
         "/event_id"},
        {"NUL in an event id", R"({"type":"heartbeat","event_id":"a\u0000b"})",
         ErrorCode::kInvalidField, "/event_id"},
        {"NUL in a call id", R"({"type":"tool.started","data":{"call_id":"a\u0000","tool":"t"}})",
         ErrorCode::kInvalidField, "/data/call_id"},
        {"NUL in a tool", R"({"type":"tool.started","data":{"call_id":"a","tool":"t\u0000"}})",
         ErrorCode::kInvalidField, "/data/tool"},
        {"long event id", R"({"type":"heartbeat","event_id":)" + quoted(129) + "}",
         ErrorCode::kInvalidField, "/event_id"},
        {"attempt zero", R"({"type":"heartbeat","attempt":0})", ErrorCode::kInvalidField,
         "/attempt"},
        {"attempt below zero", R"({"type":"heartbeat","attempt":-1})", ErrorCode::kInvalidField,
         "/attempt"},
        {"attempt too large", R"({"type":"heartbeat","attempt":1000000001})",
         ErrorCode::kInvalidField, "/attempt"},
        {"attempt no number", R"({"type":"heartbeat","attempt":"1"})", ErrorCode::kInvalidField,
         "/attempt"},
        {"data no object", R"({"type":"heartbeat","data":[]})", ErrorCode::kInvalidField, "/data"},
        {"unknown data", R"({"type":"heartbeat","data":{"fase":"x"}})", ErrorCode::kUnknownField,
         "/data/fase"},
        {"data missing", R"({"type":"tool.started"})", ErrorCode::kMissingField, "/data/call_id"},
        {"required missing", R"({"type":"tool.started","data":{"call_id":"c"}})",
         ErrorCode::kMissingField, "/data/tool"},
        {"required null", R"({"type":"tool.finished","data":{"tool":null}})",
         ErrorCode::kMissingField, "/data/tool"},
        {"a string too long", R"({"type":"heartbeat","data":{"phase":)" + long_name + "}}",
         ErrorCode::kInvalidField, "/data/phase"},
        {"a number for a string", R"({"type":"heartbeat","data":{"note":1}})",
         ErrorCode::kInvalidField, "/data/note"},
        {"a fraction", R"({"type":"heartbeat","data":{"iteration":1.5}})", ErrorCode::kInvalidField,
         "/data/iteration"},
        {"above 63 bits", R"({"type":"heartbeat","data":{"iteration":9223372036854775808}})",
         ErrorCode::kInvalidField, "/data/iteration"},
        {"deep", R"({"type":"heartbeat","data":{"in_flight":{"counter":1}}})",
         ErrorCode::kMissingField, "/data/in_flight/call_id"},
        {"deep unknown", R"({"type":"heartbeat","data":{"resources":{"gpu":1}}})",
         ErrorCode::kUnknownField, "/data/resources/gpu"},
        {"in a list", R"({"type":"tool.finished","data":{"tool":"x","mutated":[{"path":"a"},{}]}})",
         ErrorCode::kMissingField, "/data/mutated/1/path"},
        {"a list item", R"({"type":"test.result","data":{"failures":["a",null]}})",
         ErrorCode::kInvalidField, "/data/failures/1"},
        {"a list too long",
         R"({"type":"test.result","data":{"failures":)" + listed("\"f\"", 257) + "}}",
         ErrorCode::kInvalidField, "/data/failures"},
        {"a boolean", R"({"type":"tool.finished","data":{"tool":"x","ok":"yes"}})",
         ErrorCode::kInvalidField, "/data/ok"},
        {"a word not of the set", R"({"type":"state.changed","data":{"state":"busy"}})",
         ErrorCode::kInvalidField, "/data/state"},
        {"percent above 100", R"({"type":"progress.estimated","data":{"percent":100.1}})",
         ErrorCode::kInvalidField, "/data/percent"},
        {"percent below 0", R"({"type":"progress.estimated","data":{"percent":-1}})",
         ErrorCode::kInvalidField, "/data/percent"},
        {"confidence", R"({"type":"reflection","data":{"confidence":1.01}})",
         ErrorCode::kInvalidField, "/data/confidence"},
        {"outcome", R"({"type":"session.ended","data":{"outcome":"halted"}})",
         ErrorCode::kInvalidField, "/data/outcome"},
        {"empty list", "[]", ErrorCode::kEmptyReport, ""},
        {"second of a list", R"([{"type":"heartbeat"},{"type":"nope"}])", ErrorCode::kInvalidField,
         "/1/type"},
        {"no object in a list", "[7]", ErrorCode::kInvalidField, "/0"},
        {"too many", listed(R"({"type":"heartbeat"})", 1001), ErrorCode::kTooManyEvents, ""},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            const auto decoded = report(c.body);
            CHECK(code_of(decoded) == c.code);
            CHECK(decoded.error().field == c.field);
            CHECK_FALSE(decoded.error().detail.empty());
        }
    }
}

TEST_CASE("decode: an object around a list of events names the form of a list", "[api]") {
    const auto decoded = report(R"({"events":[{"type":"heartbeat"}]})");
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().field == "/events");
    CHECK(decoded.error().detail.find("the array itself") != std::string::npos);
}

TEST_CASE("decode: one event with all of its envelope", "[api]") {
    const auto decoded = report(
        R"({"data":{"tool":"bash","args":{"b": [1, 2.0]},"ok":false,"error":{"class":"test"}},)"
        R"("event_id":"e1","attempt":3,"type":"tool.finished"})");
    require_ok(decoded);
    CHECK_FALSE(decoded->batch);
    REQUIRE(decoded->events.size() == 1);
    const Event& event = decoded->events[0];
    CHECK(event.event_id == "e1");
    CHECK(event.attempt == 3);
    CHECK(event.n == 0);
    const auto& data = std::get<ToolFinished>(event.payload);
    CHECK(data.tool == "bash");
    CHECK(data.args.kept == R"({"b":[1,2.0]})");
    CHECK_FALSE(data.ok);
    CHECK(data.error->error_class == "test");
}

TEST_CASE("decode: null stands for absent", "[api]") {
    const auto decoded =
        report(R"({"type":"heartbeat","data":{"phase":null,"in_flight":null},"event_id":null})");
    require_ok(decoded);
    CHECK(std::get<Heartbeat>(decoded->events[0].payload) == Heartbeat{});
    require_ok(report(R"({"type":"heartbeat","data":null})"));
}

TEST_CASE("decode: the largest report and the longest values that fit", "[api]") {
    const auto most = report(listed(R"({"type":"heartbeat"})", 1000));
    require_ok(most);
    CHECK(most->events.size() == 1000);
    CHECK(most->batch);
    require_ok(report(R"({"type":"heartbeat","data":{"phase":)" + quoted(512) + "}}"));
    require_ok(report(R"({"type":"heartbeat","event_id":)" + quoted(128) + "}"));
    require_ok(
        report(R"({"type":"test.result","data":{"failures":)" + listed("\"f\"", 256) + "}}"));
    require_ok(report(R"({"type":"heartbeat","data":{"iteration":9223372036854775807}})"));
}

TEST_CASE("decode: long texts and JSON are bounded", "[api]") {
    const auto text = report(R"({"type":"fact.learned","data":{"text":)" + quoted(100'000) + "}}");
    require_ok(text);
    const auto& fact = std::get<FactLearned>(text->events[0].payload);
    CHECK(fact.text.bytes == 100'000);
    CHECK(fact.text.kept.size() == limits::kTextHeadBytes + limits::kTextTailBytes);
    const auto json =
        report(R"({"type":"tool.finished","data":{"tool":"x","result":[)" + quoted(9000) + "]}}");
    require_ok(json);
    CHECK_FALSE(std::get<ToolFinished>(json->events[0].payload).result.whole());
}

TEST_CASE("decode: lines are one event each, blank ones count but say nothing", "[api]") {
    const auto decoded =
        report("{\"type\":\"heartbeat\"}\r\n\n  \n{\"type\":\"message\"}", BodyFormat::kNdjson);
    require_ok(decoded);
    CHECK(decoded->batch);
    CHECK(decoded->events.size() == 2);
}

TEST_CASE("decode: an error in a line names the line", "[api]") {
    const auto wrong =
        report("{\"type\":\"heartbeat\"}\n\n{\"type\":\"nope\"}\n", BodyFormat::kNdjson);
    CHECK(code_of(wrong) == ErrorCode::kInvalidField);
    CHECK(wrong.error().detail.find("line 3") == 0);
    CHECK(wrong.error().field == "/2/type");
    CHECK(code_of(report("{\"type\":\"heartbeat\"}\n{", BodyFormat::kNdjson)) ==
          ErrorCode::kInvalidJson);
    CHECK(code_of(report("", BodyFormat::kNdjson)) == ErrorCode::kEmptyReport);
    CHECK(code_of(report("\n \n", BodyFormat::kNdjson)) == ErrorCode::kEmptyReport);
}

TEST_CASE("decode: more lines than a report may have are refused", "[api]") {
    std::string lines;
    for (int i = 0; i < 1000; ++i)
        lines += "{\"type\":\"heartbeat\"}\n";
    require_ok(report(lines, BodyFormat::kNdjson));
    lines += "{\"type\":\"heartbeat\"}\n";
    CHECK(code_of(report(lines, BodyFormat::kNdjson)) == ErrorCode::kTooManyEvents);
}

TEST_CASE("decode: a heartbeat's body is its data and may be empty", "[api]") {
    JsonDocument document;
    const auto empty = decode_heartbeat(document, "");
    require_ok(empty);
    CHECK_FALSE(empty->batch);
    CHECK(std::get<Heartbeat>(empty->events.at(0).payload) == Heartbeat{});
    const auto given = decode_heartbeat(document, R"({"phase":"test","iteration":3})");
    require_ok(given);
    CHECK(std::get<Heartbeat>(given->events.at(0).payload).iteration == 3U);
    CHECK(decode_heartbeat(document, R"({"type":"heartbeat"})").error().field == "/type");
    CHECK(code_of(decode_heartbeat(document, "[]")) == ErrorCode::kInvalidField);
}

TEST_CASE("decode: an opening and what is wrong with one", "[api]") {
    const auto opened = open(R"({"id":"a","goal":"g","agent":{"type":"coder"},"parent":"p",)"
                             R"("labels":{"b":"2","a":"1"},"policy":{"profile":"strict"}})");
    require_ok(opened);
    CHECK(opened->id == "a");
    CHECK(opened->about.goal.kept == "g");
    CHECK(opened->about.agent.type == "coder");
    CHECK(opened->about.policy.profile == Profile::kStrict);
    // Sorted, so that the same labels in another order are the same opening.
    CHECK((opened->about.labels == std::vector<Label>{{"a", "1"}, {"b", "2"}}));
    require_ok(open(""));

    std::string labels = "{";
    for (int i = 0; i < 17; ++i)
        labels += (i > 0 ? ",\"l" : "\"l") + std::to_string(i) + "\":\"x\"";
    const std::pair<std::string, std::string> cases[] = {
        {R"({"policy":{"heartbeat_interval_ms":99}})", "/policy/heartbeat_interval_ms"},
        {R"({"policy":{"heartbeat_interval_ms":3600001}})", "/policy/heartbeat_interval_ms"},
        {R"({"policy":{"heartbeat_limit":1}})", "/policy/heartbeat_limit"},
        {R"({"policy":{"heartbeat_limit":1001}})", "/policy/heartbeat_limit"},
        {R"({"policy":{"profile":"loose"}})", "/policy/profile"},
        {R"({"policy":{"speed":1}})", "/policy/speed"},
        {R"({"labels":{"a":1}})", "/labels/a"},
        {R"({"labels":["a"]})", "/labels"},
        {R"({"labels":)" + labels + "}}", "/labels"},
        {R"({"parent":"a b"})", "/parent"},
        {R"({"id":"a/b"})", "/id"},
        {R"({"implicit":true})", "/implicit"},
        {"[]", ""},
    };
    for (const auto& [body, field] : cases) {
        DYNAMIC_SECTION(body) {
            const auto refused = open(body);
            REQUIRE_FALSE(refused.has_value());
            CHECK(refused.error().field == field);
        }
    }
}

TEST_CASE("decode: the bounds of the policy are inclusive", "[api]") {
    for (const char* body : {R"({"policy":{"heartbeat_interval_ms":100,"heartbeat_limit":2}})",
                             R"({"policy":{"heartbeat_interval_ms":3600000}})",
                             R"({"policy":{"heartbeat_limit":1000}})"})
        CHECK(open(body).has_value());
}

TEST_CASE("decode: end needs an outcome, cancel needs nothing", "[api]") {
    JsonDocument document;
    const auto end = decode_end(document, R"({"outcome":"failed","reason":"r","result":{"a":1}})");
    require_ok(end);
    CHECK(end->outcome == Outcome::kFailed);
    CHECK(end->result.kept == R"({"a":1})");
    const auto missing = decode_end(document, "");
    CHECK(code_of(missing) == ErrorCode::kMissingField);
    CHECK(missing.error().field == "/outcome");
    require_ok(decode_cancel(document, ""));
    CHECK(decode_cancel(document, R"({"reason":"r"})")->reason == "r");
    CHECK(decode_cancel(document, R"({"why":"r"})").error().field == "/why");
}

TEST_CASE("decode: what can name a session", "[api]") {
    for (const char* good : {"a", "A-Z.0_9:x", "018f-uuid"})
        CHECK(valid_id(good));
    CHECK(valid_id(std::string(128, 'x')));
    for (const char* bad : {"", "a b", "a/b", "ä", "a\n", "a%", "a,b", ".", ".."})
        CHECK_FALSE(valid_id(bad));
    for (const char* good : {"...", ".a", "a.", "..a"})
        CHECK(valid_id(good));
    CHECK_FALSE(valid_id(std::string(129, 'x')));
}

TEST_CASE("decode: an opening may accept a suggested budget and say how hard its task is",
          "[api]") {
    JsonDocument document;
    const auto opened =
        decode_open(document, R"({"complexity":"high","budget":{"suggested":true,"max_steps":9}})");
    REQUIRE(opened.has_value());
    CHECK(opened->suggested);
    CHECK(opened->about.complexity == Complexity::kHigh);
    CHECK(opened->about.budget == BudgetLimits{{}, 9, {}, {}});
    CHECK_FALSE(decode_open(document, R"({"budget":{"max_steps":9}})")->suggested);
    CHECK(decode_open(document, R"({"complexity":"extreme"})").error().field == "/complexity");
    CHECK(decode_open(document, R"({"budget":{"suggested":1}})").error().field ==
          "/budget/suggested");
}

TEST_CASE("decode: a call with an error and without ok has failed", "[api]") {
    const auto ok = [](const std::string& members) {
        const auto events =
            report(R"({"type":"tool.finished","data":{"tool":"t")" + members + "}}");
        require_ok(events);
        return std::get<ToolFinished>(events->events.front().payload).ok;
    };
    CHECK(ok(""));
    CHECK(ok(R"(,"error":null)"));
    CHECK(ok(R"(,"error":{})"));
    CHECK(ok(R"(,"ok":true,"error":{"message":"a warning"})"));
    CHECK_FALSE(ok(R"(,"error":{"message":"boom"})"));
    CHECK_FALSE(ok(R"(,"error":{"class":"timeout"})"));
    CHECK_FALSE(ok(R"(,"ok":false)"));
}

TEST_CASE("decode: a mistyped event type is answered with the nearest that can be reported",
          "[api]") {
    const auto detail_of = [](const std::string& type) {
        const auto events = report(R"({"type":")" + type + R"("})");
        return events ? std::string{"no error"} : events.error().detail;
    };
    CHECK_THAT(detail_of("tool.finnished"), Catch::Contains("did you mean `tool.finished`?"));
    CHECK_THAT(detail_of("tool_call"), Catch::Contains("report `tool.finished`"));
    CHECK_THAT(detail_of("plan_generated"), Catch::Contains("report `plan.updated`"));
    CHECK_THAT(detail_of("hearbeat"), Catch::Contains("did you mean `heartbeat`?"));
    CHECK_THAT(detail_of("verdict.change"), !Catch::Contains("verdict.changed"));
    CHECK_THAT(detail_of("zzzzzzzzzzzz"), Catch::Contains("such as heartbeat, tool.finished"));
    CHECK_THAT(detail_of(std::string(100'000, 'h')), Catch::Contains("such as heartbeat"));
}

TEST_CASE("decode: a check id has the letters of sessions, and dots anywhere", "[api]") {
    for (const std::size_t size : {1U, 64U, 65U, 66U, 128U, 192U}) {
        CHECK(valid_check_id(std::string(size, 'a')));
        if (size > 2) CHECK(valid_check_id(std::string(size - 2, 'a') + ".."));
    }
    for (const std::string& id : {std::string{}, std::string{"."}, std::string{".."},
                                  std::string{"a/b"}, std::string(193, 'a')})
        CHECK_FALSE(valid_check_id(id));
}
