// SPDX-License-Identifier: Apache-2.0
#include "server/http/message/gate.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

namespace {

RequestHead good() {
    RequestHead head;
    head.target = "/livez";
    head.host = "127.0.0.1:7717";
    head.hosts = 1;
    return head;
}

const GateSettings& settings() {
    static const GateSettings kSettings =
        gate_settings(7717, {"Headway.example", "[fd00::1]", "proxy:8443"});
    return kSettings;
}

}  // namespace

TEST_CASE("gate: hosts that are ours", "[server]") {
    for (const char* host : {"127.0.0.1:7717", "localhost:7717", "LOCALHOST:7717", "[::1]:7717",
                             "headway.example", "HEADWAY.EXAMPLE:9", "headway.example:443",
                             "[fd00::1]", "[fd00::1]:7717", "proxy:8443"}) {
        RequestHead head = good();
        head.host = host;
        INFO(host);
        CHECK(check_head(head, settings()).has_value());
    }
}

TEST_CASE("gate: hosts that are not", "[server]") {
    for (const char* host :
         {"", "127.0.0.1", "localhost", "127.0.0.1:80", "localhost:77170", "evil.example",
          "localhost.evil.example:7717", "evil.headway.example", "127.0.0.1:7717:7717", "[::1]",
          "proxy", "proxy:443", "headway.example.", " localhost:7717", "user@localhost:7717"}) {
        RequestHead head = good();
        head.host = host;
        INFO(host);
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kUnknownHost);
    }
}

TEST_CASE("gate: on ports 80 and 443 the port may be left out", "[server]") {
    RequestHead head = good();
    head.host = "localhost";
    CHECK(check_head(head, gate_settings(80, {})).has_value());
    CHECK(check_head(head, gate_settings(443, {})).has_value());
    CHECK_FALSE(check_head(head, gate_settings(8443, {})).has_value());
}

