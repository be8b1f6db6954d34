// SPDX-License-Identifier: Apache-2.0
#include "cli/held/hook_journal.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/answering_server.hpp"

using namespace headway::cli;
using headway::tests::AnsweringServer;

namespace {

using HowRead = HookJournal::Outcome;

constexpr std::uint64_t kPage = 2;  // events in a page of the server

std::uint64_t after_of(std::string_view target) {
    const std::size_t at = target.find("after=");
    std::uint64_t after = 0;
    if (at != std::string_view::npos)
        std::from_chars(target.data() + at + 6, target.data() + target.size(), after);
    return after;
}

/// A page of a journal with the events 1 to `head`; the even ones have ids of this reporter's.
std::string page(std::string_view target, std::uint64_t head) {
    std::uint64_t n = after_of(target);
    std::string events;
    for (std::uint64_t end = std::min(n + kPage, head); n < end;) {
        ++n;
        if (!events.empty()) events += ',';
        events += R"({"type":"tool.started","at":"2026-01-01T00:00:00.000Z","n":)" +
                  std::to_string(n) + R"(,"event_id":")" + (n % 2 == 0 ? "own-" : "other-") +
                  std::to_string(n) + "\"}";
    }
    return AnsweringServer::reply(
        200, R"({"events":[)" + events + R"(],"head":)" + std::to_string(head) + R"(,"next":)" +
                 std::to_string(n) + R"(,"more":)" + (n < head ? "true" : "false") + "}");
}

/// One journal that reads the session `s` of a server, and what it has noted.
struct Reading {
    explicit Reading(const AnsweringServer& server, bool children = false)
        : daemon(server.url()),
          with{
              [this](const HookJournal::Told& told) { events.push_back(told.event.count_of("n")); },
              [] { return std::chrono::milliseconds{20'000}; }, children} {}

    HookJournal::Look look() { return journal.read(daemon, "s", with); }

    Daemon daemon;
    std::vector<std::uint64_t> events;
    HookJournal journal{"own-", SteadyTime::min()};
    HookJournal::With with;
};

}  // namespace

TEST_CASE("hook journal: a look reads 21 pages of a long journal, and the next one goes on",
          "[cli]") {
    std::atomic<int> requests{0};
    const AnsweringServer server{[&](std::string_view target) {
        ++requests;
        return page(target, 100);
    }};
    Reading reading{server};
    std::vector<std::uint64_t> others;  // each once, in order
    for (std::uint64_t n = 1; n <= 100; n += 2)
        others.push_back(n);
    for (const int pages : {21, 42}) {
        const HookJournal::Look look = reading.look();
        CHECK(look.outcome == HowRead::kRead);
        CHECK(look.more);
        CHECK(requests == pages);
        CHECK(reading.events.size() == static_cast<std::size_t>(pages));
    }
    const HookJournal::Look last = reading.look();
    CHECK_FALSE(last.more);
    CHECK(requests == 50);
    CHECK(reading.events == others);
    reading.look();
    CHECK(requests == 51);
    CHECK(reading.events == others);
}

TEST_CASE("hook journal: only a reply that may come true later is asked for again", "[cli]") {
    struct Case {
        std::string reply;
        HowRead outcome;
    };
    const auto [reply, outcome] = GENERATE(values<Case>({
        {AnsweringServer::reply(404, "{}"), HowRead::kRead},  // the session is not there yet
        {AnsweringServer::reply(403, "{}"), HowRead::kRefused},
        {AnsweringServer::reply(503, "{}"), HowRead::kRetry},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", HowRead::kRetry},  // another program's
        {"HTTP/1.1 404 x\r\nContent-Length: 2\r\n\r\n{}", HowRead::kRetry},
    }));
    CAPTURE(reply);
    const AnsweringServer server{reply};
    Reading reading{server};
    CHECK(reading.look().outcome == outcome);
    CHECK(reading.events.empty());
}

TEST_CASE("hook journal: sub-agents that may not be read hide only themselves", "[cli]") {
    const AnsweringServer server{[](std::string_view target) {
        if (target.starts_with("/v1/sessions?"))
            return AnsweringServer::reply(200, R"({"sessions":[{"id":"a"},{"id":"b"}]})");
        if (target.starts_with("/v1/sessions/a/")) return AnsweringServer::reply(403, "{}");
        return page(target, target.starts_with("/v1/sessions/b/") ? 1 : 3);
    }};
    Reading reading{server, true};
    const HookJournal::Look look = reading.look();
    CHECK(look.outcome == HowRead::kRead);
    CHECK(look.partly);
    CHECK(reading.events == std::vector<std::uint64_t>{1, 3, 1});
}

TEST_CASE("hook journal: after a skip only later events are read", "[cli]") {
    std::atomic<std::uint64_t> head{7};
    const AnsweringServer server{[&](std::string_view target) { return page(target, head); }};
    Reading reading{server};
    reading.journal.skip(reading.daemon, "s", std::chrono::milliseconds{20'000});
    reading.look();
    CHECK(reading.events.empty());
    head = 9;
    reading.look();
    CHECK(reading.events == std::vector<std::uint64_t>{9});
}
