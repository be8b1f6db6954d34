// SPDX-License-Identifier: Apache-2.0
#include "cli/records/recording.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "api/decode/decode.hpp"
#include "tests/support/parsed.hpp"

using headway::cli::Json;
using headway::cli::read_recording;
using headway::cli::Recording;
using headway::tests::parsed;

namespace {

Recording recorded(const std::string& text) {
    std::istringstream lines(text);
    const auto recording = read_recording(lines, headway::cli::ReadFor::kPlay);
    REQUIRE(recording.has_value());
    return *recording;
}

Json only_event(const std::string& line) {
    const Recording recording = recorded(line + "\n");
    REQUIRE(recording.events.size() == 1);
    return parsed(recording.events.front().text);
}

}  // namespace

TEST_CASE("recording: the start opens the session", "[cli]") {
    const Recording recording = recorded(
        R"({"seq":0,"ts":null,"type":"session_start","source":"peer","session":"s1","agent":"A","model":"m","task":"fix it"})"
        "\n");
    CHECK(recording.session == "peer:s1");
    CHECK(parsed(recording.open) ==
          parsed(R"({"agent":{"name":"A","model":"m"},"goal":"fix it"})"));
    CHECK(recording.events.empty());
    CHECK(recorded(R"({"type":"session_start","source":"scenario","session":""})").session.empty());
}

TEST_CASE("recording: each line becomes the event that says the same", "[cli]") {
    struct Case {
        const char* name;
        const char* line;
        const char* event;
    };
    const Case cases[] = {
        {"failed call",
         R"({"seq":3,"type":"tool_call","tool":"bash","args":{"command":"ls"},"target":null,"ok":false,"error":"no such file","result":"x","args_hash":"aa","result_hash":"bb","result_nhash":"cc","result_len":1,"duration":1.5,"returncode":2,"reward":0.5})",
         R"({"type":"tool.finished","event_id":"3","data":{"tool":"bash","args":{"command":"ls"},"ok":false,"error":{"class":"error","message":"no such file"},"result":"x","duration_ms":1500}})"},
        {"good call",
         R"({"seq":4,"type":"tool_call","tool":"read","args":{},"target":"a.py","ok":true,"error":null,"result":""})",
         R"({"type":"tool.finished","event_id":"4","data":{"tool":"read","args":{},"target":"a.py","ok":true,"result":""}})"},
        {"call whose result was cut",
         R"({"seq":4,"type":"tool_call","tool":"read","args":{"p":"x"},"ok":true,"result":"a\n...[9 chars cut]...\nb","args_hash":"aa","result_hash":"bb","result_nhash":"cc","result_len":20})",
         R"({"type":"tool.finished","event_id":"4","data":{"tool":"read","args":{"p":"x"},"ok":true,"result":"a\n...[9 chars cut]...\nb","result_digest":"cc"}})"},
        {"call whose result is longer than its text",
         R"({"seq":4,"type":"tool_call","tool":"read","args":{},"ok":true,"result":"h\u00e9","result_hash":"bb","result_len":3})",
         R"({"type":"tool.finished","event_id":"4","data":{"tool":"read","args":{},"ok":true,"result":"h\u00e9","result_digest":"bb"}})"},
        {"call whose result has NUL and letters of several bytes",
         R"({"seq":4,"type":"tool_call","tool":"read","args":{},"ok":true,"result":"h\u00e9\u0000","result_hash":"bb","result_len":3})",
         R"({"type":"tool.finished","event_id":"4","data":{"tool":"read","args":{},"ok":true,"result":"h\u00e9"}})"},
        {"call whose arguments were cut",
         R"({"seq":4,"type":"tool_call","tool":"write","args":{"text":"a[7 chars cut]b"},"result":"ok","args_hash":"aa","result_nhash":"cc","result_len":2})",
         R"({"type":"tool.finished","event_id":"4","data":{"tool":"write","args":{"text":"a[7 chars cut]b"},"result":"ok","args_digest":"aa"}})"},
        {"message", R"({"seq":5,"type":"message","role":"assistant","text":"hm","text_hash":"dd"})",
         R"({"type":"message","event_id":"5","data":{"role":"assistant","text":"hm","digest":"dd"}})"},
        {"tests", R"({"seq":6,"type":"test_result","passed":3,"failed":1,"errors":0})",
         R"({"type":"test.result","event_id":"6","data":{"passed":3,"failed":1,"errors":0}})"},
        {"phase", R"({"seq":7,"type":"phase","phase":"Explore","text":"x"})",
         R"({"type":"phase.started","event_id":"7","data":{"name":"Explore"}})"},
        {"phase of a condensed context",
         R"({"seq":7,"type":"phase","phase":"Context_Condensation"})",
         R"({"type":"compacted","event_id":"7","data":{"trigger":"Context_Condensation"}})"},
        {"phase of a compacted context", R"({"seq":7,"type":"phase","phase":"auto-compact"})",
         R"({"type":"compacted","event_id":"7","data":{"trigger":"auto-compact"}})"},
        {"progress", R"({"seq":8,"type":"progress","percent":40.5})",
         R"({"type":"progress.estimated","event_id":"8","data":{"percent":40.5}})"},
        {"heartbeat", R"({"seq":9,"type":"heartbeat","phase":"run","iteration":2})",
         R"({"type":"heartbeat","event_id":"9","data":{"phase":"run","iteration":2}})"},
        {"good end", R"({"seq":10,"type":"end","outcome":"success","exit_status":"CORRECT"})",
         R"({"type":"session.ended","event_id":"10","data":{"outcome":"completed","reason":"CORRECT"}})"},
        {"bad end", R"({"seq":11,"type":"end","outcome":"fail","exit_status":null})",
         R"({"type":"session.ended","event_id":"11","data":{"outcome":"failed"}})"},
        {"unknown end", R"({"seq":12,"type":"end","outcome":"unknown"})",
         R"({"type":"session.ended","event_id":"12","data":{"outcome":"failed"}})"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(only_event(c.line) == parsed(c.event));
        }
    }
}

