// SPDX-License-Identifier: Apache-2.0
#include "api/notify/notice.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "api/json/json_string.hpp"
#include "api/notify/formats.hpp"
#include "tests/support/hostile_text.hpp"

using namespace headway;
using namespace headway::api::notify;

namespace {

constexpr std::string_view kBase = "https://headway.example";

Notice told(std::string_view type, const std::string& data, std::string_view base = kBase) {
    const std::string body = R"({"type":")" + std::string{type} +
                             R"(","timestamp":"x","data":{"session":"night-7",)" +
                             R"("n":4,"agent":"coder","goal":"mend it",)" + data + "}}";
    return read_notice({type, "night-7", 4, body}, base);
}

Notice verdict(const std::string& session, const std::string& to, const std::string& reason) {
    const std::string body = R"({"type":"verdict.changed","data":{"reason":")" + reason +
                             R"(","event":{"to":")" + to + R"("}}})";
    return read_notice({"verdict.changed", session, 9, body}, kBase);
}

}  // namespace

TEST_CASE("notice: every event reads as plain English, with a link", "[api]") {
    const Notice stuck = told("verdict.changed", R"("reason":"same edit","event":{"to":"stuck"})");
    CHECK(stuck.headline == "night-7 is stuck");
    CHECK(stuck.reason == "same edit");
    CHECK(stuck.agent == "coder");
    CHECK(stuck.goal == "mend it");
    CHECK(stuck.link == "https://headway.example/#/session/night-7?n=4");
    CHECK(stuck.urgency == Urgency::kHigh);
    CHECK_FALSE(stuck.asks);
    CHECK(told("verdict.changed", R"("event":{"to":"waiting","needs_somebody":true})").headline ==
          "night-7 waits for a person");
    CHECK(told("session.ended", R"("event":{"outcome":"failed"})").headline ==
          "night-7 has ended: failed");
    CHECK(told("budget.level", R"("event":{"to":"exhausted","dimension":"cost"})").headline ==
          "night-7 has used up its budget of cost");
    CHECK(told("approval.expired", R"("event":{"action":"hold"})").headline ==
          "A request of night-7 was not decided in time");
    const Notice alarm =
        told("approval.alarm", R"("event":{"alarm":"executed_though_rejected","tool":"rm"})");
    CHECK(alarm.headline == "night-7 has run a call that was rejected: rm");
    CHECK(alarm.urgency == Urgency::kUrgent);
    const Notice many =
        told("approval.alarm",
             R"("event":{"alarm":"fan_out","detail":"17 sub-agents at once, more than 16"})");
    CHECK(many.headline == "night-7 has too many sub-agents: 17 sub-agents at once, more than 16");
    CHECK(told("heartbeat", R"("event":{})").headline == "night-7: heartbeat");
}

TEST_CASE("notice: a request for approval has its call, and a link to where it is decided",
          "[api]") {
    const Notice asked = told("approval.requested",
                              R"("reason":"waits","event":{"kind":"tool","tool":"bash",)"
                              R"("args":{"command":"ls"},"summary":"list files","risk":"high"})");
    CHECK(asked.headline == "night-7 asks for approval: bash");
    CHECK(asked.call == R"(bash {"command":"ls"})");
    CHECK(asked.reason == "list files — high risk");
    CHECK(asked.link == "https://headway.example/#/approvals?id=night-7.a4");
    CHECK(asked.asks);
    CHECK(asked.cause.empty());
    CHECK(told("approval.requested", R"("event":{"kind":"question"})").headline ==
          "night-7 asks a question");
}

TEST_CASE("notice: what a person decides about stands beside the words of the agent", "[api]") {
    const Notice more = told("approval.requested",
                             R"("event":{"kind":"budget_extension","summary":"+5 steps, please",)"
                             R"("extend":{"max_steps":150,"max_cost_usd":999999.5,)"
                             R"("max_tokens":null,"timeout_seconds":60}})");
    CHECK(more.reason == "+150 steps, +$999999.5, +60 s — +5 steps, please");
    const Notice question =
        told("approval.requested", R"("event":{"kind":"question","summary":"which?",)"
                                   R"("options":["the first","the second"]})");
    CHECK(question.reason == "which? — answers: the first | the second");
}

TEST_CASE("notice: the dialog of an agent has no link that decides", "[api]") {
    const std::string call = R"("kind":"tool","tool":"bash","args":{"command":"ls"},)"
                             R"("args_digest":"sha256:1","risk":"low")";
    CHECK(told("approval.requested", R"("event":{"source":"policy",)" + call + "}").args_digest ==
          "sha256:1");
    CHECK(told("approval.requested", R"("event":{"source":"dialog",)" + call + "}")
              .args_digest.empty());
}

TEST_CASE("notice: without an address there is no link", "[api]") {
    CHECK(told("session.ended", R"("event":{"outcome":"completed"})", "").link.empty());
}

TEST_CASE("notice: arguments that cannot be read hide neither the request nor its link", "[api]") {
    const std::string deep = std::string(400, '[') + std::string(400, ']');
    const Notice asked =
        told("approval.requested", R"("event":{"tool":"bash","args":)" + deep + "}");
    CHECK(asked.headline == "night-7 asks for approval");
    CHECK(asked.call == "(the arguments are too long for a message; open the request)");
    CHECK(asked.link == "https://headway.example/#/approvals?id=night-7.a4");
    CHECK(asked.asks);
    CHECK(read_notice({"session.ended", "s", 1, "no JSON"}, kBase).headline == "s has ended: ");
}

