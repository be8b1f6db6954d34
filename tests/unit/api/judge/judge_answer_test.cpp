// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_answer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/limits.hpp"
#include "tests/support/gen.hpp"

using namespace headway;
using namespace headway::api;
using core::CheckAnswer;

namespace {

const std::vector<std::uint64_t> kShown{3, 4, 5, 12, 40};
using Events = std::vector<std::uint64_t>;

StatusAnswer read(std::string_view text) {
    return read_status_answer(text, kShown);
}

}  // namespace

TEST_CASE("status answer: the JSON that was asked for", "[api]") {
    const StatusAnswer got = read(
        R"({"answer":"B","confidence":0.9,"evidence":[3,5,3],"reason":"same call, same answer"})");
    CHECK(got.answer == CheckAnswer::kLooping);
    CHECK(got.confidence == 0.9);
    CHECK(got.evidence == Events{3, 5});
    CHECK(got.reason.kept == "same call, same answer");
    CHECK(got.error.empty());
}

TEST_CASE("status answer: each letter has its meaning", "[api]") {
    CHECK(read(R"({"answer":"A"})").answer == CheckAnswer::kProgressing);
    CHECK(read(R"({"answer":"B","evidence":[3]})").answer == CheckAnswer::kLooping);
    CHECK(read(R"({"answer":"C"})").answer == CheckAnswer::kBlocked);
    CHECK(read(R"({"answer":"D"})").answer == CheckAnswer::kFailed);
    CHECK(read(R"({"answer":" b) stuck in a loop","evidence":[3]})").error != "");
    CHECK(read(R"({"answer":"b","evidence":[3]})").answer == CheckAnswer::kLooping);
    CHECK(read(R"({"answer":"B) Stuck in a loop","evidence":[3]})").answer ==
          CheckAnswer::kLooping);
}

TEST_CASE("status answer: the form of the first design, a letter and a reason", "[api]") {
    struct Case {
        const char* text;
        CheckAnswer answer;
        Events evidence;
        const char* reason;
    };
    const Case cases[] = {
        {"B repeats the call of #3 and #12",
         CheckAnswer::kLooping,
         {3, 12},
         "repeats the call of #3 and #12"},
        {"B) #4: same error again", CheckAnswer::kLooping, {4}, "#4: same error again"},
        {"**C** - waits for the build", CheckAnswer::kBlocked, {}, "waits for the build"},
        {"(D) the API key is refused.", CheckAnswer::kFailed, {}, "the API key is refused."},
        {"Answer: A\nmaking progress", CheckAnswer::kProgressing, {}, "making progress"},
        {"A making progress, file A is new",
         CheckAnswer::kProgressing,
         {},
         "making progress, file A is new"},
        {"A. Slow, but each call reads something new",
         CheckAnswer::kProgressing,
         {},
         "Slow, but each call reads something new"},
        {"D", CheckAnswer::kFailed, {}, ""},
        {"B", CheckAnswer::kLooping, {}, ""},
        {"B it repeats itself", CheckAnswer::kLooping, {}, "it repeats itself"},
        {"A it keeps reading new files",
         CheckAnswer::kProgressing,
         {},
         "it keeps reading new files"},
        {"A: it keeps going", CheckAnswer::kProgressing, {}, "it keeps going"},
        {"A) it keeps going", CheckAnswer::kProgressing, {}, "it keeps going"},
        {"<think>A? No, B.</think>C waits", CheckAnswer::kBlocked, {}, "waits"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            const StatusAnswer got = read(c.text);
            CHECK(got.error.empty());
            CHECK(got.answer == c.answer);
            CHECK(got.evidence == c.evidence);
            CHECK(got.reason.kept == c.reason);
            CHECK(got.confidence == 0.5);
        }
    }
}

