// SPDX-License-Identifier: Apache-2.0
#include "cli/views/session_view.hpp"

#include <catch2/catch.hpp>

#include "cli/base/text.hpp"
#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

const WallTime kViewNow = *parse_time("2026-11-21T02:10:00.000Z");

const char* const kSession = R"({"id":"build-1","n":4,"opened_at":"2026-11-21T02:00:00.000Z",
 "ended_at":null,"verdict":{"status":"progressing","reason":"tool_call","evidence":[2]},
 "alive":true,"last_beat_at":"2026-11-21T02:09:57.000Z","heartbeats":1,"state_changes":1,
 "last_change":"tool_call","last_change_at":"2026-11-21T02:09:00.000Z","phase":"execution",
 "iteration":3,"tools":{"calls":1,"failures":1},"in_flight":[{"call_id":"c9","tool":"bash",
 "since":"2026-11-21T02:09:30.000Z"}],"resources":{"cpu_ms":2000,"rss_bytes":1024},
 "goal":"fix it","agent":{"type":"coder","model":"q"},"labels":{"team":"night"},
 "directives":[{"id":"d","type":"stop","reason":"enough"}]})";

}  // namespace

TEST_CASE("session view: the table shows verdict, age and goal", "[cli]") {
    const std::string table = sessions_table(Json::array({parsed(kSession)}), kViewNow, 0, false);
    CHECK(table ==
          "SESSION  VERDICT      ALIVE  OPENED  CHANGED  EVENTS  PHASE      GOAL\n"
          "build-1  progressing  yes    10m00s  1m00s    4       execution  fix it\n");
}

TEST_CASE("session view: details name everything that is known", "[cli]") {
    const std::string text = session_details(parsed(kSession), kViewNow, false);
    for (const char* part :
         {"verdict     progressing (tool_call), events [2]\n", "agent       coder / q\n",
          "labels      team=night\n", "alive       yes\n", "in flight   bash c9 for 30.0s\n",
          "resources   cpu 2.0s, rss 1.0 KiB\n", "directive   stop: enough\n", "(3.0s ago)",
          "events      4 (1 heartbeats, 1 state changes, 1 tool calls, 1 failed)\n"}) {
        CHECK_THAT(text, Catch::Contains(part));
    }
}

TEST_CASE("session view: details say how much of each limit of a budget is used", "[cli]") {
    Json session = parsed(kSession);
    CHECK_THAT(session_details(session, kViewNow, false), !Catch::Contains("budget  "));
    session["budget"] = parsed(R"({"steps_completed":8,"max_steps":10,"elapsed_seconds":120,
        "tokens_used":12345,"cost_used_usd":null,"max_cost_usd":2,"level":"wrap_up"})");
    CHECK_THAT(session_details(session, kViewNow, false),
               Catch::Contains("budget      8 of 10 steps, ? of $2.00, wrap_up\n"));
}

TEST_CASE("session view: a wait that needs a person says so in the table and the details",
          "[cli]") {
    Json session = parsed(kSession);
    session["verdict"]["status"] = "waiting";
    CHECK_THAT(session_details(session, kViewNow, false), !Catch::Contains("needs you"));
    session["verdict"]["needs_somebody"] = true;
    CHECK_THAT(session_details(session, kViewNow, false),
               Catch::Contains("verdict     waiting, needs you ("));
    CHECK_THAT(sessions_table(Json::array({session}), kViewNow, 0, false),
               Catch::Contains("  waiting, needs you  "));
}

TEST_CASE("session view: documents of another shape do no harm", "[cli]") {
    for (const char* text :
         {"{}", "[]", "7", R"({"verdict":3,"labels":[1],"in_flight":{}})",
          R"({"budget":{"max_steps":{},"max_cost_usd":[],"timeout_seconds":-1}})"}) {
        CHECK_NOTHROW(session_details(parsed(text), kViewNow, true));
        CHECK_NOTHROW(sessions_table(Json::array({parsed(text)}), kViewNow, 80, true));
        CHECK_NOTHROW(advice_text(parsed(text)));
    }
}

TEST_CASE("session view: advice says where it stands and what to do", "[cli]") {
    CHECK(advice_text(parsed(
              R"({"session":"s","n":4,"duplicates":1,"verdict":{"status":"slow","reason":"r"},
                  "directives":[{"id":"d1","type":"stop","reason":"enough"}]})")) ==
          "s event 4: slow (r), known already\ndirective stop d1: enough\n");
}

