// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/request_head.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::Error;
using headway::core::ErrorCode;
using headway::server::Method;
namespace limits = headway::core::limits;

namespace {

struct Parsed {
    HeadStatus status{};
    RequestHead head;
    Error error;
};

Parsed parse(std::string_view bytes) {
    Parsed parsed;
    parsed.status = parse_head(bytes, parsed.head, parsed.error);
    return parsed;
}

std::string with_field(const std::string& field) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n";
}

}  // namespace

TEST_CASE("request head: all used fields are found", "[server]") {
    const std::string bytes =
        "POST /v1/sessions?x=1 HTTP/1.1\r\nHOST: localhost:7717\r\ncontent-type: "
        "application/json\r\n"
        "Content-Length: 12\r\nAccept: text/event-stream\r\nOrigin: http://a\r\n"
        "Sec-Fetch-Site: none\r\nLAST-EVENT-ID:  42  \r\nIdempotency-Key: k\r\n"
        "X-Request-Id: r-1\r\nExpect: 100-Continue\r\nX-Other: o\r\n\r\n";
    const std::string with_body = bytes + "{\"id\":\"abc\"}";
    const Parsed parsed = parse(with_body);
    REQUIRE((parsed.status == HeadStatus::kComplete));
    const RequestHead& head = parsed.head;
    CHECK((head.method == Method::kPost));
    CHECK(head.target == "/v1/sessions?x=1");
    CHECK(head.host == "localhost:7717");
    CHECK(head.content_type == "application/json");
    CHECK(head.content_length == 12U);
    CHECK(head.accept == "text/event-stream");
    CHECK(head.origin == "http://a");
    CHECK(head.fetch_site == "none");
    CHECK(head.last_event_id == "42");
    CHECK(head.idempotency_key == "k");
    CHECK(head.request_id == "r-1");
    CHECK(head.expects_continue);
    CHECK(head.keep_alive);
    CHECK_FALSE(head.http_1_0);
    CHECK(head.fields == 11);
    CHECK(head.hosts == 1);
    CHECK(head.bytes == bytes.size());
}

TEST_CASE("request head: every shorter piece of it needs more", "[server]") {
    const std::string bytes = "GET /a HTTP/1.1\r\nHost: x\r\nAccept: y\r\n\r\n";
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        INFO(size);
        CHECK((parse(std::string_view{bytes}.substr(0, size)).status == HeadStatus::kNeedMore));
    }
    CHECK((parse(bytes).status == HeadStatus::kComplete));
}

TEST_CASE("request head: methods", "[server]") {
    const std::pair<const char*, Method> cases[] = {
        {"GET", Method::kGet},         {"HEAD", Method::kHead},     {"POST", Method::kPost},
        {"PUT", Method::kPut},         {"DELETE", Method::kDelete}, {"PATCH", Method::kPatch},
        {"OPTIONS", Method::kOptions}, {"BREW", Method::kOther},    {"get", Method::kOther},
    };
    for (const auto& [name, method] : cases) {
        DYNAMIC_SECTION(name) {
            const std::string bytes = std::string{name} + " / HTTP/1.1\r\n\r\n";
            CHECK((parse(bytes).head.method == method));
        }
    }
}

TEST_CASE("request head: a session of a run at another daemon of this machine is not named here",
          "[server]") {
    const auto named = [](const std::string& host, const std::string& url) {
        const std::string bytes = "POST / HTTP/1.1\r\nHost: " + host +
                                  "\r\nX-Headway-Session: x\r\nX-HEADWAY-URL: " + url + "\r\n\r\n";
        return std::string{parse(bytes).head.named_session()};
    };
    for (const char* host : {"127.0.0.1:7717", "localhost:7717", "[::1]:7717"}) {
        CAPTURE(host);
        for (const char* url : {"http://127.0.0.1:8000", "http://LocalHost:8000",
                                "https://[::1]:8000", "127.0.0.1:80"})
            CHECK(named(host, url).empty());
        // The same, or an address of which that is not known.
        for (const char* url : {"", "http://localhost:7717", "https://127.0.0.1:7717", "[::1]:7717",
                                "http://127.0.0.1", "http://box:8000", "http://10.0.0.1:8000",
                                "http://127.0.0.1:8000/base", "unix:/run/headway/headway.sock",
                                "http://127.0.0.1:", "http://", ":8000", "$HEADWAY_URL"})
            CHECK(named(host, url) == "x");
    }
    for (const char* host : {"localhost", "box:7717", "headway.example.com", "a"})
        CHECK(named(host, "http://127.0.0.1:8000") == "x");
}

TEST_CASE("request head: who keeps the connection", "[server]") {
    const std::string close = with_field("Connection: close");
    const std::string old = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";
    CHECK_FALSE(parse(close).head.keep_alive);
    CHECK_FALSE(parse(old).head.keep_alive);
    CHECK(parse(old).head.http_1_0);
}

