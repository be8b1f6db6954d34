// SPDX-License-Identifier: Apache-2.0
#include "cli/records/offline_judge.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/names.hpp"

using namespace headway::cli;
using headway::core::Profile;
using headway::core::Verdict;
using headway::core::VerdictChanged;

namespace {

headway::core::Result<Timeline> judge(const std::string& lines, const JudgeOptions& options = {}) {
    std::istringstream stream(lines);
    const auto recording = read_recording(stream, headway::cli::reading_for(options));
    REQUIRE(recording.has_value());
    headway::api::JsonDocument document;
    return judge_recording(*recording, options, document);
}

const VerdictChanged& change(const Step& step) {
    return std::get<VerdictChanged>(step.event.payload);
}

JudgeOptions strict(std::uint64_t beats) {
    JudgeOptions options;
    options.policy.profile = Profile::kStrict;
    options.policy.heartbeat_limit = beats;
    return options;
}

constexpr const char* kQuiet = R"({"type":"session_start","session":"s"})"
                               "\n"
                               R"({"type":"tool_call","tool":"bash","args":{},"ts":100})"
                               "\n"
                               R"({"type":"heartbeat","ts":110.5})"
                               "\n"
                               R"({"type":"heartbeat","ts":120})"
                               "\n"
                               R"({"type":"tool_call","tool":"bash","args":{},"ts":90})"
                               "\n"
                               R"({"type":"end","outcome":"success"})"
                               "\n";

}  // namespace

