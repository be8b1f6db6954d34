// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using namespace headway::core;
using Document = nlohmann::json;

namespace {

/// Parses strictly: throws, and so fails the test, on anything that is no JSON.
template <class Append>
Document json_of(Append&& append) {
    std::string out;
    append(out);
    return Document::parse(out);
}

SessionView view() {
    Story story;
    (void)story.report(tool_finished("c"), 1000);
    return view_of(story.session);
}

ReadingTime reading(std::int64_t ms) {
    return {at(ms), at(0)};
}

}  // namespace

TEST_CASE("encode: the advice of a single event", "[api]") {
    Advice advice;
    advice.n = 2;
    advice.accepted = 1;
    advice.directives = {{Directive{"d4", DirectiveKind::kStop, "enough"}, 2}};
    const Document json = json_of([&](std::string& out) { append_advice(out, advice, view()); });
    CHECK(json == Document::parse(R"({"session":"story","n":2,"accepted":1,"duplicates":0,
        "verdict":{"status":"progressing","reason":"something new was proven at #2","since":"2023-11-14T22:13:21.000Z","evidence":[2]},
        "directives":[{"id":"d4","type":"stop","reason":"enough","delivery":2}],
        "budget":null,"approvals":[],"estimate":null,"next_heartbeat_ms":10000})"));
}

TEST_CASE("encode: the advice of a batch lists the numbers in order", "[api]") {
    Advice advice;
    advice.batch = true;
    advice.results = {{2, false}, {1, true}};
    const Document json = json_of([&](std::string& out) { append_advice(out, advice, view()); });
    CHECK(json["results"] == Document::parse(R"([{"n":2},{"n":1,"duplicate":true}])"));
}

TEST_CASE("encode: the progress document has exactly the fields of the first design", "[api]") {
    const Document json =
        json_of([&](std::string& out) { append_progress(out, view(), reading(4200)); });
    CHECK(json == Document::parse(R"({"sessionId":"story","alive":true,"stuck":false,
        "progress":{"heartbeats":0,"stateChanges":1,"lastChange":"tool_call","lastChangeAgo":3200},
        "currentPhase":null,"iteration":null,"estimate":null,"verdict":"progressing","reason":"something new was proven at #2",
        "alarm":null,"n":3,"nextHeartbeatMs":10000})"));
}

TEST_CASE("encode: a document from memory says as of which event it is", "[api]") {
    const Document json = json_of([&](std::string& out) {
        append_progress(out, view(), reading(4200));
        append_as_of(out, 3);
    });
    CHECK(json["as_of_n"] == 3);
    CHECK(json["n"] == 3);
}