TEST_CASE("request head: the fields of the gate are counted", "[server]") {
    CHECK(parse(with_field("Host: b")).head.hosts == 2);
    CHECK(parse(with_field("Transfer-Encoding: chunked")).head.transfer_encodings > 0);
    CHECK(parse(with_field("Content-Length: 0")).head.content_lengths == 1);
}

TEST_CASE("request head: chunked is a coding by itself, and not in a fold", "[server]") {
    CHECK(parse(with_field("Transfer-Encoding: chunked")).head.chunked);
    CHECK(parse(with_field("Transfer-Encoding:\tCHUNKED ")).head.chunked);
    for (const char* value :
         {" gzip, chunked", " chunked;q=1", " chunked,", " x", "\r\n chunked"}) {
        const std::string bytes = with_field(std::string{"Transfer-Encoding:"} + value);
        const Parsed parsed = parse(bytes);
        CHECK((parsed.status == HeadStatus::kMalformed || !parsed.head.chunked));
    }
}

TEST_CASE("request head: fields that a proxy adds are named", "[server]") {
    for (const std::string name : {"Forwarded", "X-Forwarded-For", "x-forwarded-proto", "Via",
                                   "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"}) {
        const std::string bytes = with_field(name + ": 10.0.0.1");
        CHECK(parse(bytes).head.forwarded == name);
    }
    CHECK(parse(with_field("X-Forward: a")).head.forwarded.empty());
}

TEST_CASE("request head: malformed heads", "[server]") {
    const std::pair<const char*, std::string> cases[] = {
        {"nothing like HTTP", "hello\r\n\r\n"},
        {"TLS", std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8)},
        {"no target", "GET HTTP/1.1\r\n\r\n"},
        {"no version", "GET /\r\n\r\n"},
        {"a space before the colon", with_field("Accept : x")},
        {"no colon", with_field("Accept")},
        {"an empty name", with_field(": x")},
        {"a control character in a name", with_field("Ac\x01"
                                                     "cept: x")},
        {"a NUL in a value", with_field(std::string("Accept: x\0y", 11))},
        {"a bare CR", with_field("Accept: x\ry")},
        {"a folded value", with_field("Accept: x\r\n y")},
        {"a folded value with a tab", with_field("Idempotency-Key: x\r\n\ty")},
        {"a folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
        {"a negative length", with_field("Content-Length: -1")},
        {"a length with a sign", with_field("Content-Length: +1")},
        {"a length that is none", with_field("Content-Length: 1x")},
        {"a hexadecimal length", with_field("Content-Length: 0x10")},
        {"a length beyond 64 bits", with_field("Content-Length: 99999999999999999999999")},
        {"two lengths that differ", with_field("Content-Length: 1\r\nContent-Length: 2")},
        {"many empty lines", "\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n"},
    };
    for (const auto& [name, bytes] : cases) {
        DYNAMIC_SECTION(name) {
            const Parsed parsed = parse(bytes);
            CHECK((parsed.status == HeadStatus::kMalformed));
            CHECK(parsed.error.code == ErrorCode::kBadRequest);
            CHECK_FALSE(parsed.error.detail.empty());
        }
    }
}

// api/API.md "Conventions": framing errors are 400; 505 is for another version of HTTP.
TEST_CASE("request head: a broken request line is a bad request, not another version", "[server]") {
    for (const char* bytes : {"GET /a b HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n"}) {
        const Parsed parsed = parse(bytes);
        CHECK((parsed.status == HeadStatus::kMalformed));
        CHECK(parsed.error.code == ErrorCode::kBadRequest);
    }
}

TEST_CASE("request head: a length with an encoding is always noticed", "[server]") {
    const std::string bytes = with_field("Content-Length: 5\r\nTransfer-Encoding: chunked");
    const Parsed parsed = parse(bytes);
    // Either the parser refuses it or the gate sees it.
    CHECK((parsed.status == HeadStatus::kMalformed || parsed.head.transfer_encodings > 0));
}

TEST_CASE("request head: other versions of HTTP", "[server]") {
    for (const char* version : {"HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/9.9"}) {
        const std::string bytes = "GET / " + std::string{version} + "\r\nHost: a\r\n\r\n";
        const Parsed parsed = parse(bytes);
        INFO(version);
        CHECK((parsed.status == HeadStatus::kMalformed));
        CHECK(parsed.error.code == ErrorCode::kHttpVersion);
    }
}

TEST_CASE("request head: an empty line or two before the request are skipped", "[server]") {
    const std::string bytes = "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const Parsed parsed = parse(bytes);
    CHECK((parsed.status == HeadStatus::kComplete));
    CHECK(parsed.head.bytes == bytes.size());
    CHECK((parse("\r\n").status == HeadStatus::kNeedMore));
}

