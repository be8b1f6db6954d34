// SPDX-License-Identifier: Apache-2.0
#include "core/judgement/risk.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/judgement/risk_model.hpp"
#include "tests/support/make.hpp"
#include "tests/support/risk_examples.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

double named(const SessionState& state, std::string_view name) {
    const auto found = std::find(kRiskFeatureNames.begin(), kRiskFeatureNames.end(), name);
    REQUIRE(found != kRiskFeatureNames.end());
    return risk_features(state)[static_cast<std::size_t>(found - kRiskFeatureNames.begin())];
}

/// A read that gives this answer.
Event answered(const std::string& path, const std::string& answer) {
    ToolFinished call;
    call.tool = "read_file";
    call.target = path;
    static_cast<Text&>(call.args) = bounded_text(R"({"path":")" + path + "\"}");
    static_cast<Text&>(call.result) = bounded_text('"' + answer + '"');
    return event(std::move(call));
}

Policy with_risk() {
    Policy policy;
    policy.risk = true;
    return policy;
}

SessionState with_everything_at(std::uint64_t count) {
    SessionState state;
    state.policy.change().risk = true;
    state.tool_calls = count;
    state.tool_failures = count;
    const auto low = static_cast<std::uint32_t>(count);
    state.ledger.change().rounds = low / 2;  // wrapped
    state.ledger.change().informed_rounds = low;
    state.ledger.change().hard_round = low;
    state.ledger.change().past_tiers = count;
    return state;
}

}  // namespace

TEST_CASE("risk: what C++ says is what the training in Python says", "[core]") {
    for (const RiskExample& example : kRiskExamples)
        CHECK(risk_of(example.features) == Approx(example.risk).margin(1e-8));
}

TEST_CASE("risk: it is a logistic regression over the features", "[core]") {
    RiskFeatures features{};
    CHECK(risk_of(features) == Approx(1 / (1 + std::exp(-kRiskModel.intercept))));
    for (std::size_t i = 0; i < kRiskFeatureCount; ++i) {
        features = {};
        const double before = risk_of(features);
        features[i] = 1;
        CHECK((risk_of(features) > before) == (kRiskModel.weights[i] > 0));
    }
}

TEST_CASE("risk: features say what the session has done", "[core]") {
    Story story;
    CHECK(named(story.session.state(), "calls") == 0);
    for (int i = 0; i < 16; ++i) {
        const std::string n = std::to_string(i);
        (void)story.report(answered("/file" + n, "the content of file number " + n), i * 100);
    }
    CHECK(named(story.session.state(), "calls") == Approx(0.5));
    CHECK(named(story.session.state(), "run") == 0);
    CHECK(named(story.session.state(), "information") == 1);
    CHECK(named(story.session.state(), "informed") == Approx(15.0 / 16));
    CHECK(named(story.session.state(), "hard") == 0);
    for (int i = 0; i < 3; ++i)
        (void)story.report(answered("/same", "the content of this file stays"), 5'000 + i * 100);
    CHECK(named(story.session.state(), "run") == Approx(0.5));  // two before the last
    CHECK(named(story.session.state(), "information") == Approx(14.0 / 16));
    (void)story.report(tool_finished("edit"), 9'000);
    CHECK(named(story.session.state(), "run") == 0);
    CHECK(named(story.session.state(), "hard") == 1);
}

TEST_CASE("risk: a long row of one call counts to its bound", "[core]") {
    Story story;
    for (int i = 0; i < 200; ++i)
        (void)story.report(answered("/same", "the content of this file stays"), i * 100);
    const double most = limits::kRiskRunMax - 1;
    CHECK(named(story.session.state(), "run") == Approx(most / (most + 2)));
}

TEST_CASE("risk: shown only if the policy has it, while it is open, after a call", "[core]") {
    Story off;
    (void)off.report(tool_finished("c1"), 10);
    CHECK_FALSE(shown_risk(off.session.state()));

    Story on{with_risk()};
    CHECK_FALSE(shown_risk(on.session.state()));
    (void)on.report(tool_finished("c1"), 10);
    REQUIRE(shown_risk(on.session.state()));
    CHECK(*shown_risk(on.session.state()) == risk_of(risk_features(on.session.state())));
    (void)on.report(ended(Outcome::kCompleted), 20);
    CHECK_FALSE(shown_risk(on.session.state()));
}

TEST_CASE("risk: it changes no verdict, no event and no state but the policy", "[core]") {
    Story with{with_risk()};
    Story without;
    for (int i = 0; i < 12; ++i) {
        const auto a = with.report(answered("/same", "the content of this file stays"), i * 100);
        const auto b = without.report(answered("/same", "the content of this file stays"), i * 100);
        CHECK(a == b);
    }
    CHECK(with.verdict() == without.verdict());
    SessionState state = with.session.state();
    state.policy.change().risk = false;
    CHECK(state == without.session.state());
}

TEST_CASE("risk: no count is too large, also of counters that have wrapped", "[core]") {
    for (const std::uint64_t count :
         {std::uint64_t{1}, std::uint64_t{1} << 32, std::numeric_limits<std::uint64_t>::max()}) {
        const auto risk = shown_risk(with_everything_at(count));
        REQUIRE(risk);
        CHECK(*risk > 0);
        CHECK(*risk < 1);
    }
}
