// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_client.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/base/limits.hpp"
#include "tests/support/judged.hpp"
#include "tests/support/llm_server.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using headway::core::JudgeOutcome;
using headway::tests::judge_endpoint;
using headway::tests::judge_settings;
using headway::tests::Judged;
using headway::tests::LlmServer;

namespace {

const std::string kKey = "a-very-secret-value-0123456789";

std::vector<std::uint64_t> ids_of(const std::vector<JudgeReply>& replies) {
    std::vector<std::uint64_t> ids;
    for (const JudgeReply& reply : replies)
        ids.push_back(reply.id);
    return ids;
}

bool all_are(JudgeOutcome outcome, const std::vector<JudgeReply>& replies) {
    return std::all_of(replies.begin(), replies.end(),
                       [&](const JudgeReply& reply) { return reply.outcome == outcome; });
}

}  // namespace

TEST_CASE("judge client: a reply has the model, the cost and the duration", "[server][judge]") {
    const LlmServer server;
    auto endpoint = judge_endpoint("judge", server.url() + "/", "ok:A because it moves");
    endpoint.prompt_usd_per_million = 1;
    endpoint.completion_usd_per_million = 10;
    Judged judged{judge_settings({endpoint})};
    REQUIRE(judged.submit(7, "session-1"));
    const auto replies = judged.wait(1);
    REQUIRE(replies.size() == 1);
    const JudgeReply& reply = replies.front();
    CHECK(reply.id == 7);
    CHECK(reply.session == "session-1");
    CHECK(reply.endpoint == "judge");
    CHECK(reply.model == "stand-in-1");
    CHECK(reply.use.prompt_tokens == 120);
    CHECK(reply.use.completion_tokens == 30);
    CHECK(reply.use.cost_usd == Approx(0.00042));
    CHECK(reply.use.first_token_ms >= 1);
    CHECK(reply.use.first_token_ms <= reply.use.elapsed_ms + 1);
    const JudgeStats stats = judged.client().stats();
    CHECK(stats.open == 0);
    REQUIRE(stats.endpoints.size() == 1);
    CHECK(stats.endpoints[0].ended_as(JudgeOutcome::kAnswered) == 1);
    CHECK(stats.endpoints[0].tries == 1);
    CHECK(stats.endpoints[0].prompt_tokens == 120);
    CHECK(stats.endpoints[0].cost_usd == Approx(0.00042));
    CHECK(stats.endpoints[0].answered_ms == reply.use.elapsed_ms);
}

TEST_CASE("judge client: the key comes from the setting, a file or the environment",
          "[server][judge]") {
    const LlmServer server;
    const headway::tests::TempDir directory;
    auto endpoint = judge_endpoint("judge", server.url(), "echo");
    SECTION("setting") {
        endpoint.api_key = kKey;
    }
    SECTION("file") {
        endpoint.api_key_file = directory.file("key");
        std::ofstream{endpoint.api_key_file} << kKey << "\n";
    }
    SECTION("environment") {
        endpoint.api_key_env = "JUDGE_TEST_KEY";
        REQUIRE(::setenv("JUDGE_TEST_KEY", kKey.c_str(), 1) == 0);
    }
    SECTION("a header of one's own") {
        endpoint.headers = {"Authorization: " + kKey};
    }
    Judged judged{judge_settings({endpoint})};
    const JudgeReply reply = judged.ask();  // which repeats the question
    CHECK(reply.outcome == JudgeOutcome::kRefused);
    CHECK_THAT(reply.error, Catch::Contains("HTTP 401: Incorrect API key"));
    CHECK_THAT(reply.error, Catch::Contains("redacted"));
    CHECK_THAT(reply.error, !Catch::Contains(kKey));
    CHECK_THAT(judged.log(), !Catch::Contains(kKey));
}

TEST_CASE("judge client: a key that would leave the machine unencrypted is warned of",
          "[server][judge]") {
    const auto log_for = [](const std::string& url, const std::string& key) {
        auto endpoint = judge_endpoint("judge", url, "m");
        endpoint.api_key = key;
        return Judged{judge_settings({endpoint})}.log();
    };
    for (const std::string host : {"http://192.0.2.1:8080/v1", "http://models.example/v1"}) {
        CHECK_THAT(log_for(host, kKey), Catch::Contains("judge.endpoints.judge.base_url"));
        CHECK(log_for(host, "").empty());
    }
    for (const std::string host : {"http://127.0.0.1:1/v1", "http://localhost/v1",
                                   "http://[::1]:1/v1", "https://models.example/v1"})
        CHECK(log_for(host, kKey).empty());
}

