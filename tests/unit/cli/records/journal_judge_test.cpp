// SPDX-License-Identifier: Apache-2.0
#include "cli/records/journal_judge.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/encode/encode.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using headway::cli::Recording;
using headway::cli::Step;
using headway::cli::Timeline;
using headway::core::Event;
using headway::core::Millis;
using headway::core::Policy;
using headway::core::Verdict;
using headway::core::VerdictChanged;
using headway::tests::beat;
using headway::tests::require_ok;
using headway::tests::Story;

namespace {

/// The export of a journal, as `headway events --jsonl` prints it.
Recording export_of(const std::vector<Event>& journal) {
    std::stringstream lines;
    for (const Event& one : journal) {
        std::string line;
        headway::api::append_event(line, "story", one, {true});
        lines << line << "\n";
    }
    const auto recording = headway::cli::read_recording(lines, headway::cli::ReadFor::kJudge);
    require_ok(recording);
    REQUIRE(recording->journal.size() == journal.size());
    return *recording;
}

Timeline judged_again(const std::vector<Event>& journal, bool keep_journal = false) {
    const auto timeline = headway::cli::judge_journal(export_of(journal).journal, keep_journal);
    require_ok(timeline);
    return *timeline;
}

std::vector<VerdictChanged> changes_in(const std::vector<Event>& journal) {
    std::vector<VerdictChanged> changes;
    for (const Event& one : journal) {
        if (const auto* change = std::get_if<VerdictChanged>(&one.payload))
            changes.push_back(*change);
    }
    return changes;
}

std::vector<VerdictChanged> changes_of(const Timeline& timeline) {
    std::vector<VerdictChanged> changes;
    for (const Step& step : timeline.verdicts)
        changes.push_back(std::get<VerdictChanged>(step.event.payload));
    return changes;
}

/// A finished call as a client reports it, with the print that the decoder makes.
Event decoded_call(const std::string& command, const std::string& result) {
    const std::string body =
        R"({"type":"tool.finished","data":{"tool":"bash","args":{"command":")" + command +
        R"("},"ok":true,"result":")" + result + R"("}})";
    headway::api::JsonDocument document;
    auto report = headway::api::decode_report(document, body, headway::api::BodyFormat::kJson);
    require_ok(report);
    return std::move(report->events.front());
}

Policy patient_for(std::uint32_t polls) {
    Policy policy;
    policy.wait_polls = polls;
    return policy;
}

/// A session that polls one job so often, every second.
Story polling_story(const Policy& policy, int polls) {
    Story story{policy};
    for (int i = 1; i <= polls; ++i)
        (void)story.report(decoded_call("gh run view 1", "status: in_progress"), 1'000 * i);
    return story;
}

void append_to(std::vector<Event>& journal, Event one, std::int64_t ms) {
    one.n = journal.size() + 1;
    one.at = headway::tests::at(ms);
    journal.push_back(std::move(one));
}

Event never_due() {
    VerdictChanged change;
    change.to = Verdict::kStuck;
    return headway::tests::event(std::move(change));
}

Event question() {
    headway::core::ApprovalRequested asked;
    asked.kind = headway::core::ApprovalKind::kQuestion;
    asked.summary = headway::core::bounded_text("which one?");
    asked.source = "agent";
    return headway::tests::event(std::move(asked));
}

Event answer_to(std::size_t n) {
    headway::core::ApprovalDecided decided;
    decided.id = "story.a" + std::to_string(n);
    decided.decision = headway::core::Decision::kRespond;
    decided.channel = "cli";
    decided.by = "ann";
    return headway::tests::event(std::move(decided));
}

}  // namespace

