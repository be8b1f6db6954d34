// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <list>

#include "server/outbound/judge/judge_client.hpp"
#include "server/outbound/judge/judge_target.hpp"
#include "tests/support/judged.hpp"
#include "tests/support/llm_server.hpp"
#include "tests/support/names.hpp"

// Each behaviour of a model server, a real one in its own process, gives one outcome.

using namespace headway::server;
using headway::core::JudgeOutcome;
using headway::tests::judge_endpoint;
using headway::tests::judge_settings;
using headway::tests::Judged;
using headway::tests::LlmServer;

namespace {

constexpr std::chrono::milliseconds kPatience{1'500};  ///< a test waits this silence out
const std::string kAnswer =
    R"({"answer": "A", "reason": "files change", "evidence": [2], "confidence": 0.9})";

/// A port of this machine without a listener, or one that accepts no connection.
class DeadPort {
public:
    explicit DeadPort(bool listens = false) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(socket_, any, size) == 0);
        REQUIRE(::getsockname(socket_, any, &size) == 0);
        port_ = ntohs(address.sin_port);
        if (listens) REQUIRE(::listen(socket_, 8) == 0);
    }
    DeadPort(const DeadPort&) = delete;
    DeadPort& operator=(const DeadPort&) = delete;
    ~DeadPort() { ::close(socket_); }
    std::string url(const std::string& scheme) const {
        return scheme + "://127.0.0.1:" + std::to_string(port_) + "/v1";
    }

private:
    int socket_;
    int port_ = 0;
};

}  // namespace

TEST_CASE("judge outcomes: every behaviour of a model server has its outcome", "[server][judge]") {
    struct Case {
        std::string model;
        JudgeOutcome outcome;
        std::string error;  ///< part of it
        std::string text;
        std::uint32_t retries = 0;
        std::uint64_t tries = 1;
    };
    const std::vector<Case> cases{
        {"ok:A because it moves", JudgeOutcome::kAnswered, "", "A because it moves"},
        {"plain:A because it moves", JudgeOutcome::kAnswered, "", "A because it moves"},
        {"nodone:A because it moves", JudgeOutcome::kAnswered, "", "A because it moves"},
        {"linger:A because it moves", JudgeOutcome::kAnswered, "", "A because it moves"},
        {"silent", JudgeOutcome::kBroken, "judge: no byte for 1500 ms", ""},
        {"mute", JudgeOutcome::kBroken, "judge: no byte for 1500 ms", ""},
        {"sleep:20", JudgeOutcome::kBroken, "judge: no byte for 1500 ms", "", 3},
        {"close", JudgeOutcome::kBroken, "judge: the connection died in the answer", "A: because",
         3},
        {"midway", JudgeOutcome::kBroken, "judge: error of the endpoint: out of memory", "A: "},
        {"rubbish", JudgeOutcome::kBroken, "judge: what came is no chat completion", ""},
        {"huge", JudgeOutcome::kOversized, "judge sent more than 256 KiB", "", 3},
        {"401", JudgeOutcome::kRefused, "judge: HTTP 401: told to answer 401; check its API key",
         "", 3},
        {"403", JudgeOutcome::kRefused, "; check its API key", "", 3},
        {"404", JudgeOutcome::kRefused, "; check its base_url and model", "", 3},
        {"400", JudgeOutcome::kRefused, "judge: HTTP 400: told to answer 400", "", 3},
        {"422", JudgeOutcome::kRefused, "judge: HTTP 422: told to answer 422", "", 3},
        {"302", JudgeOutcome::kRefused, "redirects are not followed", "", 3},
        {"429:1", JudgeOutcome::kAnswered, "", kAnswer, 1, 2},
        {"429date:2", JudgeOutcome::kAnswered, "", kAnswer, 1, 2},
        {"500x:2", JudgeOutcome::kAnswered, "", kAnswer, 2, 3},
        {"500", JudgeOutcome::kFailing, "judge: HTTP 500: told to answer 500", "", 2, 3},
        {"503", JudgeOutcome::kFailing, "judge: HTTP 503: told to answer 503", ""},
        // The content of an answer is not tested here.
        {"prose", JudgeOutcome::kAnswered, "", "```json"},
        {"badjson", JudgeOutcome::kAnswered, "", "files ch"},
        {"letter", JudgeOutcome::kAnswered, "", R"("answer": "E")"},
        {"evidence", JudgeOutcome::kAnswered, "", "999999999"},
        {"obey", JudgeOutcome::kAnswered, "", kAnswer},
    };
    const LlmServer server;
    // All at once: some wait for a silence or a pause to end.
    std::list<Judged> clients;
    for (const Case& c : cases) {
        auto settings = judge_settings({judge_endpoint("judge", server.url(), c.model)});
        settings.retries = c.retries;
        if (c.error.find("no byte") != std::string::npos) settings.silence_timeout = kPatience;
        REQUIRE(clients.emplace_back(std::move(settings)).submit(1));
    }
    auto judged = clients.begin();
    for (const Case& c : cases) {
        INFO(c.model);
        const auto replies = judged->wait(1);
        REQUIRE(replies.size() == 1);
        const JudgeReply& reply = replies.front();
        CHECK(reply.outcome == c.outcome);
        CHECK_THAT(reply.error, Catch::Contains(c.error));
        CHECK(reply.error.empty() == (c.outcome == JudgeOutcome::kAnswered));
        CHECK_THAT(reply.text, Catch::Contains(c.text));
        CHECK(reply.use.tries == c.tries);
        CHECK(judged->log().empty());
        ++judged;
    }
}