TEST_CASE("judge client: without its key an endpoint is not asked", "[server][judge]") {
    const headway::tests::TempDir directory;
    auto endpoint = judge_endpoint("judge", "http://127.0.0.1:1/v1", "m");
    std::string advice;
    SECTION("no file") {
        endpoint.api_key_file = directory.file("absent");
        advice = "judge.endpoints.judge.api_key_file";
    }
    SECTION("an empty file") {
        endpoint.api_key_file = directory.file("empty");
        std::ofstream{endpoint.api_key_file} << "\n";
        advice = "judge.endpoints.judge.api_key_file";
    }
    SECTION("no variable") {
        endpoint.api_key_env = "JUDGE_TEST_NO_SUCH_KEY";
        advice = "set the environment variable JUDGE_TEST_NO_SUCH_KEY";
    }
    SECTION("a key that would smuggle a header in") {
        endpoint.api_key = "x\r\nHost: elsewhere";
        advice = "characters that no key has";
    }
    SECTION("a header that would") {
        endpoint.headers = {"X-Name: a\nHost: elsewhere"};
        advice = "correct judge.endpoints.judge.headers";
    }
    Judged judged{judge_settings({endpoint})};
    const JudgeReply reply = judged.ask();
    CHECK(reply.outcome == JudgeOutcome::kRefused);
    CHECK_THAT(reply.error, Catch::Contains(advice));
    CHECK(reply.use.tries == 0);
    CHECK_THAT(judged.log(), Catch::Contains(advice));
}

TEST_CASE("judge client: one question at a time, sessions in turn", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), "sleep:0.2")})};
    REQUIRE(judged.submit(1, "first"));  // the others come while it is under way
    for (std::uint64_t id = 11; id <= 13; ++id)
        REQUIRE(judged.submit(id, "busy"));
    REQUIRE(judged.submit(21, "b"));
    REQUIRE(judged.submit(31, "c"));
    const auto replies = judged.wait(6);
    CHECK(all_are(JudgeOutcome::kAnswered, replies));
    CHECK(ids_of(replies) == std::vector<std::uint64_t>{1, 11, 21, 31, 12, 13});
}

TEST_CASE("judge client: as many at once as the endpoint may have", "[server][judge]") {
    const LlmServer server;
    auto endpoint = judge_endpoint("judge", server.url(), "sleep:0.4");
    endpoint.concurrency = 8;
    Judged judged{judge_settings({endpoint})};
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t id = 0; id < 16; ++id)
        REQUIRE(judged.submit(id, "s" + std::to_string(id)));
    const auto replies = judged.wait(16);
    CHECK(replies.size() == 16);
    CHECK(all_are(JudgeOutcome::kAnswered, replies));
    const auto took = std::chrono::steady_clock::now() - start;
    CHECK(took >= std::chrono::milliseconds{800});   // two rounds
    CHECK(took < std::chrono::milliseconds{6'400});  // and not sixteen
}

TEST_CASE("judge client: a thousand sessions ask at once", "[server][judge]") {
    const LlmServer server;
    auto endpoint = judge_endpoint("judge", server.url(), "ok:A because it moves");
    endpoint.concurrency = 64;
    Judged judged{judge_settings({endpoint})};
    for (std::uint64_t id = 0; id < 1000; ++id)
        REQUIRE(judged.submit(id, "s" + std::to_string(id)));
    const auto replies = judged.wait(1000);
    CHECK(all_are(JudgeOutcome::kAnswered, replies));
    const auto ids = ids_of(replies);
    CHECK(std::set<std::uint64_t>(ids.begin(), ids.end()).size() == 1000);
    CHECK(judged.client().stats().endpoints.at(0).ended_as(JudgeOutcome::kAnswered) == 1000);
}

TEST_CASE("judge client: no endpoint waits for another", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("stuck", server.url(), "slow:20"),
                                  judge_endpoint("judge", server.url(), "ok:A")})};
    REQUIRE(judged.submit(1, "s", "stuck"));
    REQUIRE(judged.submit(2, "s", "judge"));
    const auto replies = judged.wait(1);
    REQUIRE(replies.size() == 1);
    CHECK(replies[0].endpoint == "judge");
    judged.client().stop();
    CHECK(judged.wait(2).at(1).outcome == JudgeOutcome::kCancelled);
}