TEST_CASE("recording: text that the daemon refuses is made fit", "[cli]") {
    const Json event = only_event(
        R"({"seq":1,"type":"tool_call","tool":"a\u0000b","args":{"k":"x\u0000y"},"error":")" +
        std::string(2'000, 'e') + "\"}");
    CHECK(event["data"]["tool"] == "ab");
    CHECK(event["data"]["args"]["k"] == "xy");
    CHECK(event["data"]["error"]["message"].text().size() == 512);
}

TEST_CASE("recording: lines without a number get the line's own", "[cli]") {
    const Recording recording =
        recorded("{\"type\":\"unknown\"}\n\n{\"type\":\"heartbeat\",\"ts\":2.5}\n");
    CHECK(recording.skipped == 1);
    REQUIRE(recording.events.size() == 1);
    CHECK(parsed(recording.events[0].text)["event_id"] == "3");
    CHECK(recording.events[0].seconds == 2.5);
    CHECK(recording.events[0].line == 3);
}

TEST_CASE("recording: what a scenario is for is kept and never played", "[cli]") {
    const Recording recording =
        recorded("{\"type\":\"meta\",\"expect\":\"stuck\"}\n{\"type\":\"heartbeat\"}\n");
    CHECK(parsed(recording.meta)["expect"] == "stuck");
    CHECK(recording.events.size() == 1);
    CHECK(recording.skipped == 0);
}

TEST_CASE("recording: its id is its own or the file's", "[cli]") {
    CHECK(headway::cli::recorded_id("peer:s 1", "/x/file.jsonl") == "peer:s-1");
    CHECK(headway::cli::recorded_id("", "/x/my file.jsonl") == "my-file");
}

TEST_CASE("recording: the daemon's own export is played without what it wrote itself", "[cli]") {
    const Recording recording = recorded(
        R"({"session":"s","n":1,"type":"session.started","at":"2026-11-21T02:00:00.000Z","data":{"goal":{"head":"long","tail":"goal","bytes":9000,"digest":"d"},"labels":{"a":"b"},"implicit":false}})"
        "\n"
        R"({"session":"s","n":2,"type":"message","at":"2026-11-21T02:00:01.500Z","event_id":"e2","next_heartbeat_ms":5000,"data":{"text":{"head":"h","tail":"t","bytes":9000,"digest":"d"}}})"
        "\n"
        R"({"session":"s","n":3,"type":"verdict.changed","at":"2026-11-21T02:00:01.500Z","data":{"to":"progressing"}})"
        "\n"
        R"({"session":"s","n":4,"type":"tool.finished","at":"2026-11-21T02:00:02.000Z","attempt":2,"data":{"tool":"x","args":{"head":"a","tail":"b","digest":"c"}}})"
        "\n");
    CHECK(recording.session == "s");
    CHECK(*recording.events[0].seconds - *recording.opened == Approx(1.5));
    CHECK(recording.events[1].line == 4);
    CHECK(parsed(recording.open) == parsed(R"({"goal":"long\n[...]\ngoal","labels":{"a":"b"}})"));
    CHECK(recording.skipped == 2);
    REQUIRE(recording.events.size() == 2);
    CHECK(
        parsed(recording.events[0].text) ==
        parsed(R"({"type":"message","event_id":"e2","data":{"text":"h\n[...]\nt","digest":"d"}})"));
    const Json second = parsed(recording.events[1].text);
    CHECK(second["event_id"] == "n4");
    CHECK(second["attempt"] == 2);
    CHECK(second["data"]["args"]["head"] == "a");
    CHECK(*recording.events[1].seconds - *recording.events[0].seconds == Approx(0.5));
}

TEST_CASE("recording: events as an agent reports them are kept as they are", "[cli]") {
    CHECK(only_event(R"({"type":"tool.finished","data":{"tool":"bash","ok":true}})") ==
          parsed(R"({"type":"tool.finished","event_id":"1","data":{"tool":"bash","ok":true}})"));
    CHECK(only_event(R"({"type":"heartbeat","event_id":"e","data":{}})") ==
          parsed(R"({"type":"heartbeat","event_id":"e","data":{}})"));
    // Events that only a daemon writes are no reports.
    CHECK(recorded(R"({"type":"verdict.changed","data":{}})"
                   "\n")
              .events.empty());
}

TEST_CASE("recording: a line that is no object is named", "[cli]") {
    for (const char* text : {"{\"type\":\"heartbeat\"}\nnot json\n", "{\"type\":\"end\"}\n[1]\n",
                             "{\"type\":\"end\"}\n{\"type\":7}\n"}) {
        std::istringstream lines(text);
        const auto recording = read_recording(lines, headway::cli::ReadFor::kPlay);
        REQUIRE_FALSE(recording.has_value());
        CHECK_THAT(recording.error().detail, Catch::StartsWith("2: "));
    }
}

TEST_CASE("recording: of a name that stands twice the last counts", "[cli]") {
    const Json event =
        only_event(R"({"type":"tool_call","tool":"a","args":{"k":1,"k":2},"tool":"b","ok":true})");
    CHECK(event["data"]["tool"] == "b");
    CHECK(event["data"]["args"]["k"] == 2);
}

TEST_CASE("recording: what is judged is what is played", "[cli]") {
    const std::string lines =
        R"({"seq":1,"type":"tool_call","tool":"sh","args":{"b":[1,2.50],"a":{"c":"x\u0000y"}},"ok":false,"error":"no","result":{"z":1},"ts":2})"
        "\n"
        R"({"type":"tool.finished","event_id":"e","data":{"tool":"sh","args":{"a":1},"ok":true}})"
        "\n"
        R"({"type":"progress","progress":40,"percent":null,"blockers":["x"]})"
        "\n";
    const Recording played = recorded(lines);
    std::istringstream again(lines);
    const auto judged = read_recording(again, headway::cli::ReadFor::kJudge);
    REQUIRE(judged.has_value());
    REQUIRE(judged->events.size() == played.events.size());
    headway::api::JsonDocument document;
    for (std::size_t i = 0; i < played.events.size(); ++i) {
        const auto decoded = headway::api::decode_report(document, played.events[i].text,
                                                         headway::api::BodyFormat::kJson);
        REQUIRE(decoded.has_value());
        REQUIRE(judged->events[i].event.has_value());
        CHECK(*judged->events[i].event == decoded->events.front());
        CHECK(judged->events[i].seconds == played.events[i].seconds);
    }
}

TEST_CASE("recording: an event that no daemon takes is named, or left to who judges", "[cli]") {
    const std::string deep = std::string(80, '[') + std::string(80, ']');
    const std::string lines =
        "{\"type\":\"heartbeat\"}\n{\"type\":\"tool_call\",\"args\":" + deep + "}\n";
    std::istringstream to_play(lines);
    const auto played = read_recording(to_play, headway::cli::ReadFor::kPlay);
    REQUIRE_FALSE(played.has_value());
    CHECK_THAT(played.error().detail, Catch::StartsWith("2: nested more than"));
    std::istringstream to_judge(lines);
    const auto judged = read_recording(to_judge, headway::cli::ReadFor::kJudge);
    REQUIRE(judged.has_value());
    REQUIRE(judged->events.size() == 2);
    CHECK(judged->events[0].event.has_value());
    CHECK_FALSE(judged->events[1].event.has_value());
}

TEST_CASE("recording: what no daemon takes does not matter in a line that is no event", "[cli]") {
    const std::string deep = std::string(70, '[') + std::string(70, ']');
    const Recording recording = recorded(R"({"type":"meta","x":)" + deep + "}\n" +
                                         R"({"type":"session_start","session":"s1","x":)" + deep +
                                         "}\n" + R"({"type":"debug","x":)" + deep + "}\n" +
                                         R"({"type":"tool_call","tool":"read","ok":true})" + "\n");
    CHECK(recording.session == "s1");
    CHECK(recording.skipped == 1);
    CHECK(recording.lines == 4);
    CHECK(recording.events.size() == 1);
    CHECK(recording.meta.find("[[[") != std::string::npos);
}

TEST_CASE("recording: an export is kept as it was only if it is whole", "[cli]") {
    const std::string first =
        R"({"session":"s","n":1,"type":"session.started","at":"2026-11-21T02:00:00.000Z","data":{}})"
        "\n";
    const std::string third =
        R"({"session":"s","n":3,"type":"heartbeat","at":"2026-11-21T02:00:01.000Z","data":{}})"
        "\n";
    const std::string second =
        R"({"session":"s","n":2,"type":"heartbeat","at":"2026-11-21T02:00:01.000Z","data":{}})"
        "\n";
    const auto judged = [](const std::string& text) {
        std::istringstream lines(text);
        const auto recording = read_recording(lines, headway::cli::ReadFor::kJudge);
        REQUIRE(recording.has_value());
        return *recording;
    };
    const Recording whole = judged(first + second + third);
    CHECK(whole.whole_export);
    CHECK(whole.journal.size() == 3);
    CHECK(whole.events.empty());
    const Recording gap = judged(first + third);
    CHECK_FALSE(gap.whole_export);
    CHECK(gap.journal.empty());
    CHECK(gap.events.size() == 1);
    CHECK_THAT(gap.gap, Catch::Contains("event 3 where 2 is due"));
    const Recording mixed = judged(first + second + "{\"type\":\"heartbeat\"}\n");
    CHECK(mixed.journal.empty());
    CHECK(mixed.events.size() == 2);
    CHECK(mixed.gap.empty());
}
