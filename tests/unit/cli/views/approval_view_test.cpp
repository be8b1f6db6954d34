// SPDX-License-Identifier: Apache-2.0
#include "cli/views/approval_view.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "cli/base/text.hpp"
#include "tests/support/hostile_text.hpp"
#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::hostile_texts;
using headway::tests::parsed;
using headway::tests::require_visible;

namespace {

WallTime at(const char* time) {
    return parse_time(time).value();
}

Json pending() {
    return parsed(R"({"id":"a.a4","session":"a","status":"pending","kind":"tool","tool":"bash",
        "args":{"command":"rm -r build"},"args_digest":"sha256:ab","risk":"high",
        "summary":"clean \u001b[2Jup","requested_at":"2026-11-21T02:00:00.000Z",
        "expires_at":"2026-11-21T02:10:00.000Z","decision":null})");
}

}  // namespace

TEST_CASE("approval view: a request shows what is asked, the exact arguments and its times",
          "[cli]") {
    const std::string text =
        approvals_text(Json::array({pending()}), at("2026-11-21T02:01:00.000Z"), false);
    for (const char* part :
         {"a.a4  pending  bash", "session   a", "risk      high", R"({"command":"rm -r build"})",
          "sha256:ab", "1m00s ago", "in 9m00s"}) {
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("approval view: nothing of what is approved is hidden, and no two calls look the same",
          "[cli]") {
    const auto shown = [](const Json& args) {
        Json approval = pending();
        approval["args"] = args;
        const std::string text = approvals_text(Json::array({approval}), WallTime{}, false);
        const std::size_t begin = text.find("arguments ");
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    CHECK(shown("echo hi \x1b]0; rm -rf ~ \a") == "arguments echo hi \\u{1b}]0; rm -rf ~ \\u{7}");
    CHECK(shown("a\nb") == "arguments a\\u{a}b");
    // Members that are those of a text that was cut when it was stored.
    CHECK(shown({{"head", "ls"}, {"command", "rm -rf ~"}}) ==
          R"(arguments {"command":"rm -rf ~","head":"ls"})");
    CHECK(shown({{"head", "ls"}, {"tail", ""}, {"digest", "d"}, {"bytes", 1}}).find("digest") !=
          std::string::npos);
    CHECK(shown({{"a", "\u202e\u009b"}}) == R"(arguments {"a":"\u202e\u009b"})");
    CHECK(shown({{"a", 1}}) == R"(arguments {"a":1})");
    CHECK(shown(R"({"a":1})") == R"(arguments "{\"a\":1}")");
}

TEST_CASE("approval view: of 500 hostile texts no two look the same, and none hides anything",
          "[cli]") {
    for (const char* member : {"args", "tool", "summary"}) {
        std::set<std::string> shown;
        std::set<std::string> json;
        for (const std::string& text : hostile_texts()) {
            Json approval = pending();
            approval[member] = text;
            const Json list = Json::array({approval});
            const std::string seen = approvals_text(list, WallTime{}, false);
            require_visible(seen);
            shown.insert(seen);
            require_visible(dump(list));
            json.insert(dump(list));
        }
        INFO(member);
        CHECK(shown.size() == 500);
        CHECK(json.size() == 500);
    }
}

TEST_CASE("approval view: of a text that was cut both ends are shown", "[cli]") {
    Json approval = pending();
    approval["summary"] = {
        {"head", "may I"}, {"tail", "rm -rf"}, {"digest", "d"}, {"bytes", 70'000}};
    CHECK_THAT(approvals_text(Json::array({approval}), WallTime{}, false),
               Catch::Contains("may I … 70000 bytes in all … rm -rf"));
}

TEST_CASE("approval view: a use without arguments is marked", "[cli]") {
    Json approval = pending();
    const auto shown = [&] {
        return approvals_text(Json::array({approval}), at("2026-11-21T02:01:00.000Z"), false);
    };
    approval["unverified"] = false;
    CHECK(shown().find("UNVERIFIED") == std::string::npos);
    approval["unverified"] = true;
    CHECK(shown().find("did not report its arguments") != std::string::npos);
}

TEST_CASE("approval view: a decision names who made it", "[cli]") {
    Json approval = pending();
    approval["status"] = "rejected";
    approval["decision"] = {{"decision", "reject"}, {"by", "ana"}, {"reason", "not today"}};
    CHECK(decision_text(approval) == "a.a4  rejected  by ana\n");
    approval["status"] = "approved";
    approval["summary"] = "rm -rf build";
    CHECK(decision_text(approval) == "a.a4  approved  by ana\n  `rm -rf build`; not used yet\n");
    approval["kind"] = "budget_extension";  // nothing is left to use
    CHECK(decision_text(approval) == "a.a4  approved  by ana\n");
    approval["status"] = "rejected";
    const std::string text =
        approvals_text(Json::array({approval}), at("2026-11-21T03:00:00.000Z"), false);
    CHECK(text.find("reason    not today") != std::string::npos);
}

TEST_CASE("approval view: a decision about identical requests says what it did not decide",
          "[cli]") {
    CHECK(identical_text(parsed(R"({"also":["b.a2","c.a2"],"left":0})")) == "and 2 identical\n");
    CHECK(identical_text(parsed(R"({"also":["b.a2"],"left":500})")) ==
          "and 1 identical; 500 still wait: decide again\n");
    CHECK(identical_text(parsed(R"({"also":[]})")) == "and 0 identical\n");  // of an older daemon
}

TEST_CASE("approval view: edited arguments and an answer stand beside what was asked", "[cli]") {
    Json approval = pending();
    approval["decision"] = {{"decision", "edit"}, {"edited_args", {{"command", "make clean"}}}};
    const auto shown = [&] { return approvals_text(Json::array({approval}), WallTime{}, false); };
    CHECK_THAT(shown(), Catch::Contains(R"(arguments {"command":"rm -r build"})") &&
                            Catch::Contains(R"(edited to {"command":"make clean"})"));
    approval["decision"]["edited_args"] = parsed("{}");
    CHECK_THAT(shown(), Catch::Contains("edited to {}\n"));
    approval["decision"] = {{"decision", "respond"}, {"response", "the second"}};
    CHECK_THAT(shown(), Catch::Contains("answer    the second\n"));
}

TEST_CASE("approval view: an answer that is none of the options gets a note", "[cli]") {
    Json approval = pending();
    approval["options"] = Json::array({"staging", "prod"});
    approval["decision"] = {{"decision", "respond"}, {"response", "prodd"}};
    CHECK(answer_note(approval) ==
          "the answer is none of the options (staging, prod); the agent receives it as it is\n");
    approval["decision"]["response"] = "prod";
    CHECK(answer_note(approval).empty());
    approval["options"] = Json::array({});
    approval["decision"]["response"] = "anything";
    CHECK(answer_note(approval).empty());
    CHECK(answer_note(pending()).empty());
}

TEST_CASE("approval view: a budget is the block of the model and the clocks that ran", "[cli]") {
    const Json budget = {{"prompt", "[EXECUTION BUDGET]\nStatus: NOMINAL"},
                         {"clocks", {{"model_seconds", 12}, {"human_seconds", 0}}}};
    CHECK(budget_text(budget) == "[EXECUTION BUDGET]\nStatus: NOMINAL\nClocks: model 12s\n");
    CHECK(budget_text(nullptr) == "no budget is set\n");
}

TEST_CASE("approval view: totals of the old timers in one sentence", "[cli]") {
    CHECK(timeout_totals_text({{"sessions", 0}}).find("no session has ended") == 0);
    CHECK(
        timeout_totals_text(
            {{"sessions", 9}, {"would_have_killed", 3}, {"saved", 2}, {"saved_ms", 61'000}}) ==
        "of 9 sessions the old timers would have ended 3; 2 of these completed, with 1m01s of work "
        "that would have been lost\n");
}
