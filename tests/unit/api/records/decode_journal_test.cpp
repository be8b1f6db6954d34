// SPDX-License-Identifier: Apache-2.0
#include "api/records/decode_journal.hpp"

#include <catch2/catch.hpp>
#include <variant>

#include "api/decode/decode.hpp"
#include "api/encode/encode.hpp"
#include "api/text/fingerprint_text.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using namespace headway::core;

namespace {

/// A reported event as the daemon would store it.
Event stored(const std::string& body) {
    JsonDocument document;
    auto report = decode_report(document, body, BodyFormat::kJson);
    require_ok(report);
    Event event = std::move(report->events.front());
    event.n = 7;
    event.at = Timestamp{Millis{1'700'000'000'123}};
    return event;
}

Result<Event> exported(const Event& event, bool fingerprints = true) {
    std::string line;
    append_event(line, "s", event, {fingerprints});
    JsonDocument document;
    return decode_stored_event(document, line);
}

const std::string kLong(20'000, 'x');

}  // namespace

TEST_CASE("decode journal: what is exported is read as it was stored", "[api]") {
    const std::string bodies[] = {
        R"({"type":"heartbeat","event_id":"e","attempt":2,"data":{"phase":"p","iteration":3}})",
        R"({"type":"message","data":{"role":"assistant","text":")" + kLong + R"("}})",
        R"({"type":"tool.finished","data":{"tool":"bash","args":{"command":"make"},"ok":false,
            "error":{"class":"exit","message":")" +
            kLong + R"("}}})",
        R"({"type":"tool.finished","data":{"tool":"read","args":{"a":")" + kLong +
            R"("},"ok":true,"result":")" + kLong + R"("}})",
        R"({"type":"session.ended","data":{"outcome":"failed","reason":"why"}})"};
    for (const std::string& body : bodies) {
        INFO(body.substr(0, 80));
        const Event event = stored(body);
        const auto read = exported(event);
        require_ok(read);
        CHECK((*read == event));
    }
}

TEST_CASE("decode journal: the state that an event came from is kept", "[api]") {
    Event event = stored(R"({"type":"heartbeat","data":{}})");
    event.state = AgentState::kProgressCheck;
    event.from = AgentState::kIdle;
    const auto read = exported(event);
    require_ok(read);
    CHECK(read->from == AgentState::kIdle);
    CHECK((*read == event));
}

TEST_CASE("decode journal: Headway's own words may be longer than an agent's", "[api]") {
    Event event;
    event.n = 1;
    event.at = Timestamp{Millis{1'700'000'000'000}};
    DirectiveIssued directive;
    directive.id = "d1";
    directive.reason = kLong;
    event.payload = directive;
    const auto read = exported(event);
    require_ok(read);
    CHECK((*read == event));
}

TEST_CASE(
    "decode journal: what an operator said is an operator's in an export, and is hidden elsewhere",
    "[api]") {
    Event event = stored(R"({"type":"message","data":{"role":"operator","text":"once more"}})");
    std::get<Message>(event.payload).of_operator = true;
    const auto read = exported(event);
    require_ok(read);
    CHECK((*read == event));
    std::string line;
    append_event(line, "s", event);
    CHECK_THAT(line, !Catch::Contains("of_operator"));
}

namespace {

/// A call with a secret, as it is stored, and the fingerprint that an export has of it.
struct Hushed {
    CallFingerprint stored;
    CallFingerprint shown;
};

Hushed hushed(const std::string& call, const std::string& key, const std::string& session = "s") {
    const headway::core::SecretFinder finder;
    JsonDocument document;
    document.redact_with(&finder);
    auto report = decode_report(document, R"({"type":"tool.finished","data":)" + call + "}",
                                BodyFormat::kJson);
    require_ok(report);
    Event event = report->events.front();
    event.n = 7;
    event.at = Timestamp{Millis{1'700'000'000'123}};
    const CallFingerprint fingerprint = *std::get<ToolFinished>(event.payload).fingerprint;
    std::string line;
    append_event(line, session, event, {true, key});
    CHECK_THAT(line, Catch::Contains("[redacted]") && !Catch::Contains("hunter"));
    JsonDocument again;
    auto read = decode_stored_event(again, line);
    require_ok(read);
    return {fingerprint, *std::get<ToolFinished>(read->payload).fingerprint};
}

std::string login(const std::string& password, const std::string& result = "no") {
    return R"({"tool":"login","args":{"path":"/srv/a","password":")" + password +
           R"("},"result":")" + result + "\"}";
}

}  // namespace

