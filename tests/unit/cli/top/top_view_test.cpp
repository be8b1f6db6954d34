// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_view.hpp"

#include <catch2/catch.hpp>

#include "cli/base/text.hpp"
#include "tests/support/hostile_text.hpp"
#include "tests/support/parsed.hpp"

using namespace headway::cli;

namespace {

const WallTime kTopNow = *parse_time("2026-11-21T02:10:00.000Z");

Json row(const std::string& id, const std::string& status) {
    return {{"id", id},
            {"status", status},
            {"since", "2026-11-21T02:00:00.000Z"},
            {"last_beat_at", "2026-11-21T02:09:58.000Z"},
            {"last_action", {{"text", "bash: make test"}, {"at", "2026-11-21T02:09:30.000Z"}}},
            {"budget", {{"level", "low"}, {"pressure", 72.5}, {"dimension", "steps"}}},
            {"goal", "fix the " + id}};
}

Json fleet() {
    Json data;
    data["overview"] = {{"open", 3},
                        {"counts", {{"progressing", 2}, {"blocked", 1}}},
                        {"needs_you_total", 2},
                        {"needs_you", Json::array({{{"kind", "approval"},
                                                    {"session", "b"},
                                                    {"since", "2026-11-21T02:05:00.000Z"},
                                                    {"reason", "rm -rf build"},
                                                    {"certain", true},
                                                    {"approval", "b.a7"}},
                                                   {{"kind", "stuck"},
                                                    {"session", "c"},
                                                    {"since", "2026-11-21T02:06:00.000Z"},
                                                    {"reason", "the same call 4 times"},
                                                    {"certain", false},
                                                    {"approval", nullptr}}})}};
    data["rows"] = Json::array({row("a", "progressing"), row("b", "blocked"), row("c", "stuck")});
    data["total"] = 3;
    return data;
}

Json asked(const std::string& id) {
    return {{"id", id},
            {"status", "pending"},
            {"kind", "tool"},
            {"tool", "bash"},
            {"session", "b"},
            {"risk", "high"},
            {"args", {{"command", "rm -rf build"}}}};
}

std::string screen(const TopState& state, const Json& data, std::size_t width = 100,
                   std::size_t height = 20) {
    return draw(state, data, kTopNow, width, height, false);
}

void keys(TopState& state, const Json& data, std::initializer_list<std::string_view> pressed) {
    for (const std::string_view key : pressed)
        press(state, data, key);
}

}  // namespace

TEST_CASE("top: a run that waits for its next start shows until when", "[cli]") {
    Json data = fleet();
    data["rows"] = Json::array({row("a", "waiting")});
    data["rows"][0]["phase"] = "waiting until 03:10 UTC: the usage limit";
    CHECK_THAT(screen({}, data, 200), Catch::Contains("waiting until 03:10 UTC"));
    data["rows"][0]["phase"] = "running";
    CHECK_THAT(screen({}, data, 200), Catch::Contains("bash: make test"));
}

TEST_CASE("top: one screen says what needs a person, and what each session does", "[cli]") {
    const std::string text = screen({}, fleet());
    CHECK_THAT(text, Catch::Contains("3 open  1 blocked  2 progressing"));
    CHECK(text.find("fix the b") < text.find("fix the c"));  // the worst first
    CHECK(text.find("fix the c") < text.find("fix the a"));
    CHECK_THAT(text, Catch::Contains("Needs you (2)\n  5m00s  approval  b  rm -rf build\n"
                                     "  4m00s  perhaps stuck  c  the same call 4 times\n"));
    CHECK_THAT(text, Catch::Contains("bash: make test (30.0s)"));
    CHECK_THAT(text, Catch::Contains("72% steps"));
}

TEST_CASE("top: a request that is not among the first needs is looked up", "[cli]") {
    Json data = fleet();
    data["overview"]["needs_you_total"] = 121;
    data["rows"][0]["approvals_pending"] = 1;
    CHECK_THAT(screen({}, data), Catch::Contains("Needs you (121, here the first 2)"));
    TopState state;
    state.selected = "a";
    keys(state, data, {"a"});
    CHECK(state.news.empty());
    CHECK(state.sought.session == "a");
    CHECK(state.sought.approve);
    state.sought = {};
    state.selected = "c";
    keys(state, data, {"d"});
    CHECK(state.news == "c waits for no approval");
    CHECK(state.sought.session.empty());
}

