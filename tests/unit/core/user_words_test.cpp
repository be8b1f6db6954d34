// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "core/session.hpp"
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
