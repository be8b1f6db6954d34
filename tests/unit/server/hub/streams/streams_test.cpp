// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/streams.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/base/limits.hpp"
#include "tests/support/connections.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace core = headway::core;
namespace storage = headway::storage;

namespace {

/// Streams over real sockets; the engine is the test.
struct Hub {
    net::io_context io{1};
    Connections connections{io};
    ViewCache views{[](const std::string&) { return true; }};
    std::map<std::uint64_t, StreamQuery> asked;  ///< requested pages, by connection
    bool queue_full = false;
    Streams streams{views, [this](std::uint64_t id) { return connections.find(id); },
                    [this](std::uint64_t id, StreamQuery query) {
                        if (!queue_full) asked[id] = std::move(query);
                        return !queue_full;
                    },
                    [] {
                        return headway::api::ReadingTime{at(10), at(0)};
                    }};
    std::int64_t cursor = 0;
    std::map<std::string, std::uint64_t> numbers;

    Hub() {
        connections.answer = [this](HttpConnection& connection, std::uint64_t slot,
                                    const HttpRequest& request) {
            const std::string session{request.target.session};
            const std::string_view route = request.target.endpoint->name;
            const StreamKind kind = route == "streamAll"        ? StreamKind::kAll
                                    : route == "streamProgress" ? StreamKind::kProgress
                                                                : StreamKind::kSession;
            require_ok(streams.open(connection, slot, kind, session, std::nullopt, {}));
        };
        connections.writable = [this](HttpConnection& c) { streams.on_writable(c); };
        connections.closed = [this](std::uint64_t id) { streams.on_closed(id); };
    }