TEST_CASE("gate: framing that is refused", "[server]") {
    RequestHead head = good();
    SECTION("no Host") {
        head.hosts = 0;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
    SECTION("two Hosts") {
        head.hosts = 2;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
    SECTION("a coding that is not chunked") {
        head.transfer_encodings = 1;
        const auto done = check_head(head, settings());
        CHECK(code_of(done) == ErrorCode::kLengthRequired);
        CHECK(done.error().field == "Transfer-Encoding");
    }
    SECTION("chunked twice") {
        head.transfer_encodings = 2;
        head.chunked = true;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kLengthRequired);
    }
    SECTION("chunked with a length") {
        head.transfer_encodings = head.content_lengths = 1;
        head.chunked = true;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
    SECTION("chunked in HTTP/1.0") {
        head.transfer_encodings = 1;
        head.chunked = head.http_1_0 = true;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
    SECTION("two Content-Lengths") {
        head.content_lengths = 2;
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
}

TEST_CASE("gate: targets that are refused", "[server]") {
    for (const std::string target :
         {"", "*", "livez", "http://localhost:7717/livez", "/a#b", "/a b", "/a\tb", "/\x7f",
          "/\xC3\xA4", "/a\\b", "/a%00b", "/?x=%00"}) {
        RequestHead head = good();
        head.target = target;
        INFO(target);
        CHECK(code_of(check_head(head, settings())) == ErrorCode::kBadRequest);
    }
}

TEST_CASE("gate: origins", "[server]") {
    struct Case {
        const char* origin;
        const char* fetch_site;
        bool allowed;
    };
    const Case cases[] = {
        {"", "", true},
        {"http://127.0.0.1:7717", "", true},
        {"http://localhost:7717", "same-origin", true},
        {"https://headway.example", "", true},
        {"", "none", true},
        {"null", "", false},
        {"http://evil.example", "", false},
        {"http://localhost:3000", "", false},
        {"http://localhost", "", false},
        {"file://localhost:7717", "", false},
        {"localhost:7717", "", false},
        {"", "cross-site", false},
        {"", "same-site", false},
        {"http://localhost:7717", "cross-site", false},
        {"http://127.0.0.1:7717.evil.example", "", false},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION("'" << c.origin << "' '" << c.fetch_site << "'") {
            RequestHead head = good();
            head.origin = c.origin;
            head.fetch_site = c.fetch_site;
            const auto checked = check_head(head, settings());
            CHECK(checked.has_value() == c.allowed);
            if (!c.allowed) CHECK(code_of(checked) == ErrorCode::kForbiddenOrigin);
        }
    }
}

TEST_CASE("gate: a person may follow a link of another page to the page, and to nothing else",
          "[server]") {
    struct Case {
        Method method;
        const char* target;
        const char* mode;
        const char* dest;
        bool allowed;
    };
    const Case cases[] = {
        {Method::kGet, "/", "navigate", "document", true},
        {Method::kGet, "/?x", "navigate", "document", true},
        {Method::kGet, "/login?code=abc", "navigate", "document", true},
        {Method::kGet, "/", "navigate", "iframe", false},
        {Method::kGet, "/", "no-cors", "document", false},
        {Method::kGet, "/", "", "", false},
        {Method::kGet, "/v1/overview", "navigate", "document", false},
        {Method::kGet, "/login/x", "navigate", "document", false},
        {Method::kGet, "/ping/x/fail", "navigate", "document", false},
        {Method::kPost, "/", "navigate", "document", false},
    };
    for (const Case& c : cases) {
        INFO(c.target << " " << c.mode << " " << c.dest);
        RequestHead head = good();
        head.method = c.method;
        head.target = c.target;
        head.fetch_mode = c.mode;
        head.fetch_dest = c.dest;
        for (const char* site : {"cross-site", "same-site"}) {
            head.fetch_site = site;
            CHECK(check_head(head, settings()).has_value() == c.allowed);
        }
        head.origin = "http://evil.example";
        CHECK_FALSE(check_head(head, settings()).has_value());
    }
}

TEST_CASE("gate: bodies", "[server]") {
    struct Case {
        const char* name;
        const char* route;
        std::optional<std::uint64_t> length;
        const char* type;
        std::optional<ErrorCode> refused;
    };
    const Case cases[] = {
        {"none", "reportEvents", std::nullopt, "", {}},
        {"empty without a type", "reportHeartbeat", 0, "", {}},
        {"JSON", "reportEvents", 10, "application/json", {}},
        {"JSON with a parameter", "endSession", 10, "Application/JSON ; charset=utf-8", {}},
        {"lines", "reportEvents", 10, "application/x-ndjson", {}},
        {"lines elsewhere", "endSession", 10, "application/x-ndjson",
         ErrorCode::kUnsupportedMediaType},
        {"no type", "reportEvents", 10, "", ErrorCode::kUnsupportedMediaType},
        {"a form", "reportEvents", 10, "text/plain", ErrorCode::kUnsupportedMediaType},
        {"a longer name", "reportEvents", 10, "application/json2",
         ErrorCode::kUnsupportedMediaType},
        {"the largest", "reportEvents", limits::kReportBodyBytesMax, "application/json", {}},
        {"too large", "reportEvents", limits::kReportBodyBytesMax + 1, "application/json",
         ErrorCode::kBodyTooLarge},
        {"too large elsewhere", "endSession", limits::kControlBodyBytesMax + 1, "application/json",
         ErrorCode::kBodyTooLarge},
        {"absurd", "reportEvents", UINT64_MAX, "application/json", ErrorCode::kBodyTooLarge},
        {"where none belongs", "isAlive", 1, "application/json", ErrorCode::kBodyTooLarge},
        {"an empty one where none belongs", "isAlive", 0, "", {}},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            RequestHead head = good();
            head.content_length = c.length;
            head.content_type = c.type;
            const auto checked = check_body(head, endpoint_named(c.route).body);
            if (c.refused) {
                CHECK(code_of(checked) == *c.refused);
            } else {
                CHECK(checked.has_value());
            }
        }
    }
}

TEST_CASE("gate: codings and charsets of bodies", "[server]") {
    struct Case {
        const char* type;
        const char* coding;
        bool taken;
        bool packed;
    };
    const Case cases[] = {
        {"application/json", "gzip", true, true},
        {"application/json", "X-GZIP", true, true},
        {"application/json", "identity", true, false},
        {"application/json", "", true, false},
        {"application/json", "deflate", false, false},
        {"application/json", "br", false, false},
        {"application/json", "gzip, gzip", false, false},
        {"application/json", "gzip,", false, false},
        {"application/json; charset=utf-8", "", true, false},
        {"application/json;CHARSET=\"UTF-8\"", "", true, false},
        {"application/json; x=y; charset=us-ascii", "", true, false},
        {"application/json; charset=utf-16", "", false, false},
        {"application/json; charset=iso-8859-1", "", false, false},
        {"application/json; charset=", "", false, false},
        {"application/json; x=y; charset=latin1", "", false, false},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION("'" << c.type << "' '" << c.coding << "'") {
            RequestHead head = good();
            head.content_length = 10;
            head.content_type = c.type;
            head.content_encoding = c.coding;
            const auto checked = check_body(head, endpoint_named("reportEvents").body);
            CHECK(checked.has_value() == c.taken);
            if (!c.taken) CHECK(code_of(checked) == ErrorCode::kUnsupportedMediaType);
            CHECK(head.gzip == c.packed);
        }
    }
}

TEST_CASE("gate: an absolute target that names us is as good as a path", "[server]") {
    const std::pair<const char*, const char*> cases[] = {
        {"http://localhost:7717/livez?a=b", "/livez?a=b"},
        {"HTTP://127.0.0.1:7717", "/"},
        {"https://headway.example/x", "/x"},
        {"http://evil.example/livez", "http://evil.example/livez"},
        {"http://localhost:7717@evil.example/", "http://localhost:7717@evil.example/"},
        {"http://user@localhost:7717/", "http://user@localhost:7717/"},
        {"http:///livez", "http:///livez"},
        {"ftp://localhost:7717/livez", "ftp://localhost:7717/livez"},
    };
    for (const auto& [target, path] : cases) {
        RequestHead head = good();
        head.target = target;
        strip_authority(head, settings());
        CHECK(head.target == path);
    }
}

TEST_CASE("gate: what came by way of a proxy is refused where everybody is let in", "[server]") {
    RequestHead head = good();
    GateSettings open = settings();
    head.forwarded = "X-Real-IP";
    CHECK(check_head(head, open).has_value());
    open.refuse_forwarded = true;
    const auto done = check_head(head, open);
    CHECK(code_of(done) == ErrorCode::kForbidden);
    CHECK(done.error().field == "X-Real-IP");
    CHECK_THAT(done.error().detail, Catch::Contains("server.behind_proxy"));
}

TEST_CASE("gate: request ids that are taken over", "[server]") {
    CHECK(usable_request_id("a-B.9:_"));
    CHECK(usable_request_id(std::string(64, 'x')));
    for (const std::string& bad : {std::string{}, std::string(65, 'x'), std::string{"a b"},
                                   std::string{"a\r\nX: y"}, std::string{"ä"}})
        CHECK_FALSE(usable_request_id(bad));
}

TEST_CASE("gate: the connection closes when the next request cannot be found", "[server]") {
    for (const ErrorCode code :
         {ErrorCode::kBadRequest, ErrorCode::kLengthRequired, ErrorCode::kHeaderTooLarge,
          ErrorCode::kBodyTooLarge, ErrorCode::kHttpVersion, ErrorCode::kRequestTimeout})
        CHECK(breaks_framing(code));
    for (const ErrorCode code : {ErrorCode::kInvalidJson, ErrorCode::kUnknownRoute,
                                 ErrorCode::kUnknownHost, ErrorCode::kOverloaded})
        CHECK_FALSE(breaks_framing(code));
}

TEST_CASE("gate: a field that came twice is named", "[server]") {
    RequestHead head = good();
    head.repeated = "Origin";
    const auto done = check_head(head, settings());
    CHECK(code_of(done) == ErrorCode::kBadRequest);
    CHECK(done.error().field == "Origin");
}
