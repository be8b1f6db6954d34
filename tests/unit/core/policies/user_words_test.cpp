// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "core/session/session.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

Event words_of_the_user(int i) {
    Message message;
    message.role = "user";
    message.text = bounded_text("go on " + std::to_string(i));
    return event(std::move(message));
}

Event answered(const std::string& result) {
    ToolFinished done;
    done.tool = "bash";
    static_cast<Text&>(done.args) = bounded_text(R"({"command":"make"})");
    static_cast<Text&>(done.result) = bounded_text(result);
    return event(std::move(done));
}

Event read_of(int i) {
    ToolFinished done;
    done.tool = "read_file";
    const std::string name = "src/part" + std::to_string(i) + ".py";
    static_cast<Text&>(done.args) = bounded_text("{\"path\":\"" + name + "\"}");
    static_cast<Text&>(done.result) = bounded_text("\"what stands in " + name + ", at length\"");
    return event(std::move(done));
}

Event of_operator(int i) {
    Event event = words_of_the_user(i);
    std::get<Message>(event.payload).role = "operator";
    std::get<Message>(event.payload).of_operator = true;
    return event;
}

/// The worst verdict so far after each step of `steps`: one message and one call with the same
/// answer, then `news` calls with new ones.
std::vector<Verdict> told_at_each_step(int steps, int news, const std::function<Event(int)>& words,
                                       const Policy& policy = {}) {
    Story story{policy};
    std::vector<Verdict> worst;
    std::int64_t ms = 0;
    for (int i = 0; i < steps; ++i) {
        (void)story.report(words(i), ++ms);
        (void)story.report(answered("\"the same answer as every time\""), ++ms);
        const Verdict now = story.verdict();
        for (int k = 0; k < news; ++k)
            (void)story.report(read_of(i * news + k), ++ms);
        worst.push_back(now);
    }
    return worst;
}

bool among(const std::vector<Verdict>& verdicts, Verdict one) {
    return std::find(verdicts.begin(), verdicts.end(), one) != verdicts.end();
}

/// Number of stuck verdicts if a user message is reported after every three calls.
int times_stuck(int turns, const std::function<std::string(int)>& result) {
    Story story;
    int stuck = 0;
    std::int64_t ms = 0;
    for (int i = 0; i < turns; ++i) {
        for (int k = 0; k < 3; ++k)
            (void)story.report(answered(result(3 * i + k)), ++ms);
        (void)story.report(words_of_the_user(i), ++ms);
        stuck += story.verdict() == Verdict::kStuck ? 1 : 0;
    }
    return stuck;
}

}  // namespace

TEST_CASE("user words: an agent that reports them cannot talk itself out of a loop", "[core]") {
    const auto same = [](int) { return std::string{"\"the same answer as every time\""}; };
    CHECK(times_stuck(8, same) == 0);
    CHECK(times_stuck(60, same) > 30);
}

TEST_CASE("user words: with rounds of progress each one begins a new task", "[core]") {
    const auto news = [](int i) {
        return "\"line " + std::string(static_cast<std::size_t>(i + 1), 'x') + "\"";
    };
    CHECK(times_stuck(60, news) == 0);
}

TEST_CASE("user words: a message before each call hides a loop for as many as are free", "[core]") {
    const std::vector<Verdict> verdicts = told_at_each_step(60, 0, words_of_the_user);
    const auto first = std::find(verdicts.begin(), verdicts.end(), Verdict::kStuck);
    REQUIRE(first != verdicts.end());
    CHECK(first - verdicts.begin() >= 24);
    CHECK(first - verdicts.begin() <= 28);
    CHECK(std::count(first, verdicts.end(), Verdict::kStuck) == verdicts.end() - first);
}

TEST_CASE("user words: one who asks for the same and for news at each turn is no loop", "[core]") {
    const std::vector<Verdict> verdicts = told_at_each_step(120, 1, words_of_the_user);
    CHECK_FALSE(among(verdicts, Verdict::kSuspect));
    CHECK_FALSE(among(verdicts, Verdict::kStuck));
}

TEST_CASE("user words: an operator's take none of those that an agent may report", "[core]") {
    const auto mixed = [](int i) { return i < 24 ? of_operator(i) : words_of_the_user(i); };
    const std::vector<Verdict> verdicts = told_at_each_step(48, 0, mixed);
    const auto first = std::find(verdicts.begin(), verdicts.end(), Verdict::kStuck);
    const std::vector<Verdict> alone = told_at_each_step(24, 0, words_of_the_user);
    CHECK_FALSE(among(alone, Verdict::kStuck));
    CHECK(first - verdicts.begin() >= 27);  // 25 quiet rounds are another matter
}

TEST_CASE("user words: an operator's always lift what was counted", "[core]") {
    const std::vector<Verdict> verdicts = told_at_each_step(24, 0, of_operator);
    CHECK_FALSE(among(verdicts, Verdict::kSuspect));  // 25 quiet rounds are another matter
    CHECK_FALSE(among(verdicts, Verdict::kStuck));
    Policy untrusting;
    untrusting.trust_user = false;
    CHECK_FALSE(among(told_at_each_step(24, 0, of_operator, untrusting), Verdict::kStuck));
}

TEST_CASE("user words: the role operator alone is no operator", "[core]") {
    const auto claimed = [](int i) {
        Event event = of_operator(i);
        std::get<Message>(event.payload).of_operator = false;
        return event;
    };
    CHECK(told_at_each_step(60, 0, claimed) == told_at_each_step(60, 0, words_of_the_user));
}

TEST_CASE("user words: a policy may trust none that an agent reports", "[core]") {
    Policy untrusting;
    untrusting.trust_user = false;
    const std::vector<Verdict> verdicts = told_at_each_step(8, 0, words_of_the_user, untrusting);
    CHECK(verdicts[3] == Verdict::kStuck);
    CHECK(verdicts.back() == Verdict::kStuck);
}