    /// A client that follows `path` and is up to date.
    Connections::Client follow(const std::string& path, int send_bytes = 0, int receive_bytes = 0) {
        auto client = connections.connect(send_bytes, receive_bytes);
        client.far.send("GET " + path + " HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
        REQUIRE(run_until(io, [&] { return asked.count(client.id) == 1; }));
        page(client.id, {}, true);
        return client;
    }
    void page(std::uint64_t id, std::vector<storage::StreamEvent> events, bool caught_up) {
        StreamReply reply;
        reply.session = asked.at(id).session;
        reply.from = asked.at(id).after.value_or(0);
        reply.events = std::move(events);
        reply.caught_up = caught_up;
        asked.erase(id);
        streams.on_page(id, std::move(reply));
    }
    storage::StreamEvent event(const std::string& session, std::size_t bytes = 10) {
        core::Message message;
        message.role = "assistant";
        message.text.kept = std::string(bytes, 'x');
        storage::StreamEvent stream_event;
        stream_event.cursor = ++cursor;
        stream_event.session = session;
        stream_event.event.n = ++numbers[session];
        stream_event.event.at = at(0);
        stream_event.event.payload = std::move(message);
        return stream_event;
    }
    void publish(const std::string& session) { streams.publish({event(session)}); }
};

/// The count of received events with this number.
std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

core::SessionView view(const std::string& id, std::uint64_t n) {
    core::SessionView session_view;
    session_view.id = id;
    session_view.n = n;
    session_view.judgement = std::make_shared<core::Judgement>();
    return session_view;
}

}  // namespace

TEST_CASE("streams: the last follower of a session resets while its event is published",
          "[server]") {
    for (const char* path : {"/v1/sessions/s/stream", "/v1/stream", "/progress/s/stream"}) {
        DYNAMIC_SECTION(path) {
            for (int round = 0; round < 50; ++round) {
                Hub hub;
                hub.views.update(view("s", 1));
                auto client = hub.follow(path);
                client.far.reset();
                hub.streams.publish({hub.event("s"), hub.event("t"), hub.event("s")});
                hub.streams.publish_progress("s");
                hub.streams.publish({hub.event("s")});
                REQUIRE(run_until(hub.io, [&] { return hub.connections.size() == 0; }));
                REQUIRE(hub.streams.size() == 0);
            }
        }
    }
}

TEST_CASE("streams: one of several clients resets, and the others miss nothing", "[server]") {
    Hub hub;
    std::vector<Connections::Client> clients;
    for (int i = 0; i < 8; ++i)
        clients.push_back(hub.follow(i % 2 == 0 ? "/v1/sessions/s/stream" : "/v1/stream"));
    for (int round = 1; round <= 6; ++round) {
        clients[static_cast<std::size_t>(round)].far.reset();
        hub.publish("s");
    }
    REQUIRE(run_until(hub.io, [&] { return hub.streams.size() == 2; }));
    for (const std::size_t i : {0U, 7U}) {
        REQUIRE(run_until(hub.io,
                          [&] { return count_of(clients[i].far.read(), "event: message") == 6; }));
        for (const char* id : {"id: 1\n", "id: 6\n"})
            CHECK(count_of(clients[i].far.received(), id) == 1);
    }
}

TEST_CASE("streams: the end of a client is reported once, and nothing is left of it", "[server]") {
    Hub hub;
    auto leaving = hub.follow("/v1/sessions/s/stream");
    auto staying = hub.follow("/v1/sessions/s/stream");
    leaving.far.close();
    REQUIRE(run_until(hub.io, [&] { return hub.streams.size() == 1; }));
    hub.publish("s");
    CHECK(hub.connections.closed_ids == std::vector{leaving.id});
    staying.far.close();
    REQUIRE(run_until(hub.io, [&] { return hub.connections.size() == 0; }));
    CHECK(hub.streams.held() == 0);
    CHECK(hub.connections.held == 0);
}

TEST_CASE("streams: a commit larger than the ring does not disconnect clients that were up to date",
          "[server]") {
    Hub hub;
    auto follower = hub.follow("/v1/sessions/s/stream", 65'536, 65'536);
    std::vector<storage::StreamEvent> events;
    SECTION("in bytes") {
        for (int i = 0; i < 40; ++i)
            events.push_back(hub.event("s", 500'000));
    }
    SECTION("in events") {
        for (std::size_t i = 0; i < core::limits::kFrameRingCountMax + 100; ++i)
            events.push_back(hub.event("s"));
    }
    hub.streams.publish(events);
    CHECK(hub.streams.lagged() == 0);
    // It continues from the journal at its position.
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(follower.id) == 1; }));
    CHECK(hub.asked.at(follower.id).after == 0);
    std::vector<storage::StreamEvent> first(events.begin(), events.begin() + 2);
    for (storage::StreamEvent& event : first)
        event.cursor = static_cast<std::int64_t>(event.event.n);
    hub.page(follower.id, first, false);
    REQUIRE(run_until(hub.io, [&] {
        follower.far.read();
        return hub.asked.count(follower.id) == 1;
    }));
    CHECK(hub.asked.at(follower.id).after == 2);
    hub.page(follower.id, {}, true);
    hub.publish("s");
    const std::string last = "id: " + std::to_string(events.size() + 1) + "\n";
    REQUIRE(run_until(hub.io, [&] { return count_of(follower.far.read(), last) == 1; }));
    CHECK(count_of(follower.far.received(), "event: lagged") == 0);
}

