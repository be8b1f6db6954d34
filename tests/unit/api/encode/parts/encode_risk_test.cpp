// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_risk.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/judgement/risk.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

std::string written_risk(const SessionState& state) {
    std::string out;
    headway::api::JsonWriter json{out};
    json.open_object();
    headway::api::write_risk(json, state);
    json.close_object();
    return out;
}

Story story_with_risk(bool shown, int calls) {
    Policy policy;
    policy.risk = shown;
    Story story{policy};
    for (int i = 0; i < calls; ++i)
        (void)story.report(tool_finished("c" + std::to_string(i), i % 3 != 0), 10 * i);
    return story;
}

}  // namespace

TEST_CASE("encode risk: nothing is written for a session that shows none", "[api]") {
    CHECK(written_risk(story_with_risk(false, 3).session.state()) == "{}");
    CHECK(written_risk(story_with_risk(true, 0).session.state()) == "{}");
    Story over = story_with_risk(true, 3);
    (void)over.report(ended(Outcome::kFailed), 100);
    CHECK(written_risk(over.session.state()) == "{}");
}

TEST_CASE("encode risk: the member is the risk that readers see, to the thousandth", "[api]") {
    for (const int calls : {1, 2, 7, 40}) {
        DYNAMIC_SECTION(calls << " calls") {
            const Story story = story_with_risk(true, calls);
            const auto shown = shown_risk(story.session.state());
            REQUIRE(shown.has_value());
            const std::string text = written_risk(story.session.state());
            const auto json = nlohmann::json::parse(text);
            REQUIRE(json.size() == 1);
            CHECK(std::abs(json.at("risk").get<double>() - *shown) <= 0.0005);
            CHECK(text.size() <= std::string_view{R"({"risk":0.123})"}.size());
        }
    }
}

TEST_CASE("encode risk: a replay of the same events writes the same text", "[api]") {
    const Story story = story_with_risk(true, 7);
    CHECK(written_risk(story.session.state()) == written_risk(folded(story.events)));
}