TEST_CASE("request head: up to 8 KiB and not a byte more", "[server]") {
    const std::string frame = "GET / HTTP/1.1\r\nHost: a\r\nX-Pad: \r\n\r\n";
    const auto padded = [&](std::size_t size) {
        return with_field("X-Pad: " + std::string(size - frame.size(), 'p'));
    };
    const std::string largest = padded(limits::kHeaderBytesMax);
    REQUIRE(largest.size() == limits::kHeaderBytesMax);
    CHECK((parse(largest).status == HeadStatus::kComplete));
    const Parsed larger = parse(padded(limits::kHeaderBytesMax + 1));
    CHECK((larger.status == HeadStatus::kMalformed));
    CHECK(larger.error.code == ErrorCode::kHeaderTooLarge);
    const Parsed endless = parse("GET /" + std::string(limits::kHeaderBytesMax, 'x'));
    CHECK((endless.status == HeadStatus::kMalformed));
    CHECK(endless.error.code == ErrorCode::kHeaderTooLarge);
}

TEST_CASE("request head: up to 100 fields and not one more", "[server]") {
    const auto fields = [](std::size_t count) {
        std::string bytes = "GET / HTTP/1.1\r\n";
        for (std::size_t i = 0; i < count; ++i)
            bytes += "X: y\r\n";
        return bytes + "\r\n";
    };
    CHECK((parse(fields(limits::kHeaderFieldsMax)).status == HeadStatus::kComplete));
    const Parsed more = parse(fields(limits::kHeaderFieldsMax + 1));
    CHECK((more.status == HeadStatus::kMalformed));
    CHECK(more.error.code == ErrorCode::kHeaderTooLarge);
}

TEST_CASE("request head: half of an empty line before a request is waited for", "[server]") {
    for (const char* bytes : {"\r", "\r\n", "\r\n\r"})
        CHECK((parse(bytes).status == HeadStatus::kNeedMore));
    CHECK((parse("\r\n\r\nGET / HTTP/1.1\r\n\r\n").status == HeadStatus::kComplete));
    CHECK((parse("\rGET / HTTP/1.1\r\n\r\n").status == HeadStatus::kMalformed));
}

TEST_CASE("request head: a repeated field that may occur once is noted", "[server]") {
    const auto repeated = [](const std::string& fields) {
        return std::string{parse("GET / HTTP/1.1\r\n" + fields + "\r\n").head.repeated};
    };
    CHECK(repeated("Origin: a\r\nX: b\r\n").empty());
    CHECK(repeated("Origin: a\r\nORIGIN: b\r\n") == "Origin");
    CHECK(repeated("Origin:\r\nOrigin: b\r\n") == "Origin");
    CHECK(repeated("Content-Type: a\r\ncontent-type: a\r\n") == "Content-Type");
    CHECK(repeated("sec-fetch-site: a\r\nSec-Fetch-Site: b\r\n") == "Sec-Fetch-Site");
    CHECK(repeated("sec-fetch-mode: a\r\nSec-Fetch-Mode: b\r\n") == "Sec-Fetch-Mode");
    CHECK(repeated("sec-fetch-dest: a\r\nSec-Fetch-Dest: b\r\n") == "Sec-Fetch-Dest");
}

TEST_CASE("request head: a list of lengths counts as several", "[server]") {
    const auto lengths = [](const std::string& value) {
        return parse("POST / HTTP/1.1\r\nContent-Length:" + value + "\r\n\r\n")
            .head.content_lengths;
    };
    CHECK(lengths(" 5 ") == 1);
    CHECK(lengths(" 5, 5") == 2);
}

TEST_CASE("request head: any bytes are parsed without a throw or a wild view", "[server]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const std::string good =
        "POST /v1/sessions/a/events HTTP/1.1\r\nHost: localhost:7717\r\nContent-Length: 5\r\n"
        "Content-Type: application/json\r\nX-Request-Id: abc\r\n\r\n";
    static constexpr char kTokens[] = {'\r', '\n', ' ', ':', '\t', '/', '\0', 'H', '\x80'};
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = gen.chance(4) ? gen.bytes(gen.below(300)) : good;
        for (std::uint64_t i = gen.below(4); i > 0 && !bytes.empty(); --i)
            bytes[gen.index(bytes.size())] = gen.pick(kTokens);
        const Parsed parsed = parse(bytes);
        if (parsed.status != HeadStatus::kComplete) continue;
        REQUIRE(parsed.head.bytes <= bytes.size());
        for (const std::string_view view : {parsed.head.target, parsed.head.host,
                                            parsed.head.content_type, parsed.head.request_id}) {
            const bool inside =
                view.empty() || (view.data() >= bytes.data() &&
                                 view.data() + view.size() <= bytes.data() + bytes.size());
            REQUIRE(inside);
        }
    }
}