TEST_CASE("session view: alarms stand first, in red", "[cli]") {
    Json session = parsed(kSession);
    Json alarm = {{"kind", "executed_though_rejected"},
                  {"approval_id", "build-1.a3"},
                  {"tool", "deploy"},
                  {"at", "2026-11-21T02:08:00.000Z"},
                  {"n", 7},
                  {"times", 2U}};
    session["alarms"] = Json::array({alarm});
    CHECK_THAT(session_details(session, kViewNow, false),
               Catch::StartsWith("session     build-1\nALARM       ran although it was rejected: "
                                 "deploy, build-1.a3, #7, 2m00s ago, 2 times\nverdict"));
    CHECK_THAT(session_details(session, kViewNow, true), Catch::Contains("\x1b[1;31mran although"));
    CHECK_THAT(sessions_table(Json::array({session}), kViewNow, 0, false),
               Catch::Contains("ALARM progressing"));
    session["alarms"] = Json::array();
    CHECK_THAT(session_details(session, kViewNow, false), !Catch::Contains("ALARM"));
}

TEST_CASE("session view: how far it has come, what is next and what blocks it", "[cli]") {
    Json session = parsed(kSession);
    session["estimate"] = {{"percent", 62.4},
                           {"reasoning", "13 of 21 have text"},
                           {"next_milestone", "review"},
                           {"blockers", Json::array({"no token", "no disk"})},
                           {"is_stuck", true},
                           {"source", "judge"}};
    const std::string text = session_details(session, kViewNow, false);
    CHECK_THAT(text, Catch::Contains("estimate    [######....] 62%, stalled, says the judge: 13 of "
                                     "21 have text\nnext        review\nblockers    no token; no "
                                     "disk\n"));
    session["estimate"] = nullptr;
    CHECK_THAT(session_details(session, kViewNow, false), !Catch::Contains("estimate"));
    CHECK(progress_bar_text(0) == "[..........] 0%");
    CHECK(progress_bar_text(250) == "[##########] 100%");
}

TEST_CASE("session view: use is shown where there is some", "[cli]") {
    const Json sessions = Json::array(
        {parsed(
             R"({"id":"a","verdict":{"status":"stuck"},"used":{"tokens":12345,"cost_usd":0.0421}})"),
         parsed(R"({"id":"b","verdict":{"status":"stuck"},"used":{"tokens":0,"cost_usd":0}})")});
    const std::string table = sessions_table(sessions, kViewNow, 0, false);
    CHECK(table.find("USED") != std::string::npos);
    CHECK(table.find("12.3k $0.042") != std::string::npos);
    CHECK(used_text(parsed(R"({"used":{"tokens":950}})")) == "950");
    CHECK(used_text(parsed(R"({"used":{"tokens":4560000,"cost_usd":12.5}})")) == "4.56M $12.50");
    CHECK(used_text(parsed(R"({"used":{"tokens":"x","cost_usd":-1}})")).empty());
    CHECK(used_text(parsed(R"({"used":{"tokens":900,"cost_usd":null}})")) == "900 $?");
    CHECK(used_text(parsed(R"({"used":{"tokens":0,"cost_usd":null}})")).empty());
    CHECK(used_text(parsed(R"({"used":{"tokens":900,"cost_usd":2,"cost_estimated_usd":1}})")) ==
          "900 ~$2.00");
    CHECK(used_text(parsed(R"({"used":{"tokens":900,"cost_usd":0.5,"unpriced_tokens":9}})")) ==
          "900 $0.500+");
    CHECK(token_parts_text(parsed(R"({"input":10,"cached":0,"cache_write":20000})")) ==
          "input 10, cache_write 20.0k");
    CHECK(used_text(Json{}).empty());
}

TEST_CASE("session view: the details say how the hooks of the agent arrive", "[cli]") {
    const auto shown = [](const char* adapter) {
        return session_details(
            parsed(std::string{R"({"id":"a","verdict":{"status":"waiting"},"adapter":)"} + adapter +
                   "}"),
            kViewNow, false);
    };
    const std::string mute = shown(R"({"name":"claude","agent_version":"2.1","channel":"mute",
        "last_hook_at":"2026-11-21T02:00:00.000Z","missing":[]})");
    CHECK(mute.find("claude 2.1, newest ") != std::string::npos);
    CHECK(mute.find("MUTE") != std::string::npos);
    const std::string part = shown(R"({"name":"codex","agent_version":null,"channel":"degraded",
        "last_hook_at":"2026-11-21T02:00:00.000Z","missing":["pre","post"]})");
    CHECK(part.find("no hook arrives for pre post") != std::string::npos);
    CHECK(shown("null").find("hooks") == std::string::npos);
}
