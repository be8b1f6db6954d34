// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_totals.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "cli/base/json.hpp"
#include "cli/scan/report/scan_view.hpp"
#include "cli/scan/scan_file.hpp"

using namespace headway::cli;

namespace {

std::string line(int second, const std::string& type, const std::string& message) {
    const std::string at = std::to_string(100 + second).substr(1);
    return R"({"sessionId":"s1","cwd":"/home/dev/code","type":")" + type +
           R"(","timestamp":"2026-11-26T23:11:)" + at + R"(.000Z","message":)" + message + "}\n";
}

/// A call that fails in the same way so many times, an answer each.
std::string loop(int times, const std::string& ids) {
    std::string text = line(0, "user", R"({"content":"Go"})");
    for (int i = 0; i < times; ++i) {
        const std::string id = ids + std::to_string(i);
        text += line(i + 1, "assistant",
                     R"({"id":"m)" + id +
                         R"(","model":"claude-sonnet-4-5","content":[{"type":)"
                         R"("tool_use","id":"t)" +
                         id +
                         R"(","name":"Bash","input":{"command":"cat x"}}],)"
                         R"("usage":{"input_tokens":1000,"output_tokens":100}})");
        text += line(i + 1, "user",
                     R"({"content":[{"type":"tool_result","tool_use_id":"t)" + id +
                         R"(","is_error":true,"content":"Exit code 1\nno x"}]})");
    }
    return text;
}

ScannedSession scanned(const std::string& text, const std::string& file = "a.jsonl") {
    std::istringstream in(text);
    auto session = scan_session(in, nullptr, {}, [] { return false; });
    REQUIRE(session.has_value());
    session->file = file;
    return std::move(*session);
}

}  // namespace

TEST_CASE("scan: a loop is stuck from a call on, and what is used behind it counts", "[cli]") {
    const std::vector<ScannedSession> sessions{scanned(loop(8, ""))};
    REQUIRE(sessions[0].stuck);
    CHECK(sessions[0].stuck->call == 4);
    const ScanTotals totals = count_sessions(sessions);
    CHECK(totals.stuck == 1);
    CHECK(totals.all.calls == 8);
    CHECK(totals.all.failures == 8);
    CHECK(totals.all.tokens == 8'800);
    CHECK(totals.after_stuck.tokens == 4'400);
    CHECK(totals.all.cost_usd == Approx(8 * (0.003 + 0.0015)));
    CHECK(totals.by_model.at("claude-sonnet-4-5").tokens == 8'800);
    const std::string text = scan_text(totals, {});
    CHECK_THAT(text, Catch::Contains("1 session, 8.0s of work, 8 calls, 8.8k tokens, $0.036"));
    CHECK_THAT(text, Catch::Contains("stuck from call 4: "));
    CHECK_THAT(text, Catch::Contains("2026-11-23"));
}

TEST_CASE("scan: answers and calls that a fork has copied count once", "[cli]") {
    const std::vector<ScannedSession> sessions{scanned(loop(5, ""), "b.jsonl"),
                                               scanned(loop(3, ""), "a.jsonl")};
    const ScanTotals totals = count_sessions(sessions);
    CHECK(totals.all.sessions == 2);
    CHECK(totals.all.calls == 5);
    CHECK(totals.all.tokens == 5'500);
}

TEST_CASE("scan: a model without a price is said so, and not free", "[cli]") {
    std::string text = loop(1, "");
    const std::size_t at = text.find("claude-sonnet-4-5");
    text.replace(at, 17, "house-model-of-us");
    const std::vector<ScannedSession> sessions{scanned(text)};
    const ScanTotals totals = count_sessions(sessions);
    CHECK(totals.all.unpriced == 1'100);
    CHECK(spent_text(totals.all) == "1.1k tokens, $?");
}

TEST_CASE("scan: broken lines, and one that is not ended yet, cost no other", "[cli]") {
    const std::string whole = loop(2, "");
    const ScannedSession session =
        scanned(whole + "{\"type\":\"user\" broken\n" + R"({"type":"assistant","mess)");
    CHECK(session.broken == 1);
    CHECK(session.calls.size() == 2);
}

TEST_CASE("scan: a call without a result was cut off", "[cli]") {
    std::string text = loop(1, "");
    text.resize(text.rfind("{\"sessionId\""));
    const std::vector<ScannedSession> sessions{scanned(text)};
    CHECK(sessions[0].open_calls == 1);
    CHECK(count_sessions(sessions).cut_off == 1);
    CHECK_THAT(scan_text(count_sessions(sessions), {}),
               Catch::Contains("cut off: 1 call has no result"));
}

TEST_CASE("scan: a pause of a person is no work", "[cli]") {
    std::string text = loop(1, "");
    std::string late = line(0, "user", R"({"content":"Again"})");
    late.replace(late.find("23:11"), 5, "23:51");
    const ScannedSession session = scanned(text + late);
    CHECK(session.worked == Approx(1));
    CHECK(session.ended - session.began == Approx(40 * 60));
}

TEST_CASE("scan: a file of no agent is refused", "[cli]") {
    std::istringstream in("{\"a\":1}\n");
    CHECK_FALSE(scan_session(in, nullptr, {}, [] { return false; }).has_value());
}

TEST_CASE("scan: a week begins on its Monday", "[cli]") {
    CHECK(week_of(1'795'734'019) == "2026-11-23");
    CHECK(week_of(1'795'996'799) == "2026-11-23");
    CHECK(week_of(1'795'996'800) == "2026-11-30");
    CHECK(week_of(0) == "1969-12-29");
}

TEST_CASE("scan: a loop that a fork has copied is the loop of one session", "[cli]") {
    const std::vector<ScannedSession> sessions{scanned(loop(8, ""), "a.jsonl"),
                                               scanned(loop(8, ""), "b.jsonl")};
    CHECK(count_sessions(sessions).stuck == 1);
    const std::vector<ScannedSession> apart{scanned(loop(8, "x"), "a.jsonl"),
                                            scanned(loop(8, "y"), "b.jsonl")};
    CHECK(count_sessions(apart).stuck == 2);
}

TEST_CASE("scan: of an answer whose lines count more and more, the last counts", "[cli]") {
    std::string text = loop(1, "");
    std::string more = text;
    const std::size_t at = more.find("\"output_tokens\":100");
    more.replace(at, 19, "\"output_tokens\":900");
    const ScannedSession session = scanned(text + more);
    REQUIRE(session.uses.size() == 1);
    CHECK(session.uses[0].tokens == 1'900);
}

TEST_CASE("scan: calls that a server numbers from the start again are as many calls", "[cli]") {
    std::string later = loop(3, "");
    for (std::size_t at = 0; (at = later.find("2026-11-26T", at)) != std::string::npos;)
        later.replace(at, 11, "2026-11-27T");
    const std::vector<ScannedSession> sessions{scanned(loop(3, ""), "a.jsonl"),
                                               scanned(later, "b.jsonl")};
    CHECK(count_sessions(sessions).all.calls == 6);
}

TEST_CASE("scan: a cost has as many digits as its size needs", "[cli]") {
    Totals totals;
    totals.tokens = 1;
    for (const auto& [cost, words] :
         {std::pair{0.0412, "$0.041"}, std::pair{27.717, "$27.72"}, std::pair{3779.92, "$3780"}}) {
        totals.cost_usd = cost;
        CHECK(cost_text(totals) == words);
    }
}