TEST_CASE("judge outcomes: a slow judge whose tokens arrive is fine", "[server][judge]") {
    const LlmServer server;
    auto settings = judge_settings({judge_endpoint("judge", server.url(), "slow:4")});
    settings.silence_timeout = kPatience;
    Judged judged{std::move(settings)};
    const JudgeReply reply = judged.ask();
    CHECK(reply.outcome == JudgeOutcome::kAnswered);
    CHECK_THAT(reply.text, Catch::Contains(kAnswer));
    CHECK(reply.use.elapsed_ms >= 4000);
    CHECK(reply.use.first_token_ms < 3000);
}

TEST_CASE("judge outcomes: bytes that only keep the connection alive are no answer",
          "[server][judge]") {
    const LlmServer server;
    auto settings = judge_settings({judge_endpoint("judge", server.url(), "drip")});
    settings.silence_timeout = std::chrono::milliseconds{500};
    Judged judged{std::move(settings)};
    const JudgeReply reply = judged.ask();
    CHECK(reply.outcome == JudgeOutcome::kBroken);
    CHECK_THAT(reply.error, Catch::Contains("judge: no whole answer for 6 s"));
}

TEST_CASE("judge outcomes: no listener", "[server][judge]") {
    const DeadPort nobody;
    auto settings = judge_settings({judge_endpoint("judge", nobody.url("http"), "m")});
    settings.retries = 2;
    Judged judged{std::move(settings)};
    const JudgeReply reply = judged.ask();
    CHECK(reply.outcome == JudgeOutcome::kUnreachable);
    CHECK_THAT(reply.error, Catch::Contains("judge cannot be reached: "));
    CHECK(reply.use.tries == 3);
    CHECK(reply.use.first_token_ms == 0);
    CHECK(reply.model == "m");
}

TEST_CASE("judge outcomes: a connection that is not established", "[server][judge]") {
    const DeadPort nobody{true};
    auto settings = judge_settings({judge_endpoint("judge", nobody.url("https"), "m")});
    settings.retries = 1;
    SECTION("within connect_timeout") {
        settings.connect_timeout = std::chrono::milliseconds{300};
        settings.silence_timeout = std::chrono::seconds{20};
    }
    SECTION("within silence_timeout, when that is shorter") {
        settings.connect_timeout = std::chrono::seconds{20};
        settings.silence_timeout = std::chrono::milliseconds{300};
    }
    Judged judged{std::move(settings)};
    const JudgeReply reply = judged.ask();
    CHECK(reply.outcome == JudgeOutcome::kUnreachable);
    CHECK_THAT(reply.error, Catch::Contains("judge cannot be reached: "));
    CHECK(reply.use.tries == 2);
}

TEST_CASE("judge outcomes: TLS", "[server][judge]") {
    const LlmServer server{true};
    auto endpoint = judge_endpoint("judge", server.url(), "ok:A");
    SECTION("an unsigned certificate is not trusted, without a retry") {
        auto settings = judge_settings({endpoint});
        settings.retries = 3;
        Judged judged{std::move(settings)};
        const JudgeReply reply = judged.ask();
        CHECK(reply.outcome == JudgeOutcome::kUnreachable);
        CHECK_THAT(reply.error, Catch::Contains("judge is not trusted: ") &&
                                    Catch::EndsWith("; set its ca_file"));
        CHECK(reply.use.tries == 1);
    }
    SECTION("with ca_file it is") {
        endpoint.ca_file = server.certificate();
        CHECK(Judged{judge_settings({endpoint})}.ask().outcome == JudgeOutcome::kAnswered);
    }
    SECTION("for the name in it only") {
        endpoint.ca_file = server.certificate();
        endpoint.base_url = "https://localhost:" + std::to_string(server.port()) + "/v1";
        CHECK(Judged{judge_settings({endpoint})}.ask().outcome == JudgeOutcome::kUnreachable);
    }
    SECTION("unless verification is off") {
        endpoint.tls_verify = false;
        CHECK(Judged{judge_settings({endpoint})}.ask().outcome == JudgeOutcome::kAnswered);
    }
    SECTION("plain HTTP there is no answer") {
        endpoint.base_url = "http://127.0.0.1:" + std::to_string(server.port()) + "/v1";
        CHECK(Judged{judge_settings({endpoint})}.ask().outcome == JudgeOutcome::kBroken);
    }
}

TEST_CASE("judge outcomes: only http and https are asked", "[server][judge]") {
    for (const std::string url : {"file:///etc/passwd#", "ftp://127.0.0.1", "http://a b"}) {
        INFO(url);
        Judged judged{judge_settings({judge_endpoint("judge", url, "m")})};
        const JudgeReply reply = judged.ask();
        CHECK(reply.outcome == JudgeOutcome::kRefused);
        CHECK_THAT(reply.error, Catch::Contains("set base_url to an http or https URL"));
    }
}

TEST_CASE("judge outcomes: bytes of an error page that are no UTF-8 are replaced",
          "[server][judge]") {
    const JudgeTarget target{judge_endpoint("judge", "http://127.0.0.1:9/v1", "m"),
                             [](bool, const std::string&) {}};
    CHECK(target.clean("Dienst nicht verf\xfcgbar", 64) == "Dienst nicht verf\xEF\xBF\xBDgbar");
}
