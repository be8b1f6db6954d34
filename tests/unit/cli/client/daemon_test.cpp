// SPDX-License-Identifier: Apache-2.0
#include "cli/client/daemon.hpp"

#include <catch2/catch.hpp>

#include "tests/support/daemon_urls.hpp"
#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

std::string url_of(std::string_view flag, const std::map<std::string, std::string>& environment) {
    const auto url = daemon_url(flag, environment);
    return url ? *url : "error: " + url.error().detail;
}

HttpReply reply_of(int status, std::string body) {
    HttpReply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
}

}  // namespace

TEST_CASE("daemon: the flag beats the variable, which beats the default", "[cli]") {
    CHECK(url_of("", {}) == "http://127.0.0.1:7717");
    CHECK(url_of("", {{"HEADWAY_URL", "http://a:1/"}}) == "http://a:1");
    CHECK(url_of("b:2", {{"HEADWAY_URL", "http://a:1"}}) == "http://b:2");
    CHECK(url_of("https://c/base", {}) == "https://c/base");
    CHECK(url_of("unix:/run/a.sock", {}) == "unix:/run/a.sock");
    CHECK(url_of("", {{"HEADWAY_URL", "unix:///run/a.sock"}}) == "unix:/run/a.sock");
    for (const char* text :
         {"unix:a.sock", "unix:", "ftp://x", "http://", "http://a b", "http://a?x=1"}) {
        CHECK_THAT(url_of(text, {}), Catch::StartsWith("error: "));
    }
}

TEST_CASE("daemon: a URL is read as every client reads it", "[cli]") {
    for (const auto& [given, kind, normal] : headway::tests::daemon_urls()) {
        CAPTURE(given);
        const std::string read = url_of(given, {});
        CHECK((kind == "wrong" ? read.substr(0, 7) == "error: " : read == normal));
    }
    const std::string wrong = url_of("http://ana:s3cret@127.0.0.1", {});
    CHECK_THAT(wrong, Catch::Contains("is no URL of a daemon; write http://HOST:PORT"));
    CHECK_THAT(wrong, !Catch::Contains("s3cret"));
}

TEST_CASE("daemon: ids are encoded in paths", "[cli]") {
    CHECK(session_path("a:b-1", "/wait") == "/v1/sessions/a%3Ab-1/wait");
    CHECK(session_path("../x") == "/v1/sessions/..%2Fx");
    CHECK(url_encode("settled,stuck é") == "settled%2Cstuck%20%C3%A9");
}

TEST_CASE("daemon: problems are read, and other bodies survive", "[cli]") {
    const Problem problem = problem_of(reply_of(
        409, R"({"code":"session_ended","detail":"it has \u001b[31mended","retryable":true})"));
    CHECK(problem.code == "session_ended");
    CHECK(problem.detail == "it has \\u{1b}[31mended");
    CHECK(problem.retryable);
    CHECK(problem_of(reply_of(500, "<html>")).detail == "HTTP status 500");
    CHECK(problem_of(reply_of(500, "[1]")).code.empty());
    CHECK(problem_of(reply_of(500, R"({"code":7,"title":"Oops"})")).detail == "Oops");
}

TEST_CASE("daemon: what may pass is tried again, what is wrong is not", "[cli]") {
    for (const int status : {0, 408, 502, 503, 504, 507}) {
        CHECK(worth_retrying(reply_of(status, "")));
    }
    for (const int status : {200, 400, 404, 409, 422, 500}) {
        CHECK_FALSE(worth_retrying(reply_of(status, "")));
    }
}

TEST_CASE("daemon: a reply without its header is another program's, but where a proxy's is like it",
          "[cli]") {
    for (const int status : {200, 400, 401, 404, 405, 409, 501}) {
        HttpReply reply = reply_of(status, R"({"code":"unknown_session"})");
        CHECK(is_of_another_program(reply));
        reply.headers.emplace("x-headway", "1");
        CHECK_FALSE(is_of_another_program(reply));
    }
    for (const int status : {0, 413, 502, 503})
        CHECK_FALSE(is_of_another_program(reply_of(status, "")));
    HttpReply emptied = reply_of(0, "");
    emptied.foreign = true;
    CHECK(is_of_another_program(emptied));
}

TEST_CASE("daemon: pauses grow to two seconds and start again", "[cli]") {
    using std::chrono::milliseconds;
    Backoff backoff;
    CHECK(backoff.next() < milliseconds{150});
    milliseconds last{};
    for (int i = 0; i < 10; ++i)
        last = backoff.next();
    CHECK(last >= milliseconds{2'000});
    CHECK(last <= milliseconds{3'000});
    backoff.reset();
    CHECK(backoff.next() < milliseconds{150});
}

TEST_CASE("daemon: broken text does not break JSON", "[cli]") {
    CHECK(parsed(dump({{"a", "\xFF"}}))["a"] == "\xEF\xBF\xBD");
}