TEST_CASE("top shows the words of a request for a group only where each member has them",
          "[cli][top]") {
    Json data = fleet();
    Json& needs = data["overview"]["needs_you"];
    Json second = needs[0];
    second["session"] = "d";
    needs.push_back(second);
    CHECK_THAT(screen({}, data), Catch::Contains("2 approval  b and 1 more  rm -rf build"));
    second["reason"] = "deploy";
    needs.push_back(second);
    const std::string text = screen({}, data);
    CHECK_THAT(text, Catch::Contains("3 approval  b and 2 more  different requests: "));
    CHECK_THAT(text, !Catch::Contains("rm -rf build"));
}

TEST_CASE("top: when nothing needs a person it says so", "[cli]") {
    Json data = fleet();
    data["overview"]["needs_you"] = Json::array();
    CHECK_THAT(screen({}, data), Catch::Contains("Nothing needs you right now."));
    data["rows"] = Json::array();
    CHECK_THAT(screen({}, data), Catch::Contains("headway run -- COMMAND"));
}

TEST_CASE("top: a screen is as wide and high as the terminal, whatever agents call themselves",
          "[cli]") {
    Json data = fleet();
    data["rows"][0]["goal"] = "\x1b[2Jgone\n" + std::string(500, 'x');
    for (int i = 0; i < 200; ++i)
        data["rows"].push_back(row("more-" + std::to_string(i), "slow"));
    for (const std::size_t height : {1U, 2U, 5U, 24U}) {
        const std::string text = screen({}, data, 60, height);
        CHECK(std::count(text.begin(), text.end(), '\n') ==
              static_cast<long>(height > 1 ? height - 1 : 1));
        CHECK(text.find('\x1b') == std::string::npos);
        std::size_t begin = 0;
        while (begin < text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            CHECK(width_of(text.substr(begin, end - begin)) <= 60);
            begin = end + 1;
        }
    }
}

TEST_CASE("top: the chosen session stays chosen while rows move, and stays in sight", "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"j"});
    CHECK(state.selected == "c");
    std::swap(data["rows"][0], data["rows"][2]);
    CHECK_THAT(screen(state, data), Catch::Contains("> stuck"));
    data["overview"]["needs_you"] = Json::array();
    keys(state, data, {"k"});
    CHECK(state.selected == "c");  // it is the first now
    for (int i = 0; i < 50; ++i)
        data["rows"].push_back(row("more-" + std::to_string(i), "slow"));
    for (int i = 0; i < 60; ++i)
        press(state, data, "\x1b[B");
    CHECK(state.selected == "a");  // what progresses comes last
    keys(state, data, {"k"});
    CHECK(state.selected == "more-49");
    CHECK_THAT(screen(state, data), Catch::Contains("> slow") && Catch::Contains("more-49"));
}

TEST_CASE("top: approving takes a second key, and shows what is approved first", "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"n", "a"});
    CHECK(state.selected == "b");
    CHECK_THAT(screen(state, data), Catch::Contains("reading b.a7"));
    keys(state, data, {"y"});
    CHECK(state.decided.approval.empty());  // nothing is approved unseen
    data["approval"] = asked("b.a7");
    CHECK_THAT(screen(state, data), Catch::Contains("bash") && Catch::Contains("rm -rf build") &&
                                        Catch::Contains("high"));
    CHECK_THAT(screen(state, data), Catch::Contains("Approve b.a7 of b?"));
    SECTION("yes") {
        keys(state, data, {"y"});
        CHECK(state.decided.approval == "b.a7");
        CHECK(state.decided.approve);
    }
    SECTION("any other key takes it back, and does nothing else") {
        keys(state, data, {"q"});
        CHECK(state.decided.approval.empty());
        CHECK_FALSE(state.quit);
    }
    SECTION("deny") {
        keys(state, data, {"x", "d", "y"});
        CHECK(state.decided.approval == "b.a7");
        CHECK_FALSE(state.decided.approve);
    }
    SECTION("a session that waits for nothing") {
        keys(state, data, {"x", "n", "a", "y"});
        CHECK(state.decided.approval.empty());
    }
    CHECK(state.asked.approval.empty());
}