TEST_CASE("status answer: what does not hold is no answer, and says why", "[api]") {
    struct Case {
        const char* text;
        const char* says;
    };
    const Case cases[] = {
        {"", "nothing was said"},
        {"I cannot tell.", "neither JSON with an answer nor a letter"},
        {"E something", "neither JSON"},
        {"Because it loops: B", "neither JSON"},
        {"B see #99", "cites event 99, which it was not shown"},
        {"B see #99999999999999999999999", "too great"},
        {"A loop is visible: #3 and #12 are the same call", "may be the article"},
        {"A human must log in first.", "may be the article"},
        {"**A repeated** failure of #3", "may be the article"},
        {"A/B #3", "more than one letter"},
        {"B or C, #3", "more than one letter"},
        {"A) Making progress\nB) Stuck in a loop #3", "more than one letter"},
        {R"({"answer":"E"})", "not A, B, C or D"},
        {R"({"answer":"AB"})", "not A, B, C or D"},
        {R"({"answer":""})", "not A, B, C or D"},
        {R"({"answer":2})", "not A, B, C or D"},
        {R"({"answer":null})", "not A, B, C or D"},
        {R"({"answer":["A"]})", "not A, B, C or D"},
        {R"({"answer":"A|B|C|D"})", "more than one letter"},
        {R"({"answer":"A or B","evidence":[3]})", "not A, B, C or D"},
        {R"({"answer":"B"})", "B without evidence"},
        {R"({"answer":"B","evidence":[]})", "B without evidence"},
        {R"({"answer":"B","evidence":[3,6]})", "cites event 6"},
        {R"({"answer":"A","evidence":[6]})", "cites event 6"},
        {R"({"answer":"A","evidence":[0]})", "cites event 0"},
        {R"({"answer":"B","evidence":[-3]})", "no number of an event"},
        {R"({"answer":"B","evidence":[3.5]})", "no number of an event"},
        {R"({"answer":"B","evidence":["all"]})", "no number of an event"},
        {R"({"answer":"B","evidence":{"n":3}})", "no number of an event"},
        {R"({"answer":"B","evidence":[3],"confidence":1.5})", "confidence"},
        {R"({"answer":"B","evidence":[3],"confidence":-0.1})", "confidence"},
        {R"({"answer":"B","evidence":[3],"confidence":"high"})", "confidence"},
        {R"({"answer":"B","evidence":[3],"confidence":NaN})", "neither JSON"},
        {R"({"answer":"A","answer":"B","evidence":[3]})", "neither JSON"},
        {R"({"answer":"B","evidence":[3)", "neither JSON"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.text) {
            const StatusAnswer got = read(c.text);
            CHECK_FALSE(got.answer.has_value());
            CHECK(got.evidence.empty());
            CHECK_THAT(got.error, Catch::Contains(c.says));
        }
    }
}

