// SPDX-License-Identifier: Apache-2.0
#include "cli/views/check_view.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

Json answered(const char* letter, const char* word) {
    Json check = parsed(R"({"checkId":"a.c15","sessionId":"a","state":"completed",
        "outcome":"answered","reason":"same \u001b[2Jcall","evidence":[12,14],"confidence":0.9,
        "judge":"local","model":"stand-in-1","ts":"2026-11-21T02:00:00.000Z",
        "use":{"elapsed_ms":1200,"first_token_ms":300,"prompt_tokens":120,"completion_tokens":30,
        "cost_usd":0.00042,"tries":2}})");
    check["status"] = letter;
    check["answer"] = word;
    return check;
}

Json without_answer(const char* outcome) {
    return {{"checkId", "a.c15"}, {"state", "completed"},      {"status", nullptr},
            {"outcome", outcome}, {"error", "local\nis away"}, {"judge", "local"}};
}

}  // namespace

TEST_CASE("check view: an answer shows what it rests on, who gave it and what it cost", "[cli]") {
    const Json check = answered("B", "looping");
    REQUIRE(check_ended(check));
    CHECK(check_text(check) ==
          "B  looping\n"
          "  sure      0.9\n"
          "  reason    same \\u{1b}[2Jcall\n"
          "  evidence  #12 #14\n"
          "  judge     local (stand-in-1)\n"
          "  answered  2026-11-21T02:00:00.000Z\n"
          "  took      1.2s, first token after 300ms, 2 tries\n"
          "  used      120 + 30 tokens, 0.00042 USD\n"
          "  check     a.c15\n");
}

TEST_CASE("check view: the exit code says what the judge said", "[cli]") {
    CHECK(check_exit_code(answered("A", "progressing")) == 0);
    CHECK(check_exit_code(answered("B", "looping")) == 2);
    CHECK(check_exit_code(answered("C", "blocked")) == 4);
    CHECK(check_exit_code(answered("D", "failed")) == 4);
    CHECK(check_exit_code(without_answer("unreachable")) == 1);
    CHECK(check_exit_code(Json::object()) == 1);
}

TEST_CASE("check view: no answer says how it ended and what to do, on one line", "[cli]") {
    CHECK(no_answer_text(without_answer("unreachable")) ==
          "no answer of local, unreachable: local is away");
    CHECK_THAT(no_answer_advice(without_answer("unreachable")), Catch::Contains("headway doctor"));
    CHECK_THAT(no_answer_advice(without_answer("discarded")), Catch::Contains("ask again"));
    for (const char* outcome :
         {"refused", "failing", "broken", "oversized", "unavailable", "cancelled", "something.new"})
        CHECK_FALSE(no_answer_advice(without_answer(outcome)).empty());
}

TEST_CASE("check view: letters and event numbers", "[cli]") {
    CHECK(letter_of_answer("progressing") == "A");
    CHECK(letter_of_answer("failed") == "D");
    CHECK(letter_of_answer("splendid").empty());
    CHECK(event_numbers(parsed("[1,22]")) == "#1 #22");
    CHECK(event_numbers(Json()).empty());
    CHECK_FALSE(check_ended({{"state", "running"}}));
}