TEST_CASE("top: a critical approval takes the name of its tool, letter by letter", "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"n", "a"});
    data["approval"] = asked("b.a7");
    data["approval"]["risk"] = "critical";
    CHECK_THAT(screen(state, data), Catch::Contains("CRITICAL") && Catch::Contains("bash"));
    SECTION("y alone is a letter") {
        keys(state, data, {"y"});
        CHECK(state.decided.approval.empty());
        CHECK(state.asked.approval == "b.a7");
        keys(state, data, {"\r"});
        CHECK(state.decided.approval.empty());
        CHECK_THAT(state.news, Catch::Contains("not approved"));
    }
    SECTION("the name") {
        keys(state, data, {"b", "a", "d", "\x7f", "s", "h"});
        CHECK_THAT(screen(state, data), Catch::Contains("> bash_"));
        CHECK(state.decided.approval.empty());
        keys(state, data, {"\r"});
        CHECK(state.decided.approval == "b.a7");
        CHECK(state.decided.approve);
    }
    SECTION("escape") {
        keys(state, data, {"b", "a", "s", "h", "\x1b"});
        CHECK(state.decided.approval.empty());
    }
    SECTION("a denial takes none") {
        keys(state, data, {"\x1b", "d", "y"});
        CHECK(state.decided.approval == "b.a7");
        CHECK_FALSE(state.decided.approve);
    }
    CHECK(state.asked.approval.empty());
    CHECK(state.typed.empty());
}

TEST_CASE("top: a question is answered in words, never approved", "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"n", "a"});
    data["approval"] = asked("b.a7");
    data["approval"]["kind"] = "question";
    data["approval"]["source"] = "agent";
    CHECK_THAT(screen(state, data), Catch::Contains("Answer b.a7 of b? Type your answer"));
    SECTION("a letter is a letter") {
        keys(state, data, {"y", "\xc3", "\xa9", "\x7f", "e", "s"});
        CHECK_THAT(screen(state, data), Catch::Contains("> yes_"));
        CHECK(state.decided.approval.empty());
        keys(state, data, {"\r"});
        CHECK(state.decided.approval == "b.a7");
        CHECK(state.decided.answer == "yes");
    }
    SECTION("no words are no answer") {
        keys(state, data, {" ", "\r"});
        CHECK(state.decided.approval.empty());
        CHECK_THAT(state.news, Catch::Contains("not answered"));
    }
    SECTION("a denial takes none") {
        keys(state, data, {"\x1b", "d", "y"});
        CHECK(state.decided.approval == "b.a7");
        CHECK_FALSE(state.decided.approve);
    }
    SECTION("a small window names the verb") {
        state.whole = false;
        CHECK_THAT(screen(state, data), Catch::Contains("`headway answer b.a7"));
        keys(state, data, {"x"});
    }
    SECTION("what Headway itself asks is a matter of yes or no") {
        data["approval"]["source"] = "headway";
        keys(state, data, {"y"});
        CHECK(state.decided.approval == "b.a7");
        CHECK(state.decided.answer.empty());
    }
    CHECK(state.asked.approval.empty());
    CHECK(state.typed.empty());
}

TEST_CASE("top: an open session shows the states of its agent, and where it stands", "[cli]") {
    Json data = fleet();
    data["session"] = {{"id", "b"}, {"state", "halted"}, {"verdict", {{"status", "halted"}}}};
    data["events"] = Json::array();
    TopState state;
    keys(state, data, {"n", "\r"});
    CHECK_THAT(screen(state, data, 200, 30),
               Catch::Contains(">idle  >processing_prompt  streaming_response") &&
                   Catch::Contains("[halted]"));
    data["session"]["state"] = nullptr;
    CHECK_THAT(screen(state, data, 200, 30), !Catch::Contains("processing_prompt"));
}

TEST_CASE("top: of 500 hostile calls no two questions look the same, and none hides anything",
          "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"n", "a"});
    std::set<std::string> shown;
    for (const std::string& text : headway::tests::hostile_texts()) {
        data["approval"] = asked("b.a7");
        data["approval"]["args"] = text;
        shown.insert(screen(state, data));
        headway::tests::require_visible(screen(state, data));
    }
    CHECK(shown.size() == 500);
}