TEST_CASE("status answer: events are cited as numbers, as text, or in the reason", "[api]") {
    CHECK(read(R"({"answer":"B","evidence":["#3","12"]})").evidence == Events{3, 12});
    CHECK(read(R"({"answer":"B","evidence":4})").evidence == Events{4});
    CHECK(read(R"({"answer":"B","reason":"#4 and #5 are equal"})").evidence == Events{4, 5});
    CHECK(read(R"({"answer":"B","evidence":[3],"reason":"fails as in issue #404"})").evidence ==
          Events{3});
    CHECK(read("C see issue#404 and a#7").answer == CheckAnswer::kBlocked);
}

TEST_CASE("status answer: a reason that was cut off does not cost the answer", "[api]") {
    const StatusAnswer got =
        read(R"({"answer": "B", "confidence": 0.8, "evidence": [3, 12], "reason": "the same te)");
    CHECK(got.answer == CheckAnswer::kLooping);
    CHECK(got.evidence == Events{3, 12});
    CHECK(got.reason.kept == "the same te");
}

TEST_CASE("status answer: the words of the judge are made harmless and bounded", "[api]") {
    const StatusAnswer got = read("C waits \x1b[31m for\xe2\x80\xae <|im_start|>");
    CHECK(got.reason.kept == "waits [31m for\\u{202e} < |im_start|>");
    CHECK(read("C " + std::string(9000, 'x')).reason.kept.size() <=
          core::limits::kJudgeReasonBytesMax);
    std::string many = R"({"answer":"C","evidence":[)";
    Events shown;
    for (std::uint64_t n = 1; n <= 50; ++n) {
        many += (n == 1 ? "" : ",") + std::to_string(n);
        shown.push_back(n);
    }
    CHECK(read_status_answer(many + "]}", shown).evidence.size() == core::limits::kEvidenceMax);
}

TEST_CASE("status answer: of an endless answer the end is read", "[api]") {
    const std::string prose(1U << 20, 'x');
    CHECK(read(prose + R"( {"answer":"C"})").answer == CheckAnswer::kBlocked);
    CHECK_FALSE(read(R"({"answer":"C"} )" + prose).answer.has_value());
}

TEST_CASE("estimate answer: the JSON that was asked for", "[api]") {
    const EstimateAnswer got = read_estimate_answer(
        "Here it is:\n```json\n{\"progressPercent\": 45, \"reasoning\": \"half\\ndone\", "
        "\"nextMilestone\": \"tests\", \"blockers\": [\"no key\", 3, \"\", \"no net\"]}\n```");
    CHECK(got.percent == 45.0);
    CHECK(got.reasoning.kept == "half done");
    CHECK(got.next_milestone == "tests");
    CHECK(got.blockers == std::vector<std::string>{"no key", "no net"});
    CHECK(got.error.empty());
}

TEST_CASE("estimate answer: other spellings of the same", "[api]") {
    CHECK(read_estimate_answer(R"({"progress_percent":0.5})").percent == 0.5);
    CHECK(read_estimate_answer(R"({"progressPercent":"45 %"})").percent == 45.0);
    CHECK(read_estimate_answer(R"({"progressPercent":100,"blockers":"no key"})").blockers ==
          std::vector<std::string>{"no key"});
    CHECK(read_estimate_answer(R"({"progressPercent":100,"next_milestone":"m"})").next_milestone ==
          "m");
}

TEST_CASE("estimate answer: a percent that is none keeps the words", "[api]") {
    for (const char* text :
         {"101", "-1", "1e999", "\"nan\"", "\"much\"", "null", "true", "[5]", "\"\""}) {
        INFO(text);
        const EstimateAnswer got = read_estimate_answer(
            std::string(R"({"reasoning":"r","blockers":["b"],"progressPercent":)") + text + "}");
        CHECK_FALSE(got.percent.has_value());
        CHECK_FALSE(got.error.empty());
    }
    const EstimateAnswer got = read_estimate_answer(R"({"reasoning":"r","progressPercent":101})");
    CHECK(got.reasoning.kept == "r");
    CHECK_FALSE(read_estimate_answer("about 45%").percent.has_value());
}

TEST_CASE("estimate answer: all words are bounded", "[api]") {
    std::string many = R"({"progressPercent":1,"reasoning":")" + std::string(5000, 'r') +
                       R"(","nextMilestone":")" + std::string(5000, 'm') + R"(","blockers":[)";
    for (int i = 0; i < 20; ++i)
        many += (i == 0 ? "\"" : ",\"") + std::string(200, 'b') + "\"";
    const EstimateAnswer got = read_estimate_answer(many + "]}");
    REQUIRE(got.percent.has_value());
    CHECK(got.reasoning.kept.size() <= core::limits::kJudgeReasoningBytesMax);
    CHECK(got.next_milestone.size() <= core::limits::kStringBytesMax);
    CHECK(got.blockers.size() == core::limits::kJudgeBlockersMax);
}

namespace {

/// Text of the pieces that answers are made of, mostly in the wrong order.
std::string any_answer(tests::Gen& gen) {
    static constexpr std::string_view kPieces[] = {"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "\"",
                                                   ":",
                                                   ",",
                                                   "\"answer\":",
                                                   "\"B\"",
                                                   "\"A\"",
                                                   "\"C\"",
                                                   "B",
                                                   "A",
                                                   "D",
                                                   " ",
                                                   "\"evidence\":[3]",
                                                   "#3",
                                                   "#4",
                                                   "#99",
                                                   "3",
                                                   "99",
                                                   "-1",
                                                   "1e400",
                                                   "\"confidence\":",
                                                   "0.9",
                                                   "7",
                                                   "<think>",
                                                   "</think>",
                                                   "```json",
                                                   "\n",
                                                   "\\",
                                                   "\"reason\":\"x\"",
                                                   " or ",
                                                   "/",
                                                   ")",
                                                   "null",
                                                   "\xff",
                                                   "\xe2",
                                                   "😀",
                                                   "\"progressPercent\":",
                                                   "45",
                                                   "{\"answer\":\"B\",\"evidence\":[3",
                                                   "{\"answer\":\"B\",\"evidence\":[99]",
                                                   "{\"progressPercent\":",
                                                   "\"blockers\":[\"b\"]"};
    std::string text;
    const std::uint64_t count = gen.below(25);
    for (std::uint64_t i = 0; i < count; ++i)
        text += gen.chance(30) ? gen.bytes(gen.below(8)) : std::string{gen.pick(kPieces)};
    return text;
}

}  // namespace

TEST_CASE("answers: whatever comes, what is accepted rests on what was shown", "[api]") {
    tests::Gen gen{tests::seed()};
    INFO("HEADWAY_SEED=" << tests::seed());
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = any_answer(gen);
        INFO(text);
        const StatusAnswer got = read(text);
        REQUIRE(got.answer.has_value() == got.error.empty());
        REQUIRE((got.confidence >= 0 && got.confidence <= 1));
        REQUIRE(std::all_of(got.evidence.begin(), got.evidence.end(), [](std::uint64_t n) {
            return std::find(kShown.begin(), kShown.end(), n) != kShown.end();
        }));
        if (got.answer == CheckAnswer::kLooping && got.confidence != 0.5)  // said in JSON
            REQUIRE_FALSE(got.evidence.empty());
        accepted += got.answer.has_value() ? 1 : 0;
        const EstimateAnswer estimate = read_estimate_answer(text);
        REQUIRE(estimate.percent.has_value() == estimate.error.empty());
        if (estimate.percent) REQUIRE((*estimate.percent >= 0 && *estimate.percent <= 100));
    }
    CHECK(accepted > 100);  // else nothing was shown by it
}
