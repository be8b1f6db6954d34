// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/hook_holds.hpp"

#include <catch2/catch.hpp>

#include "tests/support/connections.hpp"

// Hooks that wait: what their clients get meanwhile, and when the question is asked again.

using namespace headway;
using namespace headway::server;
using namespace headway::tests;

namespace {

using std::chrono::seconds;

const std::string kRequest =
    "POST /v1/sessions/s/events HTTP/1.1\r\nHost: localhost:7717\r\n"
    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

/// A hook's question in a connection, and what the engine is asked.
struct HeldHook {
    net::io_context io{1};
    Connections connections{io};
    Connections::Client client = connections.connect();
    ReplyTo to;
    std::vector<HookAgainCommand> asked;
    std::vector<std::string> replies;     ///< in one piece
    std::vector<std::uint64_t> left;      ///< numbers of approvals that no agent waits for
    std::vector<std::string> left_calls;  ///< held calls that no agent waits for
    bool room = true;                     ///< in the queue
    HookHolds holds{[this](std::uint64_t id) { return connections.find(id); },
                    [this](const ReplyTo&, HookAgainCommand again) {
                        if (room) asked.push_back(std::move(again));
                        return room;
                    },
                    [this](const ReplyTo& place, const Response& response) {
                        replies.push_back(response.body);
                        HttpConnection* const connection = connections.find(place.connection);
                        if (connection != nullptr && place.slot == to.slot)
                            connection->respond(place.slot, response);
                    },
                    [this](const HookLeftCommand& gone) {
                        CHECK(gone.session == "s");
                        if (gone.n != 0) left.push_back(gone.n);
                        if (gone.n == 0) left_calls.push_back(gone.call_id);
                    }};

    HeldHook() {
        connections.answer = [this](HttpConnection& connection, std::uint64_t slot,
                                    const HttpRequest&) {
            to = {connection.id(), slot};
        };
        client.far.send(kRequest);
        REQUIRE(run_until(io, [this] { return to.connection != 0; }));
    }
    ~HeldHook() { holds.drop_connection(to.connection); }

    HookAnswered answer(bool hold, std::string deny = {}) const {
        HookAnswered answered;
        answered.session = "s";
        answered.call.dialect = api::hooks::find_dialect("generic");
        answered.call.hook.kind = api::hooks::HookKind::kPre;
        answered.call.hook.session = "s";
        answered.call.hook.event = "pre";
        answered.hold = hold;
        answered.reply.deny = std::move(deny);
        return answered;
    }
    std::string wire(const std::string& end) {
        std::string text;
        REQUIRE(run_until(io, [&] {
            text = client.far.read();
            return text.find(end) != std::string::npos;
        }));
        return text;
    }
    static Clock::Steady::time_point later(seconds time) { return Clock::steady() + time; }
};

}  // namespace

TEST_CASE("hook holds: an answer that need not wait is sent at once, in one piece", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(false, "no"));
    CHECK(h.replies == std::vector<std::string>{R"({"deny":"no"})"});
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a client that waits gets its status, a blank every 5 s, and the document",
          "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    const std::string head = h.wire("1\r\n \r\n");
    CHECK(head.find("HTTP/1.1 200 OK") == 0);
    CHECK(head.find("Transfer-Encoding: chunked") != std::string::npos);
    CHECK(head.find("Connection: close") != std::string::npos);
    h.holds.second(HeldHook::later(seconds{4}));
    h.holds.second(HeldHook::later(seconds{6}));
    CHECK(h.wire("1\r\n \r\n1\r\n \r\n").ends_with("1\r\n \r\n1\r\n \r\n"));
    h.holds.session_changed("s");
    REQUIRE(h.asked.size() == 1);
    CHECK_FALSE(h.asked.front().time_is_up);
    h.holds.take(h.to, h.answer(false, "no"));
    CHECK(h.wire("0\r\n\r\n").ends_with("d\r\n{\"deny\":\"no\"}\r\n0\r\n\r\n"));
    CHECK(h.holds.size() == 0);
    CHECK(h.replies.empty());
}

TEST_CASE("hook holds: a session that changes while it is asked about is asked about again",
          "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.holds.session_changed("other");
    CHECK(h.asked.empty());
    h.holds.session_changed("s");
    h.holds.session_changed("s");
    h.holds.session_changed("s");
    CHECK(h.asked.size() == 1);
    h.holds.take(h.to, h.answer(true));
    CHECK(h.asked.size() == 2);
    h.holds.take(h.to, h.answer(true));
    CHECK(h.asked.size() == 2);
    CHECK(h.holds.size() == 1);
}

