// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/below.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "cli/client/daemon.hpp"
#include "cli/wait/verdict_wait.hpp"
#include "tests/support/answering_server.hpp"

using namespace headway::cli;
using headway::tests::AnsweringServer;

TEST_CASE("needs below: a request without an answer is the last, since each may take a while",
          "[cli]") {
    const bool any = GENERATE(false, true);
    const bool knows_sessions = GENERATE(false, true);
    std::atomic<int> requests{0};
    const AnsweringServer server([&](std::string_view target) {
        ++requests;
        const bool is_list = target.find('?') != target.npos;
        return AnsweringServer::reply(knows_sessions && !is_list ? 200 : 503, "{}");
    });
    Daemon daemon(server.url());
    WaitAnswer answer;
    answer.unmet = {"a", "b", "c"};
    CHECK(needs_below(daemon, any, "settled", answer).empty());
    CHECK(requests == (knows_sessions ? 2 : 1));
    CHECK(answer.lines.empty());
}

TEST_CASE("needs below: without a need, the next session is asked about only by a wait for any",
          "[cli]") {
    const bool any = GENERATE(false, true);
    std::atomic<int> requests{0};
    const AnsweringServer server([&](std::string_view target) {
        ++requests;
        const bool asks = target == "/v1/sessions/b";
        return AnsweringServer::reply(200, asks ? R"({"approvals_below":2})" : "{}");
    });
    Daemon daemon(server.url());
    WaitAnswer answer;
    answer.unmet = {"a", "b", "c"};
    CHECK(needs_below(daemon, any, "settled", answer).size() == (any ? 1 : 0));
    CHECK(requests == (any ? 3 : 2));
}
