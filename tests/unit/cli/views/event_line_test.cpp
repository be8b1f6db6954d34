// SPDX-License-Identifier: Apache-2.0
#include "cli/views/event_line.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

TEST_CASE("event line: each type in a few words", "[cli]") {
    struct Case {
        const char* type;
        const char* data;
        const char* summary;
    };
    const Case cases[] = {
        {"session.started", R"({"goal":"fix it","agent":{"type":"coder","model":"q"}})",
         "fix it (coder q)"},
        {"session.started", R"({"agent":{"type":"plan"}})", "(plan)"},
        {"heartbeat",
         R"({"phase":"run","iteration":3,"resources":{"cpu_ms":5100,"rss_bytes":1048576,"disk_bytes":0}})",
         "phase run, iteration 3, cpu 5.1s, rss 1.0 MiB"},
        {"heartbeat", "{}", ""},
        {"tool.started", R"({"tool":"bash","args":{"command":"make test"}})", "bash: make test"},
        {"tool.finished", R"({"tool":"bash","args":{"argv":["make","-j2"]},"duration_ms":5120})",
         "bash ok 5.1s: make -j2"},
        {"tool.finished", R"({"tool":"bash","duration_ms":9223372036854775807})",
         "bash ok 104166666d16h"},
        {"tool.finished", R"({"tool":"bash","duration_ms":-1e300})", "bash ok 0ms"},
        {"heartbeat", R"({"resources":{"cpu_ms":9223372036854775807,"rss_bytes":1}})",
         "cpu 104166666d16h, rss 1 B"},
        {"tool.finished", R"({"tool":"bash","ok":false,"error":{"message":"2 failed"}})",
         "bash FAILED: 2 failed"},
        {"message", R"({"role":"stdout","text":"one\ntwo\nthree\n"})", "stdout: three (+2 lines)"},
        {"message", R"({"role":"assistant","text":{"head":"long","tail":"x","digest":"d"}})",
         "assistant: long"},
        {"verdict.changed", R"({"from":"progressing","to":"stuck","reason":"same call 4 times"})",
         "progressing -> stuck: same call 4 times"},
        {"test.result", R"({"passed":3,"failed":1,"command":"ctest"})",
         "3 passed, 1 failed: ctest"},
        {"progress.estimated", R"({"percent":40,"reasoning":"half"})", "40 %: half"},
        {"progress.estimated", R"({"percent":40,"source":"judge","judge":"local"})",
         "40 % (judge local)"},
        {"progress.estimated",
         R"({"percent":0,"source":"judge","judge":"local","fallback":true,"reasoning":"late"})",
         "0 % (no answer of a judge): late"},
        {"session.ended", R"({"outcome":"failed","reason":"exit status 2"})",
         "failed: exit status 2"},
        {"directive.issued", R"({"id":"d1","kind":"stop","reason":"enough"})", "stop: enough"},
        {"approval.requested",
         R"({"id":"s.a2","kind":"tool","tool":"bash","args":{"command":"rm -r x"},"risk":"high"})",
         "bash: rm -r x (high risk)"},
        {"approval.requested",
         R"({"kind":"question","args":{},"summary":"Which one?","risk":"unknown"})",
         "question: Which one?"},
        {"approval.decided",
         R"({"id":"s.a2","decision":"reject","by":"ann","reason":"not today","scope":"once"})",
         "reject by ann: not today"},
        {"approval.decided", R"({"decision":"approve","by":"ann","scope":"session"})",
         "approve by ann, for the session"},
        {"check.requested", R"({"check_id":"s.c4","cause":"suspect","judge":"local"})",
         "judge asked (suspect)"},
        {"check.requested", R"({"check_id":"m","cause":"asked","by":"ana","judge":"local"})",
         "judge asked (by ana)"},
        {"check.completed",
         R"({"outcome":"answered","answer":"looping","reason":"same again","evidence":[12,14],"confidence":0.9})",
         "judge: B looping, 0.9: same again (#12 #14)"},
        {"check.completed", R"({"outcome":"answered","answer":"failed","confidence":0.5})",
         "judge: D failed, 0.5"},
        {"check.completed", R"({"outcome":"unreachable","answer":null,"error":"local is away"})",
         "judge: no answer, unreachable: local is away"},
        {"phase.started", R"({"name":"build","number":2})", "build, number 2"},
        {"something.new", R"({"a":1,"b":null})", "a 1"},
        {"something.new", "[1]", ""},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.type << " " << c.data) {
            CHECK(event_summary(c.type, parsed(c.data)) == c.summary);
        }
    }
}