TEST_CASE("hook holds: a hold that began behind a change in its turn is asked about once by itself",
          "[server]") {
    HeldHook h;
    h.holds.session_changed("s");  // published before the answer of the same turn
    h.holds.take(h.to, h.answer(true));
    CHECK(h.asked.empty());
    h.holds.second(HeldHook::later(seconds{1}));
    REQUIRE(h.asked.size() == 1);
    CHECK_FALSE(h.asked.front().time_is_up);
    h.holds.take(h.to, h.answer(true));
    h.holds.second(HeldHook::later(seconds{60}));
    CHECK(h.asked.size() == 1);
}

TEST_CASE("hook holds: a hold that another daemon may end is asked about every 15 s", "[server]") {
    HeldHook h;
    HookAnswered held = h.answer(true);
    held.held_elsewhere = true;
    h.holds.take(h.to, std::move(held));
    h.holds.second(HeldHook::later(seconds{14}));
    CHECK(h.asked.empty());
    h.holds.second(HeldHook::later(seconds{16}));
    REQUIRE(h.asked.size() == 1);
    h.holds.take(h.to, h.answer(true));
    h.holds.second(HeldHook::later(seconds{60}));
    CHECK(h.asked.size() == 1);
}

TEST_CASE("hook holds: of many only some are asked about at once, each in its turn", "[server]") {
    HeldHook h;
    constexpr std::size_t kHolds = 100;
    const auto place = [&h](std::size_t i) { return ReplyTo{h.to.connection, 100 + i}; };
    for (std::size_t i = 0; i < kHolds; ++i)
        h.holds.take(place(i), h.answer(true));
    h.holds.session_changed("s");
    CHECK(h.asked.size() == HookHolds::kAskedMax);
    h.holds.session_changed("s");  // while some are asked about
    CHECK(h.asked.size() == HookHolds::kAskedMax);
    for (std::size_t i = 0; i < kHolds; ++i)
        h.holds.take(place(i), h.answer(true));
    // The first of them once more, behind all others.
    CHECK(h.asked.size() == kHolds + HookHolds::kAskedMax);
    for (std::size_t i = 0; i < HookHolds::kAskedMax; ++i)
        h.holds.take(place(i), h.answer(true));
    CHECK(h.asked.size() == kHolds + HookHolds::kAskedMax);
    CHECK(h.holds.size() == kHolds);
}

TEST_CASE("hook holds: a caller with all places gives one up for another caller", "[server]") {
    HeldHook h;
    const auto held_by = [&h](const std::string& caller) {
        HookAnswered answered = h.answer(true);
        answered.call.holder = caller;
        return answered;
    };
    constexpr std::size_t kPlaces = core::limits::kWaitersMax;
    for (std::size_t i = 0; i < kPlaces; ++i)
        h.holds.take({h.to.connection, 100 + i}, held_by("one"));
    REQUIRE(h.holds.size() == kPlaces);
    h.holds.take({h.to.connection, 100 + kPlaces}, held_by("one"));
    CHECK(h.replies.size() == 1);  // undecided at once
    h.holds.take(h.to, held_by("another"));
    CHECK(h.replies.size() == 2);  // the newest of the first caller
    CHECK(h.holds.size() == kPlaces);
    h.holds.take(h.to, h.answer(false, "no"));
    CHECK(h.wire("0\r\n\r\n").find(R"({"deny":"no"})") != std::string::npos);
}

TEST_CASE("hook holds: a full queue is asked again the next second", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.room = false;
    h.holds.session_changed("s");
    h.holds.second(Clock::steady());
    CHECK(h.asked.empty());
    h.room = true;
    h.holds.second(Clock::steady());
    CHECK(h.asked.size() == 1);
}

TEST_CASE("hook holds: the last question says that the time is up", "[server]") {
    HeldHook h;
    HookAnswered answered = h.answer(true);
    answered.call.hook.hold_ms = 2'000;
    h.holds.take(h.to, std::move(answered));
    h.holds.second(Clock::steady());
    CHECK(h.asked.empty());
    h.holds.second(HeldHook::later(seconds{3}));
    REQUIRE(h.asked.size() == 1);
    CHECK(h.asked.front().time_is_up);
}