TEST_CASE("streams: a client that was already behind and falls off the ring is disconnected",
          "[server]") {
    Hub hub;
    auto slow = hub.follow("/v1/sessions/s/stream", 16'384, 16'384);
    for (int i = 0; i < 60; ++i)
        hub.streams.publish({hub.event("s", 500'000)});
    REQUIRE(run_until(hub.io, [&] {
        slow.far.read();
        return slow.far.ended();
    }));
    CHECK(hub.streams.lagged() == 1);
    CHECK(count_of(slow.far.received(), "event: lagged") == 1);
}

TEST_CASE("streams: what a page had before it was published comes once", "[server]") {
    Hub hub;
    auto client = hub.connections.connect();
    client.far.send("GET /v1/sessions/s/stream HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(client.id) == 1; }));
    // Other daemons have committed four; this one has published two of them.
    std::vector<storage::StreamEvent> events;
    for (int i = 0; i < 5; ++i)
        events.push_back(hub.event("s"));
    hub.page(client.id, {events.begin(), events.begin() + 4}, true);
    hub.streams.publish({events[2], events[3]});
    hub.streams.publish({events[4]});
    REQUIRE(run_until(hub.io, [&] { return count_of(client.far.read(), "id: 5\n") == 1; }));
    for (const char* id : {"id: 1\n", "id: 2\n", "id: 3\n", "id: 4\n"})
        CHECK(count_of(client.far.received(), id) == 1);
}

TEST_CASE("streams: an event of many clients is stored once", "[server]") {
    Hub hub;
    std::vector<Connections::Client> clients;
    for (int i = 0; i < 50; ++i)
        clients.push_back(hub.follow("/v1/stream", 16'384, 16'384));
    hub.streams.publish({hub.event("s", 2'000'000)});
    CHECK(hub.streams.held() < 2'100'000);
    CHECK(hub.connections.held < 100'000);
    clients.clear();
    REQUIRE(run_until(hub.io, [&] { return hub.connections.size() == 0; }));
    CHECK(hub.streams.held() == 0);
}

TEST_CASE("streams: the memory of many sessions with slow clients is bounded", "[server]") {
    Hub hub;
    std::vector<Connections::Client> clients;
    for (int i = 0; i < 12; ++i)
        clients.push_back(
            hub.follow("/v1/sessions/s" + std::to_string(i) + "/stream", 16'384, 16'384));
    for (int round = 0; round < 12; ++round) {
        for (int i = 0; i < 12; ++i)
            hub.streams.publish({hub.event("s" + std::to_string(i), 1'000'000)});
    }
    // The rings, and what is partly written to each.
    CHECK(hub.streams.held() < Streams::kRingsBytesMax + 13 * 1'001'000);
}

TEST_CASE("streams: many clients of one session's progress query its view once", "[server]") {
    Hub hub;
    std::vector<Connections::Client> clients;
    for (int i = 0; i < 40; ++i)
        clients.push_back(hub.follow("/progress/s/stream"));
    const core::SessionView found = view("s", 3);
    hub.views.resolve("s", &found);
    for (Connections::Client& client : clients) {
        REQUIRE(
            run_until(hub.io, [&] { return count_of(client.far.read(), "event: progress") > 0; }));
        CHECK(count_of(client.far.received(), "event: progress") == 1);
    }
}

TEST_CASE("streams: a follower that half closes is gone", "[server]") {
    Hub hub;
    auto client = hub.follow("/v1/stream");
    client.far.half_close();
    REQUIRE(run_until(hub.io, [&] { return hub.streams.size() == 0; }));
    hub.publish("s");
}

TEST_CASE("streams: clients that get a goodbye may be gone already", "[server]") {
    Hub hub;
    auto gone = hub.follow("/v1/sessions/s/stream");
    auto here = hub.follow("/v1/sessions/s/stream");
    gone.far.reset();
    SECTION("when the daemon goes down") {
        hub.streams.drain();
    }
    SECTION("when their token ends") {
        hub.streams.cut([](const std::string&) { return false; });
        hub.streams.drain();
    }
    SECTION("with a keep-alive comment") {
        hub.streams.keep_alive(Clock::steady() + std::chrono::minutes{1});
        hub.streams.drain();
    }
    REQUIRE(run_until(hub.io, [&] { return hub.connections.size() == 0; }));
    CHECK(count_of(here.far.read(), "event: goodbye") == 1);
}

TEST_CASE("streams: a queue that is full ends the stream, which resumes by its last id",
          "[server]") {
    Hub hub;
    auto client = hub.connections.connect();
    client.far.send("GET /v1/stream HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(client.id) == 1; }));
    hub.queue_full = true;
    hub.page(client.id, {hub.event("s")}, false);
    REQUIRE(run_until(hub.io, [&] {
        client.far.read();
        return client.far.ended();
    }));
    CHECK(count_of(client.far.received(), "id: 1\n") == 1);
    CHECK(run_until(hub.io, [&] { return hub.streams.size() == 0; }));
}

TEST_CASE("streams: a page without events moves the position, and what is gone is said once",
          "[server]") {
    Hub hub;
    auto client = hub.connections.connect();
    client.far.send("GET /v1/stream HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(client.id) == 1; }));
    hub.page(client.id, {hub.event("s")}, false);
    for (const std::int64_t through : {40, 80, 120}) {
        REQUIRE(run_until(hub.io, [&] {
            client.far.read();
            return hub.asked.count(client.id) == 1;
        }));
        StreamReply reply;
        reply.from = hub.asked.at(client.id).after.value();
        CHECK(reply.from == (through == 40 ? 1 : through - 40));
        reply.through = through;
        reply.oldest = 200;
        reply.reset = "events after the position were deleted";
        hub.asked.erase(client.id);
        hub.streams.on_page(client.id, std::move(reply));
    }
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(client.id) == 1; }));
    CHECK(hub.asked.at(client.id).after == 120);
    hub.page(client.id, {}, true);
    hub.cursor = 200;
    hub.publish("s");
    REQUIRE(run_until(hub.io, [&] { return count_of(client.far.read(), "id: 201\n") == 1; }));
    CHECK(count_of(client.far.received(), "event: reset") == 1);
    // From where it was: all else is there.
    CHECK(count_of(client.far.received(), "\"oldest\":200,\"from\":1}") == 1);
}

TEST_CASE("streams: those of a deleted session end, and no others", "[server]") {
    Hub hub;
    hub.views.update(view("s", 1));
    auto events = hub.follow("/v1/sessions/s/stream");
    auto progress = hub.follow("/progress/s/stream");
    auto other = hub.follow("/v1/sessions/t/stream");
    auto all = hub.follow("/v1/stream");
    auto behind = hub.connections.connect();
    behind.far.send("GET /v1/sessions/s/stream HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(behind.id) == 1; }));
    hub.page(behind.id, {hub.event("s")}, false);
    REQUIRE(run_until(hub.io, [&] {
        behind.far.read();
        return hub.asked.count(behind.id) == 1;
    }));
    auto asks = hub.connections.connect();
    asks.far.send("GET /v1/sessions/s/stream HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
    REQUIRE(run_until(hub.io, [&] { return hub.asked.count(asks.id) == 1; }));

    hub.views.forget("s");
    hub.streams.session_deleted("s");
    hub.numbers["s"] = 0;  // opened again
    hub.publish("s");
    hub.page(behind.id, {hub.event("s")}, true);
    hub.publish("t");
    for (Connections::Client* gone : {&events, &progress, &behind}) {
        REQUIRE(run_until(hub.io, [&] {
            gone->far.read();
            return gone->far.ended();
        }));
        CHECK(count_of(gone->far.received(), "event: goodbye") == 1);
        CHECK(gone->far.received().ends_with("{\"reason\":\"the session was deleted\"}\n\n"));
    }
    REQUIRE(run_until(hub.io, [&] {
        return count_of(other.far.read(), "event: message") == 1 &&
               count_of(all.far.read(), "event: message") == 2;
    }));
    REQUIRE(run_until(hub.io, [&] { return hub.streams.size() == 3; }));
    hub.page(asks.id, {}, true);  // of the session that has its id now
    hub.publish("s");
    REQUIRE(run_until(hub.io, [&] { return count_of(asks.far.read(), "event: message") == 1; }));
}

TEST_CASE("streams: a client that half closes before its stream begins gets what is there",
          "[server]") {
    for (const char* path : {"/v1/sessions/s/stream", "/v1/stream"}) {
        Hub hub;
        auto client = hub.connections.connect(0, 0);
        client.far.send("GET " + std::string{path} + " HTTP/1.1\r\nHost: localhost:7717\r\n\r\n");
        client.far.half_close();
        REQUIRE(run_until(hub.io, [&] { return hub.asked.count(client.id) == 1; }));
        run_ready(hub.io);
        hub.page(client.id, {hub.event("s"), hub.event("s")}, true);
        REQUIRE(run_until(hub.io, [&] {
            client.far.read();
            return client.far.ended();
        }));
        CHECK(client.far.received().starts_with("HTTP/1.1 200"));
        CHECK(client.far.received().find("event: hello") != std::string::npos);
        CHECK(client.far.received().find("id: 2\n") != std::string::npos);
        CHECK_FALSE(client.far.was_reset());
    }
}