TEST_CASE("top: keys while typing a filter are text", "[cli]") {
    const Json data = fleet();
    TopState state;
    keys(state, data, {"/", "q", "a", "\x7f", "j"});
    CHECK(state.filter == "qj");
    state.filter += "\u00E9";
    keys(state, data, {"\x7f"});
    CHECK(state.filter == "qj");
    CHECK_FALSE(state.quit);
    CHECK(state.stale);
    keys(state, data, {"\r"});
    CHECK(state.filter == "qj");
    keys(state, data, {"\x1b"});
    CHECK(state.filter.empty());
}

TEST_CASE("top: a session opens and closes, and help too", "[cli]") {
    Json data = fleet();
    TopState state;
    keys(state, data, {"\r"});
    CHECK(state.open);
    CHECK(state.selected == "b");
    data["session"] = {{"id", "a"}, {"goal", "fix the tests"}, {"verdict", {{"status", "slow"}}}};
    data["events"] = Json::array();
    CHECK_THAT(screen(state, data), Catch::Contains("fix the tests"));
    keys(state, data, {"?"});
    CHECK_THAT(screen(state, data), Catch::Contains("this help"));
    keys(state, data, {"\x1b", "\x1b"});
    CHECK_FALSE(state.help);
    CHECK_FALSE(state.open);
    keys(state, data, {"q"});
    CHECK(state.quit);
}

TEST_CASE("top: what another daemon might send breaks nothing", "[cli]") {
    Json data;
    data["overview"] = Json::array();
    data["rows"] = Json::array({nullptr, 7, {{"id", 3}, {"budget", "x"}}});
    TopState state;
    keys(state, data, {"j", "n", "a", "\r"});
    CHECK_FALSE(screen(state, data).empty());
    data["overview"] = {{"needs_you", 3}, {"counts", "x"}};
    data["session"] = {{"verdict", 3}};
    data["events"] = Json::array({nullptr});
    CHECK_FALSE(screen(state, data).empty());
}