TEST_CASE("offline judge: each verdict with line, call and time", "[cli]") {
    const auto timeline = judge(kQuiet, strict(2));
    REQUIRE(timeline.has_value());
    CHECK(timeline->events == 5);
    CHECK(timeline->calls == 2);
    CHECK(timeline->last.verdict == Verdict::kCompleted);
    CHECK(timeline->journal.empty());
    REQUIRE(timeline->verdicts.size() == 4);
    const Step& stuck = timeline->verdicts[1];
    CHECK(change(stuck).to == Verdict::kStuck);
    CHECK(change(stuck).detector == "heartbeat_rule");
    CHECK(stuck.line == 4);
    CHECK(stuck.call == 1);
    CHECK(stuck.at == std::chrono::milliseconds{20'000});
    // A clock that jumps back stands still; where there is none, an event takes a second.
    CHECK(timeline->verdicts[2].at == std::chrono::milliseconds{20'000});
    CHECK(timeline->verdicts[3].at == std::chrono::milliseconds{21'000});
}

TEST_CASE("offline judge: the policy asked for wins over the recording's", "[cli]") {
    const std::string exported =
        R"({"session":"s","n":1,"type":"session.started","at":"2026-11-21T02:00:00.000Z","data":{"policy":{"profile":"balanced","heartbeat_limit":2}}})"
        "\n"
        R"({"session":"s","n":2,"type":"heartbeat","at":"2026-11-21T02:00:01.000Z","data":{}})"
        "\n"
        R"({"session":"s","n":3,"type":"verdict.changed","at":"2026-11-21T02:00:01.000Z","data":{"to":"stuck"}})"
        "\n"
        R"({"session":"s","n":4,"type":"heartbeat","at":"2026-11-21T02:00:02.000Z","data":{}})"
        "\n";
    const auto own = judge(exported);
    REQUIRE(own.has_value());
    REQUIRE(own->verdicts.size() == 1);
    CHECK(change(own->verdicts[0]).to == Verdict::kSuspect);
    CHECK(own->verdicts[0].line == 4);
    CHECK(own->verdicts[0].at == std::chrono::milliseconds{2'000});

    JudgeOptions options;
    options.policy.profile = Profile::kStrict;
    const auto asked = judge(exported, options);
    REQUIRE(asked.has_value());
    REQUIRE(asked->verdicts.size() == 1);
    CHECK(change(asked->verdicts[0]).to == Verdict::kStuck);
}

TEST_CASE("offline judge: the journal is kept on request, in order", "[cli]") {
    JudgeOptions options;
    options.keep_journal = true;
    const auto timeline = judge(kQuiet, options);
    REQUIRE(timeline.has_value());
    for (std::size_t i = 0; i < timeline->journal.size(); ++i)
        CHECK(timeline->journal[i].event.n == i + 1);
    CHECK(timeline->journal.front().line == 0);
    CHECK(timeline->journal.back().line == 6);
}

TEST_CASE("offline judge: what the daemon would not take is counted", "[cli]") {
    const auto timeline = judge(
        "{\"seq\":1,\"type\":\"heartbeat\"}\n{\"seq\":1,\"type\":\"heartbeat\"}\n"
        "{\"seq\":2,\"type\":\"end\"}\n{\"seq\":3,\"type\":\"heartbeat\"}\n");
    REQUIRE(timeline.has_value());
    CHECK(timeline->events == 2);
    CHECK(timeline->duplicates == 1);
    CHECK(timeline->refused == 1);
    CHECK(timeline->last.verdict == Verdict::kFailed);
}

TEST_CASE("offline judge: an event that cannot be decoded is named by its line", "[cli]") {
    const auto timeline =
        judge("{\"type\":\"heartbeat\"}\n\n{\"type\":\"heartbeat\",\"iteration\":-1}\n");
    REQUIRE_FALSE(timeline.has_value());
    CHECK_THAT(timeline.error().detail,
               Catch::StartsWith("3: ") && Catch::Contains("/data/iteration"));
}

TEST_CASE("offline judge: an acknowledgement is of the newest advice", "[cli]") {
    const std::string call =
        R"({"type":"tool.finished","data":{"tool":"bash","args":{"command":"ls"},"ok":true,"result":"a list of files"}})"
        "\n";
    const std::string loop = call + call + call;
    const auto acknowledged = judge(R"({"ack":true})"
                                    "\n" +
                                    loop +
                                    R"({"ack":true})"
                                    "\n" +
                                    call);
    REQUIRE(acknowledged.has_value());
    REQUIRE(acknowledged->directives.size() == 1);
    CHECK(acknowledged->events == 5);  // before any advice there is nothing to acknowledge
    const auto ignored = judge(loop + call);
    REQUIRE(ignored.has_value());
    CHECK(ignored->last.verdict == Verdict::kStuck);
    CHECK(acknowledged->last.verdict != Verdict::kStuck);
}

TEST_CASE("offline judge: nothing happens in an empty recording", "[cli]") {
    const auto timeline = judge("");
    REQUIRE(timeline.has_value());
    CHECK(timeline->verdicts.empty());
    CHECK(timeline->last.verdict == Verdict::kStarting);
}

TEST_CASE("offline judge: a policy in words", "[cli]") {
    const auto policy = policy_of({"strict", "heartbeat_limit=3"});
    REQUIRE(policy.has_value());
    CHECK(policy->profile == Profile::kStrict);
    CHECK(policy->heartbeat_limit == 3);
    CHECK_FALSE(policy->heartbeat_interval_ms.has_value());
    CHECK(policy_of({})->profile == std::nullopt);
    CHECK(policy_of({"profile=strict", "balanced"})->profile == Profile::kBalanced);
}

TEST_CASE("offline judge: a policy that means nothing is refused with the reason", "[cli]") {
    struct Case {
        const char* word;
        const char* said;
    };
    for (const Case& c : {Case{"lenient", "lenient"},
                          Case{"heartbeat_limt=3", "heartbeat_limt: unknown field; known are"},
                          Case{"heartbeat_limit=1", "heartbeat_limit must be from 2"},
                          Case{"heartbeat_limit=many", "whole number"},
                          Case{"profile=lenient", "profile must be one of"}}) {
        DYNAMIC_SECTION(c.word) {
            const auto policy = policy_of({c.word});
            REQUIRE_FALSE(policy.has_value());
            CHECK_THAT(policy.error().detail, Catch::Contains(c.said));
        }
    }
}