TEST_CASE("event line: parts align, the width holds, colour only when asked", "[cli]") {
    const Json event = parsed(
        R"({"session":"a-rather-long-session-name","type":"verdict.changed","at":"2026-11-21T02:00:00.000Z","data":{"from":"slow","to":"failed","reason":"it broke"}})");
    const std::string plain = event_line(event, {});
    CHECK(plain.substr(8, 2) == "  ");
    CHECK(plain.substr(10) == "verdict.changed         slow -> failed: it broke");
    const std::string all = event_line(event, {0, 12, false});
    CHECK(all.substr(10) == "a-rather-lo…  verdict.changed         slow -> failed: it broke");
    // A narrow terminal leaves more room for what happened.
    CHECK(event_line(event, {99, 0, false}).substr(10) ==
          "verdict.changed     slow -> failed: it broke");
    CHECK(event_line(event, {40, 0, false}).substr(10) == "verdict.changed     slow -> f…");
    CHECK(event_line(event, {100, 0, false}) == plain);
    const std::string colored = event_line(event, {0, 0, true});
    CHECK(colored == std::string(verdict_color("failed")) + plain + std::string(kColorReset));
    CHECK_FALSE(verdict_color("failed").empty());
}

TEST_CASE("event line: nothing an agent writes steers the terminal", "[cli]") {
    const Json event = parsed(
        R"({"session":"s\u001b[2J","type":"message\u0007","at":"bad","data":{"role":"\u001b]0;x\u0007r","text":"\u001b[31mred"}})");
    const std::string line = event_line(event, {0, 10, true});
    CHECK(line.find('\x1b') == std::string::npos);
    CHECK(line.find('\a') == std::string::npos);
    CHECK(event_line(Json(7), {}) == "7");
    CHECK(event_line(Json::object(), {}).empty());
}

TEST_CASE("event line: a status says first what needs a person", "[cli]") {
    CHECK(shown_status("stuck", true, true) == "ALARM stuck");
    CHECK(shown_status("waiting", false, true) == "waiting, needs you");
    CHECK(shown_status("waiting", false, false) == "waiting");
    CHECK(shown_status("blocked", false, true) == "blocked");
}

TEST_CASE("event line: a block says until when it lasts, while that lies ahead", "[cli]") {
    const auto until = [](const char* text, const char* now) {
        const std::string verdict = std::string{R"({"retry_at":")"} + text + R"("})";
        return until_text(*Json::parse(verdict), *parse_time(now));
    };
    const std::string today = until("2026-11-21T12:10:00.000Z", "2026-11-21T12:00:00.000Z");
    CHECK(today.starts_with(", until "));
    CHECK(today.size() == std::string_view{", until 12:10"}.size());
    const std::string later = until("2026-11-24T12:10:00.000Z", "2026-11-21T12:00:00.000Z");
    CHECK(later.size() == std::string_view{", until 11-24 12:10"}.size());
    CHECK(until("2026-11-21T11:10:00.000Z", "2026-11-21T12:00:00.000Z").empty());
    CHECK(until("soon", "2026-11-21T12:00:00.000Z").empty());
    CHECK(until_text(*Json::parse(R"({"retry_at":null})"), WallTime{}).empty());
}

TEST_CASE("event line: an age is never below zero", "[cli]") {
    const auto now = *parse_time("2026-11-21T02:00:00.000Z");
    const auto age = [now](const char* text) { return age_at(*Json::parse(text), "at", now); };
    CHECK(age(R"({"at":"2026-11-21T01:59:00.000Z"})") == "1m00s");
    CHECK(age(R"({"at":"2026-11-21T02:00:09.000Z"})") == human_duration({}));  // a clock ahead
    CHECK(age(R"({"at":null})") == "-");
    CHECK(age(R"({"at":"soon"})") == "-");
}
