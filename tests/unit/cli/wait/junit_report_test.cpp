// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/junit_report.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"

using namespace headway::cli;

namespace {

Json junit_reply(const char* text) {
    return Json::parse(text).value();
}

constexpr const char* kSeveral = R"({"met":true,"sessions":{
    "a":{"verdict":{"status":"completed","reason":"done"}},
    "b":{"verdict":{"status":"stuck","reason":"the same edit failed"}},"c":null},
    "matched":{"a":"completed","b":"stuck"},"causes":{}})";

}  // namespace

TEST_CASE("junit: one session that was met is one case", "[cli]") {
    const Json reply = junit_reply(
        R"({"session":"a","met":true,"matched":"completed","verdict":{"status":"completed"}})");
    const auto cases = junit_cases(reply, {"a"}, kExitOk);
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].session == "a");
    CHECK(cases[0].failure.empty());
    CHECK_FALSE(cases[0].skipped);
}

TEST_CASE("junit: a verdict that is no success is a failure with its reason", "[cli]") {
    const auto cases = junit_cases(junit_reply(kSeveral), {"b", "a", "c"}, kExitStuck);
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].failure == "stuck");
    CHECK(cases[0].message == "the same edit failed");
    CHECK(cases[1].failure.empty());
    CHECK(cases[2].skipped);  // others were enough
}

TEST_CASE("junit: a reply that names no known verdict is a failure", "[cli]") {
    const auto of = [](const std::string& matched) {
        const std::string one = R"({"session":"a","met":true,"matched":)" + matched + "}";
        return junit_cases(junit_reply(one.c_str()), {"a"}, kExitDaemonError)[0];
    };
    CHECK(of(R"("exhausted")").failure == "exhausted");
    for (const char* const matched : {"7", "true", R"(["completed"])", R"("")"}) {
        CHECK(of(matched).failure == "no_verdict");
        CHECK_FALSE(of(matched).message.empty());
        CHECK_FALSE(of(matched).skipped);
    }
    const auto several = junit_cases(
        junit_reply(
            R"({"met":true,"sessions":{"a":{},"b":{},"c":{}},"matched":{"a":"completed","b":7,"c":null}})"),
        {"a", "b", "c"}, kExitDaemonError);
    CHECK(several[0].failure.empty());
    CHECK(several[1].failure == "no_verdict");
    CHECK(several[2].failure.empty());
    const auto none = junit_cases(junit_reply(R"({"met":true,"sessions":{"a":{}},"matched":[]})"),
                                  {"a"}, kExitDaemonError);
    CHECK(none[0].failure == "no_verdict");
    CHECK_FALSE(none[0].skipped);
    const auto event =
        junit_cases(junit_reply(R"({"session":"a","met":true,"matched":null})"), {"a"}, kExitOk);
    CHECK(event[0].failure.empty());
}

TEST_CASE("junit: what was given up says why", "[cli]") {
    const Json one = junit_reply(
        R"({"session":"a","met":false,"impossible":true,"cause":"silent","verdict":{"status":"silent","reason":"no heartbeat"}})");
    CHECK(junit_cases(one, {"a"}, kExitSilent)[0].failure == "silent");
    const Json open = junit_reply(
        R"({"session":"a","met":false,"verdict":{"status":"progressing","reason":"works"}})");
    CHECK(junit_cases(open, {"a"}, kExitTimeout)[0].failure == "timeout");
    const Json never = junit_reply(R"({"met":false,"sessions":{"a":null},"matched":{},
        "causes":{"a":"never_opened"}})");
    CHECK(junit_cases(never, {"a"}, kExitNeverOpened)[0].failure == "never_opened");
    CHECK(junit_cases({}, {"a"}, kExitUnreachable)[0].failure == "no_answer");
    CHECK_FALSE(junit_cases({}, {"a"}, kExitUnreachable)[0].message.empty());
    CHECK_FALSE(junit_cases(never, {"a"}, kExitNeverOpened)[0].message.empty());
    CHECK(junit_cases(open, {"a"}, kExitTimeout)[0].message == "works");
}

TEST_CASE("junit: a session that works has not failed because of another one", "[cli]") {
    const auto of = [](const std::string& b, const std::string& impossible, int code) {
        const std::string reply = R"({"met":false,"impossible":)" + impossible +
                                  R"(,"sessions":{"a":{"verdict":{"status":"progressing",)"
                                  R"("reason":"works"}},"b":null},"matched":{},"causes":{)" +
                                  b + "}}";
        return junit_cases(junit_reply(reply.c_str()), {"a", "b"}, code);
    };
    const auto never = of(R"("b":"never_opened")", "true", kExitNeverOpened);
    CHECK(never[0].skipped);
    CHECK(never[0].failure.empty());
    CHECK(never[1].failure == "never_opened");
    const auto silent = of(R"("b":"silent")", "true", kExitSilent);
    CHECK(silent[0].skipped);
    CHECK(silent[1].failure == "silent");
    const auto late = of("", "false", kExitTimeout);
    CHECK(late[0].failure == "timeout");
    CHECK_FALSE(late[0].skipped);
}

TEST_CASE("junit: the report counts, and escapes what agents wrote", "[cli]") {
    const Json reply = junit_reply(
        R"({"session":"b<\"&>","met":true,"matched":"failed","verdict":{"status":"failed",)"
        R"("reason":"x\u001b[31m]]> \uffff \u0000"}})");
    JunitCase bad = junit_cases(reply, {"b<\"&>"}, kExitFailed)[0];
    bad.lines = {"<done>", "a & b"};
    const JunitCase cases[] = {{"a", false, {}, {}, {}}, bad, {"c", true, {}, {}, {}}};
    const std::string xml = junit_report(cases, std::chrono::milliseconds{1'250});
    CHECK_THAT(xml,
               Catch::Contains(R"(tests="3" failures="1" errors="0" skipped="1" time="1.250")"));
    CHECK_THAT(xml, Catch::Contains(R"(name="b&lt;&quot;&amp;&gt;")"));
    CHECK_THAT(xml, Catch::Contains("&lt;done&gt;\na &amp; b\n"));
    CHECK_THAT(
        xml, Catch::Contains(
                 R"(<failure type="failed" message="failed: x\u{1b}[31m]]&gt; \u{ffff} \u{0}"/>)"));
}
