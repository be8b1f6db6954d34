// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_probe.hpp"

#include <catch2/catch.hpp>

#include "tests/support/judged.hpp"
#include "tests/support/llm_server.hpp"

using namespace headway::server;
using headway::tests::judge_endpoint;
using headway::tests::judge_settings;
using headway::tests::LlmServer;

TEST_CASE("judge probe: an endpoint that answers is named by its model", "[server][judge]") {
    const LlmServer llm;
    const auto answer =
        probe_judge(judge_settings({judge_endpoint("other", "http://127.0.0.1:1/v1", "m"),
                                    judge_endpoint("judge", llm.url(), "ok:A")}),
                    "judge");
    REQUIRE(answer.has_value());
    CHECK_THAT(*answer, Catch::StartsWith("stand-in-1 answered within "));
}

TEST_CASE("judge probe: what is wrong comes with what to look at", "[server][judge]") {
    const LlmServer llm;
    const auto wrong = [](const std::string& url, const std::string& model) {
        auto settings = judge_settings({judge_endpoint("judge", url, model)});
        if (model == "silent") settings.silence_timeout = std::chrono::milliseconds{500};
        const auto answer = probe_judge(settings, "judge");
        REQUIRE_FALSE(answer.has_value());
        return answer.error().detail;
    };
    CHECK_THAT(wrong("http://127.0.0.1:1/v1", "m"),
               Catch::StartsWith("unreachable: ") && Catch::Contains("look at base_url"));
    CHECK_THAT(wrong(llm.url(), "401"), Catch::StartsWith("refused: ") &&
                                            Catch::Contains("check its API key") &&
                                            Catch::Contains("[judge.endpoints.judge]"));
    CHECK_THAT(wrong(llm.url(), "500"), Catch::StartsWith("failing: "));
    CHECK_THAT(wrong(llm.url(), "silent"), Catch::StartsWith("broken: "));
    CHECK_THAT(wrong(llm.url(), "rubbish"), Catch::Contains("[judge.endpoints.judge]"));
}

TEST_CASE("judge probe: a name that is not configured is refused", "[server][judge]") {
    const auto answer = probe_judge({}, "judge");
    REQUIRE_FALSE(answer.has_value());
    CHECK_THAT(answer.error().detail, Catch::Contains("[judge.endpoints.judge]"));
}
