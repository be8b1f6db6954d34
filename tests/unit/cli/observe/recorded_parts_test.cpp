// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/recorded_parts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/base/json.hpp"
#include "cli/observe/observed_events.hpp"
#include "cli/observe/session_import.hpp"

using namespace headway::cli;

namespace {

constexpr double kRecordedBegin = 1'795'000'000;

ScannedSession recorded_session(const std::string& parent = {}) {
    ScannedSession session;
    session.about.agent = "claude";
    session.about.id = "one";
    session.about.parent = parent;
    session.began = kRecordedBegin;
    session.ended = kRecordedBegin + 9'000;
    return session;
}

StoredLine recorded_line(int number, bool turn_ended = false, const char* role = "user") {
    StoredLine line;
    line.live = true;
    line.seconds = kRecordedBegin + number;
    line.reports.push_back(R"({"type":"message","data":{"role":")" + std::string(role) +
                           R"(","text":")" + std::to_string(number) + "\"}}");
    line.turn_ended = turn_ended;
    return line;
}

/// All parts of a session with these lines.
std::vector<Json> parts_of(const ScannedSession& session, const std::vector<StoredLine>& lines) {
    std::vector<Json> parts;
    const RecordedParts::Send send = [&parts](const std::string& part) {
        parts.push_back(Json::parse(part).value());
        return true;
    };
    StoredAbout about = session.about;
    about.goal = "Fix it";
    RecordedParts made(session, send);
    for (const StoredLine& line : lines)
        REQUIRE(made.take(line, about));
    (void)made.finish();
    return parts;
}

const Json& last_of(const std::vector<Json>& parts) {
    return parts.back().list().back();
}

}  // namespace

TEST_CASE("recorded parts: they begin with the opening and end with the end, at their times",
          "[cli]") {
    const auto parts = parts_of(recorded_session("main"), {recorded_line(5)});
    REQUIRE(parts.size() == 1);
    const Json::List& events = parts[0].list();
    REQUIRE(events.size() == 3);
    CHECK(events[0].text_of("type") == "session.started");
    CHECK(events[0].text_of("at") == time_text(kRecordedBegin));
    CHECK(events[0]["data"].text_of("goal") == "Fix it");
    CHECK(events[0]["data"].text_of("parent") == "claude-main");
    CHECK(events[1].text_of("at") == time_text(kRecordedBegin + 5));
    CHECK(events[2].text_of("type") == "session.ended");
    CHECK(events[2].text_of("at") == time_text(kRecordedBegin + 9'000));
}

TEST_CASE("recorded parts: a long session comes in parts, with the same ids each time", "[cli]") {
    std::vector<StoredLine> lines;
    for (int i = 0; i < 1'200; ++i)
        lines.push_back(recorded_line(i));
    const ScannedSession session = recorded_session();
    const auto parts = parts_of(session, lines);
    REQUIRE(parts.size() == 3);
    std::size_t events = 0;
    for (const Json& part : parts)
        events += part.list().size();
    CHECK(events == 1'202);
    const auto again = parts_of(session, lines);
    CHECK(dump(again[1]) == dump(parts[1]));
}

TEST_CASE("recorded parts: the last words decide how it ended", "[cli]") {
    const ScannedSession session = recorded_session();
    const auto outcome = [&](const std::vector<StoredLine>& lines) {
        return last_of(parts_of(session, lines))["data"].text_of("outcome");
    };
    CHECK(outcome({recorded_line(1), recorded_line(2, true)}) == "completed");
    CHECK(outcome({recorded_line(1), recorded_line(2, false, "assistant")}) == "completed");
    CHECK(outcome({recorded_line(1, true), recorded_line(2)}) == "failed");
    StoredLine announces = recorded_line(2, false, "assistant");
    announces.turn_goes_on = true;
    CHECK(outcome({recorded_line(1), announces}) == "failed");
    StoredLine cut = recorded_line(2, true);
    cut.turn_cut = true;
    CHECK(outcome({recorded_line(1), cut}) == "failed");
    CHECK(outcome({recorded_line(1), cut, recorded_line(3, true)}) == "completed");
}

TEST_CASE("observed events: a sub-agent whose turn was cut short has not completed", "[cli]") {
    for (const bool cut : {false, true}) {
        ObservedEvents events(kRecordedBegin);
        StoredLine line = recorded_line(1, true);
        line.turn_cut = cut;
        std::vector<std::string> reports;
        events.take(line, true, reports);
        CHECK_THAT(reports.back(),
                   Catch::Contains(cut ? R"("outcome":"cancelled")" : R"("outcome":"completed")"));
    }
}

TEST_CASE("recorded parts: words before a call without a result are no end of a turn", "[cli]") {
    ScannedSession session = recorded_session();
    session.open_calls = 1;
    const auto end = [&](const std::vector<StoredLine>& lines) {
        return last_of(parts_of(session, lines))["data"];
    };
    const Json cut_off = end({recorded_line(1), recorded_line(2, false, "assistant")});
    CHECK(cut_off.text_of("outcome") == "failed");
    CHECK_THAT(cut_off.text_of("reason"), Catch::Contains("in the middle of a call"));
    CHECK(end({recorded_line(2, true)}).text_of("outcome") == "completed");
}

TEST_CASE("recorded parts: a session without events is not sent", "[cli]") {
    StoredLine empty;
    empty.seconds = kRecordedBegin;
    CHECK(parts_of(recorded_session(), {empty}).empty());
}

TEST_CASE("recorded parts: only so many events are taken, and the end says so", "[cli]") {
    const ScannedSession session = recorded_session();
    std::string last;
    const RecordedParts::Send send = [&last](const std::string& part) {
        last = part;
        return true;
    };
    RecordedParts parts(session, send);
    std::size_t taken = 0;
    while (parts.take(recorded_line(static_cast<int>(taken)), session.about))
        ++taken;
    CHECK(taken == kRecordedEventsMax);
    CHECK(parts.finish());
    CHECK_THAT(last, Catch::Contains("more events than are taken of one"));
}

TEST_CASE("session import: the oldest is first, and parents are before their sub-agents", "[cli]") {
    ScannedSession late = recorded_session();
    late.began += 10;
    const ScannedSession child = recorded_session("one");
    const ScannedSession parent = recorded_session();
    std::vector<StoredSession> sessions{{&late, nullptr}, {&child, nullptr}, {&parent, nullptr}};
    sort_for_history(sessions);
    CHECK(sessions[0].session == &parent);
    CHECK(sessions[1].session == &child);
    CHECK(sessions[2].session == &late);
}

TEST_CASE("session import: a file that changed lately may still run, a database is judged by lines",
          "[cli]") {
    const ScannedSession session = recorded_session();
    const double now = session.ended + 3'600;
    StoreFile file;
    file.format = &kClaudeStore;
    CHECK_FALSE(may_run({&session, &file}, now));
    CHECK(may_run({&session, &file}, session.ended + 60));
    file.changed = static_cast<std::int64_t>((now - 60) * 1e9);
    CHECK(may_run({&session, &file}, now));
    file.format = &kOpencodeStore;
    CHECK_FALSE(may_run({&session, &file}, now));
}