TEST_CASE("encode: progress of a fresh session knows nothing yet, a silent one is not alive",
          "[api]") {
    const Story story;
    const Document json = json_of(
        [&](std::string& out) { append_progress(out, view_of(story.session), reading(20'000)); });
    CHECK(json["progress"]["lastChange"].is_null());
    CHECK(json["progress"]["lastChangeAgo"].is_null());
    CHECK(json["alive"] == false);
}

TEST_CASE("encode: the newest estimate stands in progress, session and advice", "[api]") {
    Story story;
    for (int i = 0; i < 3; ++i) {
        ProgressEstimated estimate;
        estimate.percent = 40 + i;
        estimate.reasoning = bounded_text("found the file");
        estimate.next_milestone = "Read file and extract interface";
        estimate.blockers = {"missing file path"};
        (void)story.report(event(std::move(estimate)), 1000 * i);
    }
    const Document ours = Document::parse(R"({"percent":42.0,"reasoning":"found the file",
        "next_milestone":"Read file and extract interface","blockers":["missing file path"],
        "is_stuck":true,"source":"agent","fallback":false,"n":4,"at":"2023-11-14T22:13:22.000Z"})");
    Document first = ours;
    first["progressPercent"] = first["percent"];
    first["nextMilestone"] = first["next_milestone"];
    first["isStuck"] = first["is_stuck"];
    for (const char* name : {"percent", "next_milestone", "is_stuck"})
        first.erase(name);
    const SessionView seen = view_of(story.session);
    CHECK(json_of([&](std::string& out) { append_progress(out, seen, reading(0)); })["estimate"] ==
          first);
    CHECK(json_of([&](std::string& out) { append_advice(out, {}, seen); })["estimate"] == ours);
    CHECK(json_of([&](std::string& out) {
              append_session(out, story.session, reading(0));
          })["estimate"] == ours);
    CHECK(json_of([&](std::string& out) {
              append_session(out, Session{"story", story.session.state()}, reading(0));
          })["estimate"] == ours);
}

TEST_CASE("encode: past the iterations the status is incomplete, as in the first design", "[api]") {
    Policy policy;
    policy.max_iterations = 25;
    Story story{policy};
    for (std::uint64_t i = 1; i <= 26; ++i) {
        Heartbeat data;
        data.iteration = i;
        (void)story.report(event(std::move(data)), static_cast<std::int64_t>(i));
    }
    const Document json =
        json_of([&](std::string& out) { append_chat_status(out, view_of(story.session)); });
    CHECK(json["status"] == "incomplete");
    CHECK(json["reason"] == "max_iterations_reached");
}

TEST_CASE("encode: only the verdict stuck is stuck", "[api]") {
    Policy strict;
    strict.profile = Profile::kStrict;
    for (const Policy& policy : {Policy{}, strict}) {
        Story story{policy};
        for (int i = 0; i < 5; ++i)
            (void)story.report(beat(), i);
        const Document json = json_of(
            [&](std::string& out) { append_progress(out, view_of(story.session), reading(10)); });
        CHECK(json["stuck"] == (policy.profile == Profile::kStrict));
    }
}

TEST_CASE("encode: the age of a change is never negative", "[api]") {
    const Document json =
        json_of([&](std::string& out) { append_progress(out, view(), reading(5)); });
    CHECK(json["progress"]["lastChangeAgo"] == 0);
}

TEST_CASE("encode: the session document has the fields of the API", "[api]") {
    Story story;
    (void)story.report(tool_started("c9"), 10);
    const Document json =
        json_of([&](std::string& out) { append_session(out, story.session, reading(20)); });
    const Document expected = Document::parse(R"({"id":"story","n":2,"attempt":0,
        "opened_at":"2023-11-14T22:13:20.000Z","ended_at":null,"outcome":null,
        "verdict":{"status":"starting","reason":"","since":"2023-11-14T22:13:20.000Z","evidence":[]},
        "alive":true,"last_beat_at":"2023-11-14T22:13:20.010Z","next_heartbeat_ms":5000,
        "cancel_requested":false,"heartbeats":0,"state_changes":0,"last_change":null,
        "last_change_at":null,"phase":null,"iteration":null,"state":"executing_tool",
        "tools":{"calls":0,"failures":0,"failures_in_a_row":0,"unreadable_in_a_row":0,
                 "files_modified":0},
        "progress":{"rounds":1,"quiet_rounds":0,"activity":".","last_hard":0,"last_soft":0},
        "in_flight":[{"call_id":"c9","tool":"bash","since":"2023-11-14T22:13:20.010Z"}],
        "resources":null,"approvals_pending":0,"estimate":null,"alarms":[],"budget_source":"none",
        "phases":{"total":0,"completed":0,"files_changed":0,"tests_passed":0,"current":null,"history":[]},
        "used":{"tokens":0,"cost_usd":null},"budget":null,"goal":null,"agent":{},"parent":null,"labels":{},
        "policy":{"profile":"balanced","heartbeat_interval_ms":10000,"heartbeat_limit":5,
        "loop_detection":true,"judge":true,"trust_origin":true,"trust_user":true,"on_stuck":"by_profile","max_iterations":0,"max_tool_failures":0,
        "max_parse_failures":0,"tool_time_limit_ms":0,"min_confidence":0.0,"low_confidence_attempts":3,
        "stats_every":10,"confirm_stop":"off","wait_polls":100,"wait_patience_ms":10800000,"tools":[],"detectors":[]},
        "directives":[]})");
    CHECK(json == expected);
}

TEST_CASE("encode: an ended session shows its outcome and result", "[api]") {
    Story story;
    SessionEnded end;
    end.outcome = Outcome::kFailed;
    end.result.kept = R"({"left":[1,2]})";
    (void)story.report(event(end), 10);
    const Document json =
        json_of([&](std::string& out) { append_session(out, story.session, reading(20)); });
    CHECK(json["outcome"] == "failed");
    CHECK(json["result"] == Document::parse(R"({"left":[1,2]})"));
    CHECK(json["alive"] == false);
}

// The reason is cut by the fold; see fold_test.
TEST_CASE("encode: a document is JSON wherever a long reason is cut", "[api]") {
    for (std::size_t shift = 0; shift < 4; ++shift) {
        std::string reason(shift, 'x');
        for (int i = 0; i < 300; ++i)
            reason += "😀";
        Story story;
        (void)story.report(ended(Outcome::kFailed, reason), 10);
        CHECK_NOTHROW(
            json_of([&](std::string& out) { append_session(out, story.session, reading(20)); }));
    }
}

TEST_CASE("encode: an event in its envelope, what is empty left out", "[api]") {
    Event one = with_attempt(with_id(tool_finished("c"), "e1"), 2);
    one.n = 7;
    one.at = at(0);
    one.next_heartbeat_ms = 5000;
    const Document json = json_of([&](std::string& out) { append_event(out, "s", one); });
    CHECK(json == Document::parse(R"({"session":"s","n":7,"type":"tool.finished",
        "at":"2023-11-14T22:13:20.000Z","event_id":"e1","attempt":2,"next_heartbeat_ms":5000,
        "data":{"call_id":"c","tool":"bash","target":"c","ok":true,"mutated":[{"path":"file of c","digest":"c"}]}})"));
    Event bare = beat();
    bare.n = 1;
    bare.at = at(0);
    CHECK(json_of([&](std::string& out) { append_event(out, "s", bare); })["data"] ==
          Document::object());
}

TEST_CASE("encode: a cut text shows head, tail, length and digest", "[api]") {
    FactLearned fact;
    fact.text = bounded_text(std::string(3000, 'a') + std::string(3000, 'z'));
    const Document json = json_of([&](std::string& out) { append_event(out, "s", event(fact)); });
    const Document& text = json["data"]["text"];
    CHECK(text["head"] == std::string(2048, 'a'));
    CHECK(text["tail"] == std::string(1024, 'z'));
    CHECK(text["bytes"] == 6000);
    CHECK(text["digest"] == to_hex(fact.text.digest));
    CHECK(text.size() == 4);
}

TEST_CASE("encode: every payload with any content is JSON", "[api]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (std::size_t type = 0; type < EnumNames<EventType>::kNames.size(); ++type) {
        for (int round = 0; round < 20; ++round) {
            Event one;
            one.n = 1;
            one.at = at(1);
            one.event_id = gen.string();
            one.payload = gen.payload(static_cast<EventType>(type));
            std::string out;
            append_event(out, "s", one);
            INFO(out);
            REQUIRE(Document::accept(out));
        }
    }
}

TEST_CASE("encode: the status for test harnesses of the first design", "[api]") {
    const std::pair<Verdict, const char*> cases[] = {
        {Verdict::kCompleted, "completed"}, {Verdict::kFailed, "failed"},
        {Verdict::kHalted, "failed"},       {Verdict::kCancelled, "cancelled"},
        {Verdict::kStarting, "running"},    {Verdict::kStuck, "running"},
        {Verdict::kSilent, "running"},
    };
    for (const auto& [verdict, status] : cases) {
        SessionView one = view();
        one.judgement = [&] {
            Judgement judgement;
            judgement.verdict = verdict;
            judgement.reason = "why";
            return std::make_shared<Judgement>(judgement);
        }();
        const Document json = json_of([&](std::string& out) { append_chat_status(out, one); });
        CHECK(json["status"] == status);
        const bool failed = std::string_view{status} == "failed";
        CHECK(json["error"] == (failed ? Document("why") : Document(nullptr)));
    }
    SessionView spent = view();
    Judgement halted;
    halted.verdict = Verdict::kHalted;
    spent.judgement = std::make_shared<Judgement>(halted);
    spent.outcome = Outcome::kBudgetExhausted;
    const Document json = json_of([&](std::string& out) { append_chat_status(out, spent); });
    CHECK(json["error"] == "the session has ended as budget_exhausted");
}

TEST_CASE("encode: waits on one and on several sessions", "[api]") {
    const SessionView one = view();
    const WaitAnswer met{true, false, Verdict::kProgressing};
    const Document single = json_of([&](std::string& out) {
        append_wait(out, {"story", &one, met}, reading(2000));
    });
    CHECK(single["met"] == true);
    CHECK(single["matched"] == "progressing");
    CHECK(single["alive"] == true);
    CHECK(single["n"] == 3);
    const WaitPart parts[] = {{"story", &one, met}, {"absent", nullptr, {}}};
    const Document several = json_of(
        [&](std::string& out) { append_wait_several(out, parts, true, false, reading(2000)); });
    CHECK(several["matched"] == Document::parse(R"({"story":"progressing"})"));
    CHECK(several["sessions"]["absent"].is_null());
    CHECK(several["sessions"]["story"]["session"] == "story");
    CHECK_FALSE(several["sessions"]["story"].contains("met"));
}