TEST_CASE("judge client: a session that ends takes its questions along", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), "slow:20")})};
    REQUIRE(judged.submit(1, "gone"));
    REQUIRE(judged.submit(2, "gone"));
    REQUIRE(judged.submit(3, "stays"));
    judged.client().cancel("unknown");
    judged.client().cancel("gone");
    auto replies = judged.wait(2);
    REQUIRE(replies.size() == 2);
    CHECK(std::set<std::uint64_t>{replies[0].id, replies[1].id} == std::set<std::uint64_t>{1, 2});
    CHECK(all_are(JudgeOutcome::kCancelled, replies));
    // A new question is not cancelled with the old ones.
    REQUIRE(judged.submit(4, "gone"));
    CHECK(judged.client().stats().open == 2);
    judged.client().stop();
    replies = judged.wait(4);
    CHECK(replies.size() == 4);
    CHECK(all_are(JudgeOutcome::kCancelled, replies));
}

TEST_CASE("judge client: stopped, everything is answered and nothing accepted", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), "slow:20")})};
    for (std::uint64_t id = 0; id < 100; ++id)
        REQUIRE(judged.submit(id, "s" + std::to_string(id % 7)));
    judged.client().stop();
    const auto replies = judged.wait(100);
    CHECK(replies.size() == 100);
    CHECK(all_are(JudgeOutcome::kCancelled, replies));
    CHECK_FALSE(judged.submit(101));
    judged.client().stop();
    CHECK(judged.wait(100).size() == 100);
}

TEST_CASE("judge client: what is not accepted gets no reply", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), "slow:20")})};
    CHECK_FALSE(judged.submit(1, "s", "unknown"));
    constexpr auto kMost = headway::core::limits::kJudgeQueueMax;
    for (std::uint64_t id = 0; id < kMost; ++id)
        REQUIRE(judged.submit(id));
    CHECK_FALSE(judged.submit(kMost));
    CHECK(judged.client().stats().turned_away == 2);
    judged.client().cancel("s");
    CHECK(judged.wait(kMost).size() == kMost);
    CHECK(judged.submit(kMost));
}

TEST_CASE("judge client: a failing endpoint is not asked", "[server][judge]") {
    const LlmServer server;
    const std::string model = GENERATE("500", "401", "close");
    INFO(model);
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), model)})};
    for (std::uint64_t id = 1; id <= 9; ++id)
        REQUIRE(judged.submit(id, "s" + std::to_string(id)));
    auto replies = judged.wait(9);
    REQUIRE(replies.size() == 9);
    std::size_t unavailable = 0;
    for (const JudgeReply& reply : replies)
        unavailable += reply.outcome == JudgeOutcome::kUnavailable ? 1U : 0U;
    CHECK(unavailable == 4);
    REQUIRE(judged.submit(10));
    replies = judged.wait(10);
    CHECK(replies.at(9).outcome == JudgeOutcome::kUnavailable);
    CHECK_THAT(replies.at(9).error, Catch::Contains("judge failed too often in a row"));
    CHECK(judged.client().stats().endpoints.at(0).tries == 5);
}

TEST_CASE("judge client: refused questions do not open the breaker", "[server][judge]") {
    const LlmServer server;
    Judged judged{judge_settings({judge_endpoint("judge", server.url(), "400")})};
    for (std::uint64_t id = 1; id <= 9; ++id)
        REQUIRE(judged.submit(id));
    const auto replies = judged.wait(9);
    CHECK(replies.size() == 9);
    CHECK(all_are(JudgeOutcome::kRefused, replies));
}

TEST_CASE("judge client: a pause that the endpoint asks for holds for all its questions",
          "[server][judge]") {
    const LlmServer server;
    auto settings = judge_settings({judge_endpoint("judge", server.url(), "429:1")});
    settings.retries = 1;
    Judged judged{std::move(settings)};
    const auto start = std::chrono::steady_clock::now();
    REQUIRE(judged.submit(1, "a"));
    REQUIRE(judged.submit(2, "b"));
    CHECK(judged.wait(1).size() == 1);
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::seconds{1});
    const auto replies = judged.wait(2);
    CHECK(ids_of(replies) == std::vector<std::uint64_t>{2, 1});
    CHECK(all_are(JudgeOutcome::kAnswered, replies));
}