TEST_CASE("journal judge: an export is judged as it was served", "[cli]") {
    Story story;
    for (int i = 1; i <= 12; ++i)
        (void)story.report(decoded_call("make", "error: no rule"), 1'000 * i);
    (void)story.report(headway::tests::ended(headway::core::Outcome::kFailed), 20'000);
    REQUIRE(changes_in(story.events).size() >= 3);
    const Timeline again = judged_again(story.events);
    CHECK(changes_of(again) == changes_in(story.events));
    CHECK(again.last == *story.session.state().judgement);
    CHECK(again.calls == 12);
    CHECK(again.events == 13);
}

TEST_CASE("journal judge: a wait that needs a person is replayed as it was served", "[cli]") {
    Story story = polling_story(patient_for(4), 8);
    CHECK(story.verdict() == Verdict::kWaiting);
    CHECK(story.session.state().judgement->needs_somebody);
    const std::vector<VerdictChanged> served = changes_in(story.events);
    REQUIRE(served.size() >= 2);
    // The flag alone is a change: the verdict stays `waiting`.
    CHECK(served.back().from == Verdict::kWaiting);
    CHECK(served.back().to == Verdict::kWaiting);
    CHECK(served.back().needs_somebody);
    const Timeline again = judged_again(story.events);
    CHECK(changes_of(again) == served);
    CHECK(again.last.needs_somebody);
}

TEST_CASE("journal judge: an answer that moves takes the need of a person back", "[cli]") {
    Story story = polling_story(patient_for(4), 8);
    (void)story.report(decoded_call("gh run view 1", "status: completed, success"), 9'000);
    CHECK_FALSE(story.session.state().judgement->needs_somebody);
    const Timeline again = judged_again(story.events);
    CHECK(changes_of(again) == changes_in(story.events));
    CHECK_FALSE(again.last.needs_somebody);
}

TEST_CASE("journal judge: a policy that never asks for a person is replayed without one", "[cli]") {
    Policy policy = patient_for(0);
    policy.wait_patience = Millis{0};
    const Story story = polling_story(policy, 20);
    const Timeline again = judged_again(story.events);
    for (const VerdictChanged& change : changes_of(again))
        CHECK_FALSE(change.needs_somebody);
    CHECK(changes_of(again) == changes_in(story.events));
}

TEST_CASE("journal judge: a patience that passes between reports is served again at its moment",
          "[cli]") {
    Policy policy = patient_for(0);
    policy.wait_patience = Millis{10'000};
    Story story = polling_story(policy, 5);
    for (const std::int64_t ms : {8'000, 11'000, 14'000})  // nothing has moved since 2 s
        (void)story.report(beat(), ms);
    REQUIRE(story.session.state().judgement->needs_somebody);
    const Timeline again = judged_again(story.events);
    CHECK(changes_of(again) == changes_in(story.events));
    REQUIRE_FALSE(again.verdicts.empty());
    CHECK(again.verdicts.back().event.at == headway::tests::at(14'000));
}

TEST_CASE("journal judge: silence is taken from the export, and what is said after it", "[cli]") {
    Story story;
    (void)story.report(beat(), 1'000);
    (void)story.tick(21'000);
    REQUIRE(story.verdict() == Verdict::kSilent);
    (void)story.report(beat(), 50'000);
    const Timeline again = judged_again(story.events);
    CHECK(changes_of(again) == changes_in(story.events));
    // Without the line that says so it was not silent: only the daemon knew when it listened.
    std::vector<Event> without;
    for (const Event& one : story.events) {
        if (std::holds_alternative<VerdictChanged>(one.payload)) continue;
        without.push_back(one);
        without.back().n = without.size();
    }
    for (const VerdictChanged& change : changes_of(judged_again(without)))
        CHECK(change.to != Verdict::kSilent);
}

TEST_CASE("journal judge: a verdict that was never due is left out", "[cli]") {
    Story story;
    (void)story.report(decoded_call("ls", "a list"), 1'000);
    std::vector<Event> journal = story.events;
    append_to(journal, never_due(), 1'000);
    CHECK(changes_of(judged_again(journal)) == changes_in(story.events));
}

TEST_CASE("journal judge: the journal that judging makes is kept on request, numbered whole",
          "[cli]") {
    const Story story = polling_story(patient_for(4), 8);
    CHECK(judged_again(story.events).journal.empty());
    const Timeline again = judged_again(story.events, true);
    REQUIRE(again.journal.size() == story.events.size());
    for (std::size_t i = 0; i < again.journal.size(); ++i) {
        const Event& event = again.journal[i].event;
        CHECK(event.n == i + 1);
        CHECK(event.at == story.events[i].at);
        CHECK(event.state == story.events[i].state);
        CHECK(headway::core::type_of(event.payload) ==
              headway::core::type_of(story.events[i].payload));
        const bool of_us = std::holds_alternative<VerdictChanged>(event.payload);
        CHECK(again.journal[i].line == (of_us ? again.journal[i - 1].line : i + 1));
    }
}

TEST_CASE("journal judge: requests keep their decisions where verdicts before them are gone",
          "[cli]") {
    Story story;
    (void)story.report(decoded_call("ls", "a list"), 1'000);
    std::vector<Event> journal = story.events;
    // A verdict that was served and is not made again moves all numbers behind it by one.
    append_to(journal, never_due(), 1'000);
    append_to(journal, question(), 2'000);
    append_to(journal, answer_to(journal.size()), 3'000);
    append_to(journal, beat(), 4'000);
    const Timeline again = judged_again(journal, true);
    std::string asked;
    std::string answered;
    for (const auto& entry : again.journal) {
        if (std::holds_alternative<headway::core::ApprovalRequested>(entry.event.payload))
            asked = "story.a" + std::to_string(entry.event.n);
        if (const auto* one = std::get_if<headway::core::ApprovalDecided>(&entry.event.payload))
            answered = one->id;
    }
    CHECK(asked == "story.a" + std::to_string(story.events.size() + 1));
    CHECK(answered == asked);
    CHECK(again.last.verdict != Verdict::kBlocked);  // the question is answered
}

TEST_CASE("journal judge: a line that is no event is named by its number", "[cli]") {
    std::istringstream lines(
        R"({"n":1,"type":"session.started","at":"2026-11-21T02:00:00.000Z","session":"s","data":{}})"
        "\n\n\n\n"
        R"({"n":2,"type":"heartbeat","at":"2026-11-21T02:00:01.000Z","session":"s","data":{"iteration":-1}})"
        "\n");
    const auto recording = headway::cli::read_recording(lines, headway::cli::ReadFor::kJudge);
    require_ok(recording);
    const auto timeline = headway::cli::judge_journal(recording->journal, false);
    REQUIRE_FALSE(timeline.has_value());
    CHECK_THAT(timeline.error().detail,
               Catch::StartsWith("5: ") && Catch::Contains("/data/iteration"));
}

TEST_CASE("journal judge: nothing is judged in an empty journal", "[cli]") {
    const auto timeline = headway::cli::judge_journal({}, true);
    require_ok(timeline);
    CHECK(timeline->verdicts.empty());
    CHECK(timeline->events == 0);
    CHECK(timeline->last.verdict == Verdict::kStarting);
}