TEST_CASE("notice: a call whose arguments are left out does not read like one without any",
          "[api]") {
    const Notice asked = told("approval.requested",
                              R"("event":{"tool":"bash","summary":"harmless"},"truncated":true)");
    CHECK(asked.call == "bash (the arguments are too long for a message; open the request)");
    CHECK(told("approval.requested", R"("event":{"tool":"bash"})").call == "bash");
}

TEST_CASE("notice: an agent's text is one line without what cannot be seen", "[api]") {
    const Notice notice =
        told("verdict.changed",
             "\"reason\":\"a\\r\\nBcc: x\\u202egnp\\u200b\\u0007\",\"event\":{\"to\":\"stuck\"}");
    for (const char c : notice.reason)
        CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(notice.reason.find("\xe2\x80\xae") == std::string::npos);
    CHECK(notice.reason.find("\xe2\x80\x8b") == std::string::npos);
    const Notice large = told("verdict.changed", R"("reason":")" + std::string(100'000, 'x') +
                                                     R"(","event":{"to":"stuck"})");
    CHECK(large.reason.size() <= 400);
}

TEST_CASE("notice: the cause is the same for the same thing of other sessions", "[api]") {
    CHECK(verdict("a", "silent", "no heartbeat for 21 s").cause ==
          verdict("b", "silent", "no heartbeat for 34 s").cause);
    CHECK(verdict("a", "blocked", "HTTP 529: overloaded, request #8831").cause ==
          verdict("b", "blocked", "HTTP 529: overloaded, request #8832").cause);
    CHECK(verdict("a", "stuck", "type error: 31 problems").cause ==
          verdict("b", "stuck", "type error: 32 problems").cause);
    CHECK(verdict("a", "silent", "x").cause != verdict("a", "stuck", "x").cause);
    // A number that says what happened is no count.
    CHECK(verdict("a", "blocked", "HTTP 401").cause != verdict("b", "blocked", "HTTP 529").cause);
    CHECK(verdict("a", "stuck", "Exit status: 1, 4 times").cause !=
          verdict("b", "stuck", "Exit status: 2, 4 times").cause);
    CHECK(verdict("a", "stuck", "Exit status: 2, 4 times").cause ==
          verdict("b", "stuck", "Exit status: 2, 5 times").cause);
    CHECK(verdict("a", "stuck", "the same edit").cause != verdict("a", "stuck", "a loop").cause);
    CHECK_FALSE(verdict("a", "stuck", "").cause.empty());
}

TEST_CASE("compose: one event comes whole, with its link", "[api]") {
    const Notice one = told("verdict.changed", R"("reason":"same edit","event":{"to":"stuck"})");
    const Letter letter = compose({&one, 1}, false, kBase);
    CHECK(letter.title == "night-7 is stuck");
    REQUIRE(letter.facts.size() == 3);
    CHECK(letter.facts[0] == std::pair<std::string_view, std::string>{"Reason", "same edit"});
    CHECK(letter.items.empty());
    CHECK(letter.link == one.link);
    CHECK(letter.link_words == "Show the session");
}

TEST_CASE("compose: sessions of one cause are one message that names them all", "[api]") {
    const std::vector<Notice> three{verdict("a", "silent", "no heartbeat"),
                                    verdict("b", "silent", "no heartbeat"),
                                    verdict("c", "silent", "no heartbeat")};
    const Letter letter = compose(three, false, kBase);
    CHECK(letter.title == "3 sessions are silent");
    REQUIRE(letter.items.size() == 3);
    CHECK(letter.items[1].text == "b is silent");
    CHECK(letter.items[1].link == "https://headway.example/#/session/b?n=9");
    CHECK(letter.link == "https://headway.example/#/");
    CHECK(compose(std::vector<Notice>(2, three[0]), false, kBase).title == "a is silent (2 times)");
}

TEST_CASE("compose: what had to wait is counted, requests first", "[api]") {
    std::vector<Notice> all;
    for (int i = 0; i < 2; ++i)
        all.push_back(told("session.ended", R"("event":{"outcome":"completed"})"));
    for (int i = 0; i < 3; ++i)
        all.push_back(verdict("s" + std::to_string(i), "stuck", "x"));
    all.push_back(told("approval.requested", R"("event":{"tool":"bash"})"));
    const Letter letter = compose(all, true, kBase);
    CHECK(letter.title == "6 more: 3 stuck, 2 ended, 1 asking for a decision");
    CHECK(letter.items.size() == 6);
    CHECK(letter.items[0].text == "night-7 asks for approval: bash");
    CHECK(letter.urgency == Urgency::kHigh);
}

TEST_CASE("url_encoded: only unreserved characters stay", "[api]") {
    CHECK(url_encoded("a-B_1.~") == "a-B_1.~");
    CHECK(url_encoded("a b/c?#:%\n") == "a%20b%2Fc%3F%23%3A%25%0A");
}

TEST_CASE("notice: of 500 hostile calls no two look the same, and none hides anything", "[api]") {
    for (const std::string member : {"args", "summary", "tool"}) {
        std::set<std::string> shown;
        for (const std::string& text : tests::hostile_texts()) {
            std::string quoted;
            api::append_json_string(quoted, text);
            const Notice asked =
                told("approval.requested",
                     R"("event":{"kind":"tool","risk":"low",")" + member + "\":" + quoted + "}");
            const Notice notices[] = {asked};
            const Letter letter = compose(notices, false, kBase);
            const std::string seen = letter.title + "\n" + plain_text(letter, 4'000);
            tests::require_visible(seen);
            shown.insert(seen);
        }
        INFO(member);
        CHECK(shown.size() == 500);
    }
}