TEST_CASE("decode journal: calls with secrets are equal in an export where they were equal",
          "[api]") {
    const Hushed first = hushed(login("hunter-one-2"), "key");
    const Hushed same = hushed(login("hunter-one-2"), "key");
    const Hushed other = hushed(login("hunter-two-2"), "key");
    CHECK(first.shown == same.shown);
    CHECK(first.stored.question != other.stored.question);
    CHECK(first.shown.question != other.shown.question);
    SECTION("what holds the secret cannot be tried") {
        CHECK(first.shown.question != first.stored.question);
        CHECK(first.shown.question != hushed(login("hunter-one-2"), "another key").shown.question);
        CHECK(first.shown.question != hushed(login("hunter-one-2"), "key", "t").shown.question);
    }
    SECTION("the rest is as it was") {
        CHECK(first.shown.outcome == first.stored.outcome);
        CHECK(first.shown.path == first.stored.path);
        CHECK(first.shown.path != 0);
        CHECK(first.shown.kind == first.stored.kind);
    }
    SECTION("a secret in the result is hidden there") {
        const Hushed quiet = hushed(
            R"({"tool":"cat","args":{"path":"/srv/a"},"result":"password=hunter-one-2"})", "key");
        CHECK(quiet.shown.question == quiet.stored.question);
        CHECK(quiet.shown.outcome != quiet.stored.outcome);
        CHECK(quiet.shown.outcome != Digest{});
    }
}

TEST_CASE("decode journal: without a key a call that held a secret shows no fingerprint of it",
          "[api]") {
    Event event = stored(R"({"type":"tool.finished","data":{"tool":"login","args":{"a":"b"}}})");
    std::string line;
    append_event(line, "s", event, {true});
    CHECK_THAT(line, Catch::Contains("\"print\":"));
    std::get<ToolFinished>(event.payload).args.kept = R"({"password":"[redacted]"})";
    line.clear();
    append_event(line, "s", event, {true});
    CHECK_THAT(line, !Catch::Contains("print"));
    line.clear();
    append_event(line, "s", stored(R"({"type":"heartbeat"})"), {true});
    CHECK_THAT(line, !Catch::Contains("print"));
}

TEST_CASE("decode journal: what no export has is refused with its place", "[api]") {
    JsonDocument document;
    const auto refused = [&document](const char* line) {
        const auto event = decode_stored_event(document, line);
        return event ? std::string{"taken"} : event.error().field;
    };
    CHECK(refused("[]").empty());
    CHECK(refused(R"({"type":"tool.exploded","data":{}})") == "/type");
    CHECK(refused(R"({"type":"heartbeat"})") == "/data");
    CHECK(refused(R"({"type":"heartbeat","data":{"iteration":-1}})") == "/data/iteration");
    CHECK(refused(R"({"type":"tool.finished","data":{"tool":"x"},"print":"zz"})") == "/print");
    CHECK(
        refused(
            R"({"type":"message","data":{"text":{"head":"a","tail":"b","bytes":1,"digest":"c"}}})") ==
        "/data/text");
    // From an agent such an object is no text.
    const auto report = decode_report(
        document,
        R"({"type":"message","data":{"text":{"head":"a","tail":"b","bytes":9,"digest":"00"}}})",
        BodyFormat::kJson);
    CHECK_FALSE(report.has_value());
}

TEST_CASE("fingerprint: as text and back, and from an older version", "[api]") {
    CallFingerprint fingerprint;
    fingerprint.question = {1, UINT64_MAX};
    fingerprint.outcome = {0xabc, 7};
    fingerprint.kind = CallKind::kPoll;
    fingerprint.failure = FailureKind::kAuth;
    fingerprint.trivial = true;
    fingerprint.failing = 0;
    fingerprint.result_bytes = 99;
    CallFingerprint read;
    REQUIRE(parse_fingerprint(fingerprint_text(fingerprint), read));
    CHECK(read == fingerprint);
    CallFingerprint older;
    REQUIRE(parse_fingerprint("1:2,3:4", older));
    CHECK(older.question == Digest{1, 2});
    for (const char* bad : {"", "x", "1", "1:2,3:4,5,6,7,8,ff"})
        CHECK_FALSE(parse_fingerprint(bad, older));
}