TEST_CASE("hook holds: a client that asks for no time gets none", "[server]") {
    HeldHook h;
    HookAnswered answered = h.answer(true);
    answered.call.hook.hold_ms = 0;
    h.holds.take(h.to, std::move(answered));
    REQUIRE(h.replies.size() == 1);
    CHECK(h.replies.front().find("deny") != std::string::npos);
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a refused question ends the hold without a decision", "[server]") {
    HeldHook h;
    CHECK_FALSE(h.holds.refused(h.to));  // none waits there
    h.holds.take(h.to, h.answer(true));
    h.holds.session_changed("s");
    CHECK(h.holds.refused(h.to));
    CHECK(h.wire("0\r\n\r\n").find("deny") != std::string::npos);
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a client that leaves is forgotten, and its late answer too", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.holds.session_changed("s");
    h.holds.drop_connection(h.to.connection);
    CHECK(h.holds.size() == 0);
    h.holds.session_changed("s");
    CHECK(h.asked.size() == 1);
    h.client.far.close();
    REQUIRE(run_until(h.io, [&h] { return h.connections.size() == 0; }));
    h.holds.take(h.to, h.answer(true));
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a call whose hook was sent again is left by its last connection",
          "[server]") {
    HeldHook h;
    const ReplyTo first = h.to;
    const std::uint64_t dialog = GENERATE(0U, 7U);
    HookAnswered held = h.answer(true);
    held.call.hook.call.call = "c";
    held.call.dialog = dialog;
    h.holds.take(first, held);
    Connections::Client again = h.connections.connect();
    again.far.send(kRequest);
    REQUIRE(run_until(h.io, [&] { return h.to.connection != first.connection; }));
    h.holds.take(h.to, held);
    h.holds.drop_connection(first.connection);
    CHECK(h.left.empty());
    CHECK(h.left_calls.empty());
    h.holds.drop_connection(h.to.connection);
    CHECK(h.left.size() + h.left_calls.size() == 1);
}

TEST_CASE("hook holds: a daemon that goes down answers, and holds nothing more", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.holds.drain();
    REQUIRE(h.asked.size() == 1);
    CHECK(h.asked.front().time_is_up);
    h.holds.take(h.to, h.answer(false, "later"));
    CHECK(h.wire("0\r\n\r\n").find("later") != std::string::npos);
    h.holds.take({99, 1}, h.answer(true));
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a daemon that goes down with a full queue refuses by itself", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.room = false;
    h.holds.drain();
    CHECK(h.wire("0\r\n\r\n").find("deny") != std::string::npos);
    CHECK(h.holds.size() == 0);
}

TEST_CASE("hook holds: a question on its way when the daemon goes down is asked again",
          "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.holds.session_changed("s");
    h.holds.drain();
    CHECK(h.asked.size() == 1);
    h.holds.take(h.to, h.answer(true));
    REQUIRE(h.asked.size() == 2);
    CHECK(h.asked.back().time_is_up);
}

TEST_CASE("hook holds: the end of a dialog's wait is passed on", "[server]") {
    HeldHook h;
    HookAnswered answered = h.answer(true);
    answered.call.hook.kind = api::hooks::HookKind::kPermission;
    answered.call.hook.dialog = true;
    answered.call.dialog = 7;
    SECTION("the connection is gone") {
        h.holds.take(h.to, answered);
        CHECK(h.left.empty());
        h.holds.drop_connection(h.to.connection);
    }
    SECTION("the connection was gone before") {
        h.holds.take({h.to.connection + 1, 1}, answered);
    }
    SECTION("it may not wait") {
        answered.call.hook.hold_ms = 0;
        h.holds.take(h.to, answered);
        CHECK(h.replies == std::vector<std::string>{"{}"});
    }
    SECTION("the daemon goes down with a full queue") {
        h.holds.take(h.to, answered);
        h.room = false;
        h.holds.drain();
    }
    SECTION("the engine refuses its question") {
        h.holds.take(h.to, answered);
        CHECK(h.holds.refused(h.to));
    }
    CHECK(h.left == std::vector<std::uint64_t>{7});
}

TEST_CASE("hook holds: a call that waits for no dialog tells none", "[server]") {
    HeldHook h;
    h.holds.take(h.to, h.answer(true));
    h.holds.drop_connection(h.to.connection);
    CHECK(h.left.empty());
}