TEST_CASE("top: arguments longer than the screen are said to be cut, never just cut", "[cli]") {
    Json data = fleet();
    data["approval"] = asked("b.a7");
    data["approval"]["args"]["command"] = std::string(5'000, 'x');
    TopState state;
    keys(state, data, {"n", "a"});
    CHECK_THAT(screen(state, data), Catch::Contains("more lines: `headway approvals --session b`"));
    data["approval"]["args"]["command"] = std::string(150, 'x') + "the end";
    CHECK_THAT(screen(state, data), Catch::Contains("the end"));
}

TEST_CASE("top: what the screen has no room for is not approved, and may be denied", "[cli]") {
    Json data = fleet();
    data["approval"] = asked("b.a7");
    data["approval"]["args"]["command"] = std::string(5'000, 'x');
    for (const char* first : {"a", "d"}) {
        TopState state;
        keys(state, data, {"n", first});
        state.whole = shows_request_whole(state, data, kTopNow, 80, 24);
        CHECK_FALSE(state.whole);
        CHECK(shows_request_whole(state, data, kTopNow, 80, 200));
        if (*first == 'a') CHECK_THAT(screen(state, data), Catch::Contains("too small"));
        keys(state, data, {"y"});
        CHECK(state.decided.approval.empty() == (*first == 'a'));
        CHECK(state.asked.approval.empty());
    }
}

TEST_CASE("top: wide characters make no line wider than the terminal", "[cli]") {
    Json data = fleet();
    std::string wide;
    for (int i = 0; i < 60; ++i)
        wide += i % 2 == 0 ? "\u65E5" : "\U0001F680";
    data["overview"]["needs_you"][0]["reason"] = wide;
    data["rows"][0]["goal"] = wide;
    data["approval"] = asked("b.a7");
    data["approval"]["summary"] = wide;
    data["approval"]["args"]["command"] = wide;
    for (const bool asks : {false, true}) {
        TopState state;
        if (asks) keys(state, data, {"n", "a"});
        for (const std::string& line : lines_of(draw(state, data, kTopNow, 80, 40, false))) {
            std::size_t columns = 0;
            for (const char c : line)  // no character of fewer than three bytes is wide
                columns += (c & 0xC0) == 0x80 ? 0 : static_cast<unsigned char>(c) < 0xE3 ? 1 : 2;
            CHECK(columns <= 80);
        }
    }
    TopState state;
    keys(state, data, {"n", "a"});
    std::size_t height = 20;
    while (height < 200 && !shows_request_whole(state, data, kTopNow, 80, height))
        ++height;
    state.whole = true;
    CHECK_THAT(draw(state, data, kTopNow, 80, height, false), Catch::Contains("y: yes"));
    CHECK_FALSE(shows_request_whole(state, data, kTopNow, 8, 200));
}

TEST_CASE("top: bytes that are not shown are said before an approval", "[cli]") {
    Json data = fleet();
    data["approval"] = asked("b.a7");
    data["approval"]["hidden_bytes"] = 17;
    TopState state;
    keys(state, data, {"n", "a"});
    CHECK_THAT(screen(state, data), Catch::Contains("17 bytes of the arguments were cut out"));
}

TEST_CASE("top: a silent session can be ended as failed or cancelled, others cannot", "[cli]") {
    Json data = fleet();
    data["rows"].push_back(row("gone", "silent"));
    TopState state;
    keys(state, data, {"e"});
    CHECK_THAT(state.news, Catch::Contains("b is not silent") && Catch::Contains("headway cancel"));
    state.selected = "gone";
    keys(state, data, {"e"});
    CHECK_THAT(screen(state, data), Catch::Contains("End gone?"));
    SECTION("failed") {
        keys(state, data, {"f"});
        CHECK(state.ended.session == "gone");
        CHECK(state.ended.outcome == "failed");
    }
    SECTION("cancelled") {
        keys(state, data, {"c"});
        CHECK(state.ended.outcome == "cancelled");
    }
    SECTION("any other key takes it back, and does nothing else") {
        keys(state, data, {"q"});
        CHECK(state.ended.session.empty());
        CHECK_FALSE(state.quit);
    }
    CHECK(state.ending.session.empty());
}

TEST_CASE("top: the rows that are not on the screen are counted", "[cli]") {
    Json data = fleet();
    for (int i = 0; i < 60; ++i)
        data["rows"].push_back(row("more-" + std::to_string(i), "slow"));
    data["total"] = 63U;
    const std::string text = screen({}, data, 100, 14);
    const auto shown = std::count(text.begin(), text.end(), '\n');
    std::size_t rows = 0;
    for (std::size_t at = text.find("fix the "); at != std::string::npos;
         at = text.find("fix the ", at + 1))
        ++rows;
    CHECK(shown == 13);
    CHECK_THAT(text, Catch::Contains("… " + std::to_string(63 - rows) + " more"));
    data["total"] = 263U;  // beyond the page too
    CHECK_THAT(screen({}, data, 100, 14),
               Catch::Contains("… " + std::to_string(263 - rows) + " more"));
    CHECK_THAT(screen({}, data, 100, 100), Catch::Contains("… 200 more"));
    CHECK_THAT(screen({}, fleet()), !Catch::Contains("more;"));
}

TEST_CASE("top: a message that is wider than the screen is shown with its end", "[cli]") {
    Json data = fleet();
    data["trouble"] =
        "this needs a token that may approve, and none of those that were found does; "
        "name a token with --token-file, HEADWAY_TOKEN or HEADWAY_TOKEN_FILE";
    CHECK_THAT(screen({}, data, 60), Catch::Contains("HEADWAY_TOKEN_FILE"));
}

TEST_CASE("top: alarms stand out, on top", "[cli]") {
    Json data = fleet();
    data["overview"]["alarms"] = 1U;
    Json alarm = {{"kind", "alarm"},
                  {"session", "a"},
                  {"since", "2026-11-21T02:09:00.000Z"},
                  {"reason", "deploy"},
                  {"reason_code", "executed_though_rejected"},
                  {"certain", true},
                  {"approval", nullptr}};
    data["overview"]["needs_you"] = Json::array({alarm, data["overview"]["needs_you"][0]});
    data["rows"][0]["alarm"] = "executed_though_rejected";
    const std::string text = screen({}, data);
    CHECK_THAT(text, Catch::Contains("ALARMS in 1"));
    CHECK_THAT(text, Catch::Contains("Needs you (2)\n  1m00s  ALARM  a  ran although it was "
                                     "rejected\n"));
    CHECK_THAT(text, Catch::Contains("ALARM progressing"));
    CHECK_THAT(draw({}, data, kTopNow, 100, 20, true), Catch::Contains("\x1b[1;31m1m00s  ALARM"));
}

TEST_CASE("top: how far each has come", "[cli]") {
    Json data = fleet();
    data["rows"][0]["estimate"] = {{"percent", 61.6}};
    CHECK_THAT(screen({}, data), Catch::Contains("62%"));
}

TEST_CASE("top: on 80 columns a goal has 20 of them, and alarms are not cut", "[cli]") {
    Json data = fleet();
    data["overview"]["alarms"] = 1U;
    data["overview"]["counts"] = {{"progressing", 1234}, {"exploring", 5678}, {"stuck", 14},
                                  {"silent", 25},        {"blocked", 33},     {"waiting", 44}};
    for (const char* id : {"a-session-with-a-long-name-1", "a-session-with-a-long-name-2"}) {
        Json one = row(id, "progressing");
        one["goal"] = "Add retries to the payment client of the shop";
        one["activity"] = "ssiiv...........";
        one["quiet_rounds"] = 29U;
        one["used"] = {{"tokens", 1000U}, {"cost_usd", 12.25}};
        data["rows"].push_back(one);
    }
    const std::string text = screen({}, data, 80, 24);
    CHECK_THAT(text, Catch::Contains("ALARMS in 1"));
    CHECK_THAT(text, Catch::Contains("Add retries to the p"));
    CHECK_THAT(text, Catch::Contains("$12.25"));
    CHECK_THAT(text, Catch::Contains("▁▁▁▁▁▁×29"));
    for (const std::size_t width : {100U, 120U, 140U})
        CHECK_THAT(screen({}, data, width, 24), Catch::Contains("Add retries to the p"));
}

TEST_CASE("top: things of one cause that need a person are one line with their number", "[cli]") {
    Json data = fleet();
    Json silent = data["overview"]["needs_you"][1];
    silent["kind"] = "silent";
    for (int i = 0; i < 25; ++i)
        data["overview"]["needs_you"].push_back(silent);
    CHECK_THAT(screen({}, data), Catch::Contains("25 perhaps silent  c and 24 more"));
}

TEST_CASE(
    "top: sub-agents stand below their parent, which has the cost of all and the place of "
    "the worst",
    "[cli]") {
    Json data = fleet();
    data["overview"]["needs_you"] = Json::array();
    data["rows"][2]["parent"] = "a";
    data["rows"][0]["used"] = {{"tokens", 1U}, {"cost_usd", 1.5}};
    data["rows"][2]["used"] = {{"tokens", 1U}, {"cost_usd", 2.0}};
    TopState state;
    const std::string text = screen(state, data);
    CHECK_THAT(text, Catch::Contains("+1 fix the a") && Catch::Contains("Σ $3.50"));
    CHECK(text.find("fix the a") < text.find("fix the c"));
    CHECK(text.find("fix the c") < text.find("fix the b"));
    keys(state, data, {"t"});
    const std::string flat = screen(state, data);
    CHECK(flat.find("fix the c") < flat.find("fix the b"));
    CHECK(flat.find("fix the b") < flat.find("fix the a"));
}

TEST_CASE("top: sessions that name each other as parents, or themselves, are all shown", "[cli]") {
    Json data = fleet();
    data["rows"][0]["parent"] = "b";
    data["rows"][1]["parent"] = "c";
    data["rows"][2]["parent"] = "a";
    Json self = row("self", "slow");
    self["parent"] = "self";
    data["rows"].push_back(self);
    const std::string text = screen({}, data);
    for (const char* goal : {"fix the a", "fix the b", "fix the c", "fix the self"})
        CHECK_THAT(text, Catch::Contains(goal));
}

TEST_CASE("top: a key turns the order", "[cli]") {
    Json data = fleet();
    data["rows"][0]["used"] = {{"tokens", 1U}, {"cost_usd", 9.0}};
    TopState state;
    keys(state, data, {"o"});
    CHECK_THAT(state.news, Catch::Contains("newest"));
    keys(state, data, {"o"});
    CHECK_THAT(state.news, Catch::Contains("dearest"));
    const std::string text = screen(state, data);
    CHECK(text.find("fix the a") < text.find("fix the b"));
    keys(state, data, {"o", "o"});
    CHECK(state.order == TopOrder::kWorst);
}
