// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/sanitize.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

namespace {

std::string clean(std::string_view text, std::string_view workspace = {}) {
    return sanitized(text, workspace, 500);
}

}  // namespace

TEST_CASE("sanitize: values of secret-sounding names are removed", "[core]") {
    CHECK(clean("password=hunter2 is wrong") == "password=[redacted] is wrong");
    CHECK(clean("DB_PASSWORD: hunter2, user: ana") == "DB_PASSWORD: [redacted], user: [user]");
    CHECK(clean(R"({"api_key": "abc123", "model": "x"})") ==
          R"({"api_key": "[redacted]", "model": "x"})");
    CHECK(clean("GET /?access_token=abc&page=2 failed") ==
          "GET /?access_token=[redacted]&page=2 failed");
    CHECK(clean("Authorization: Basic dXNlcjpwYXNz\nHost: x") ==
          "Authorization: [redacted] Host: x");
    CHECK(clean("Cookie: a=b; c=d\nnext") == "Cookie: [redacted] next");
    CHECK(clean("curl -H 'Authorization: Bearer abc.def'") ==
          "curl -H 'Authorization: [redacted]'");
    CHECK(clean("sent Bearer abc.def to it") == "sent Bearer [redacted] to it");
}

TEST_CASE("sanitize: tokens of known shapes are removed anywhere", "[core]") {
    for (const char* token :
         {"sk-proj-0123456789abcdefghij", "ghp_0123456789abcdefghij0123456789abcdef",
          "github_pat_11ABCDEFG0abcdefghijkl", "glpat-0123456789abcdefghij",
          "xoxb-123456789012-abcdefghijkl", "AKIAIOSFODNN7EXAMPLE",
          "AIzaSyA0123456789abcdefghijklmnopqrstuv",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"}) {
        CHECK(clean("rejected " + std::string{token} + " (401)") == "rejected [redacted] (401)");
    }
    CHECK(clean("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nbad") ==
          "[redacted] bad");
    CHECK(clean("-----BEGIN RSA PRIVATE KEY-----\nMIIE cut off") == "[redacted]");
}

TEST_CASE("sanitize: the user part of a URL is removed, the rest stays", "[core]") {
    CHECK(clean("cannot clone https://ana:pw@git.example.com/a/b.git now") ==
          "cannot clone https://[redacted]@git.example.com/a/b.git now");
    CHECK(clean("GET https://example.com/a/b 404") == "GET https://example.com/a/b 404");
}

TEST_CASE("sanitize: absolute paths lose their folders, except those of the workspace", "[core]") {
    CHECK(clean("open '/home/ana/secret/plan.txt': denied") == "open '…/plan.txt': denied");
    CHECK(clean("~/.ssh/id_rsa: denied") == "…/id_rsa: denied");
    CHECK(clean("C:\\Users\\ana\\plan.txt is locked") == "…/plan.txt is locked");
    CHECK(clean("/srv/app/src/a.py:4: error in /srv/application/b.py", "/srv/app") ==
          "src/a.py:4: error in …/b.py");
    CHECK(clean("cd /srv/app", "/srv/app/") == "cd .");
    CHECK(clean("open /home/ana/a.py password=hunter2", "/") ==
          "open /home/ana/a.py password=[redacted]");
    CHECK(clean("src/a.py:4: 3/4 failed and/or skipped") ==
          "src/a.py:4: 3/4 failed and/or skipped");
}

TEST_CASE("sanitize: sanitizing twice changes nothing", "[core]") {
    CHECK(clean("password=[redacted]") == "password=[redacted]");
    CHECK(clean("{\"token\": \"[redacted]\"} and api_key: [redacted]]") ==
          "{\"token\": \"[redacted]\"} and api_key: [redacted]]");
    CHECK(clean(clean("password=hunter2, Authorization: Bearer abc")) ==
          clean("password=hunter2, Authorization: Bearer abc"));
}

TEST_CASE("sanitize: mail addresses, IP addresses and user names are removed", "[core]") {
    CHECK(clean("ask ann.k@example.com now") == "ask [mail] now");
    CHECK(clean("ann@buildhost: Permission denied (publickey)") ==
          "[user]: Permission denied (publickey)");
    CHECK(clean("connect to 10.1.2.3:5432 failed") == "connect to [ip]:5432 failed");
    CHECK(clean("no route to 2001:db8::7 or fe80::1") == "no route to [ip] or [ip]");
    CHECK(clean("http://10.1.2.3/x refused") == "http://[ip]/x refused");
    CHECK(clean("authentication failed for user \"ann\"") ==
          "authentication failed for user \"[user]\"");
    CHECK(clean("FATAL: role \"ann\" does not exist") == "FATAL: role \"[user]\" does not exist");
    CHECK(clean("uid=1000(ann) gid=1000(ann) groups=1000(ann),27(sudo) x") ==
          "uid=1000([user]) gid=1000([user]) groups=1000([user]),27([user]) x");
    CHECK(clean("uid=1000(ann") == "uid=1000(ann");
    CHECK(clean("username=ann&x=1") == "username=[user]&x=1");
    CHECK(clean("{\"user\": \"ann\", \"age\": 3}") == "{\"user\": \"[user]\", \"age\": 3}");
    CHECK(clean("cannot stat /home/ann") == "cannot stat …/[user]");
    CHECK(clean("C:\\Users\\ann is locked") == "…/[user] is locked");
}

TEST_CASE("sanitize: text that only resembles an address stays", "[core]") {
    for (const char* text :
         {"lodash@4.17.21 is deprecated", "std::vector at 12:34:56", "127.0.0.1:8080 and ::1",
          "version 1.2.3", "1.2.3.4.5", "300.1.1.1", "the user input is invalid",
          "{\"role\": \"assistant\"}", "the role of x", "uid=0", "gid=", "a::b::c"}) {
        CHECK(clean(text) == text);
    }
}

TEST_CASE("sanitize: text without secrets stays", "[core]") {
    for (const char* text : {"SyntaxError: unexpected token '}' at line 4", "9 of 12 tests failed",
                             "task-1 sk-1 risk-based", "the token limit was reached", ""}) {
        CHECK(clean(text) == text);
    }
}

TEST_CASE("sanitize: the result is one line and bounded", "[core]") {
    CHECK(clean("a\n\n  b\tc\x01"
                "d") == "a b c d");
    const std::string cut = sanitized(std::string(1000, 'x'), {}, 100);
    CHECK(cut.size() <= 100);
    CHECK(cut.ends_with("…"));
    CHECK(sanitized(std::string(90, 'x') + " password=hunter2hunter2", {}, 100).find("hunter") ==
          std::string::npos);
}
