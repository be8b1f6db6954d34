// SPDX-License-Identifier: Apache-2.0
#include "server/web/web_pages.hpp"

#include <catch2/catch.hpp>

#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;

namespace {

// "import './b.js'", compressed: a client that does not accept gzip gets it as it was.
constexpr std::string_view kPacked{
    "\037\213\010\000\000\000\000\000\002\003\313\314\055\310\057\052"
    "\121\120\327\323\117\322\313\052\126\007\000\162\336\033\076\017"
    "\000\000\000",
    35};

constexpr WebFile kFiles[] = {{"app.js", "text/javascript", "", kPacked},
                              {"docs/agents.html", "text/html", "<h1>", ""},
                              {"icon.svg", "image/svg+xml", "<svg/>", ""},
                              {"index.html", "text/html", "<p>", ""}};
constexpr WebFiles kWeb{"0a1b", kFiles};

Response asset(std::string_view path, const RequestHead& head = {}) {
    auto response = asset_response(kWeb, path, head);
    REQUIRE(response.has_value());
    return *response;
}

}  // namespace

TEST_CASE("web pages: a file of this build may be cached, one of another build not", "[server]") {
    CHECK(asset("0a1b/app.js").cache_control == "public, max-age=31536000, immutable");
    CHECK(asset("0a1b/app.js").content_type == "text/javascript");
    CHECK(asset("ffff/app.js").cache_control == "no-cache");
    CHECK(asset("ffff/app.js").body == "import './b.js'");
}

TEST_CASE("web pages: what is not a file is not found", "[server]") {
    for (const char* path : {"0a1b/none.js", "app.js", "0a1b/", "0a1b/../app.js", "/app.js/", ""}) {
        INFO(path);
        CHECK(code_of(asset_response(kWeb, path, {})) == ErrorCode::kUnknownRoute);
    }
}

TEST_CASE("web pages: compressed if the client accepts it and it is shorter", "[server]") {
    RequestHead head;
    head.accept_encoding = "br, gzip";
    CHECK(asset("0a1b/app.js", head).body == kPacked);
    CHECK_THAT(asset("0a1b/app.js", head).headers, Catch::Contains("Content-Encoding: gzip\r\n"));
    CHECK(asset("0a1b/icon.svg", head).body == "<svg/>");
    CHECK_THAT(asset("0a1b/icon.svg", head).headers, !Catch::Contains("Content-Encoding"));
    for (int again = 0; again < 2; ++again) {
        CHECK(asset("0a1b/app.js").body == "import './b.js'");
        CHECK_THAT(asset("0a1b/app.js").headers, !Catch::Contains("Content-Encoding"));
    }
}

TEST_CASE("web pages: whether an Accept-Encoding takes gzip", "[server]") {
    for (const char* taken : {"gzip", "br, gzip", "deflate,gzip;q=0.5", "*", "gzip ; q=1.0"}) {
        INFO(taken);
        CHECK(accepts_gzip(taken));
    }
    for (const char* not_taken : {"", "br", "gzip;q=0", "gzip; q=0.000, br", "xgzip", "*;q=0"}) {
        INFO(not_taken);
        CHECK_FALSE(accepts_gzip(not_taken));
    }
}

TEST_CASE("web pages: a current copy gets 304", "[server]") {
    const auto first = page_response(kWeb, "index.html", {});
    REQUIRE(first.has_value());
    CHECK(first->status == 200);
    CHECK_THAT(first->headers, Catch::Contains("ETag: W/\"0a1b\"\r\n"));
    RequestHead head;
    head.if_none_match = "\"other\", W/\"0a1b\"";
    CHECK(page_response(kWeb, "index.html", head)->status == 304);
    CHECK(page_response(kWeb, "index.html", head)->body.empty());
    head.if_none_match = "W/\"0a1\"";
    CHECK(page_response(kWeb, "index.html", head)->status == 200);
}

TEST_CASE("web pages: no script but our own runs in them", "[server]") {
    const auto page = page_response(kWeb, "index.html", {});
    REQUIRE(page.has_value());
    CHECK_THAT(page->headers, Catch::Contains("default-src 'none'; script-src 'self';"));
    CHECK_THAT(asset("0a1b/icon.svg").headers, Catch::Contains("Content-Security-Policy: "));
}

TEST_CASE("web pages: a page of the documentation has its name, and the index lists them",
          "[server]") {
    const auto found = docs_response(kWeb, "agents", {});
    REQUIRE(found.has_value());
    CHECK(found->body == "<h1>");
    CHECK(found->cache_control == "no-cache");
    CHECK_THAT(found->headers, Catch::Contains("default-src 'none'; script-src 'self';"));
    for (const char* name : {"", "agent", "agents.html", "Agents", "../index", "docs/agents"}) {
        INFO(name);
        const auto missing = docs_response(kWeb, name, {});
        CHECK(code_of(missing) == ErrorCode::kUnknownRoute);
        CHECK_THAT(missing.error().detail, Catch::Contains("/docs lists them"));
    }
}

TEST_CASE("web pages: a missing page is an error", "[server]") {
    CHECK(code_of(page_response({}, "index.html", {})) == ErrorCode::kInternal);
}
