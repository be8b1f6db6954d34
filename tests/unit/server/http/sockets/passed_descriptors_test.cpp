// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/passed_descriptors.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/limits.hpp"
#include "tests/support/connections.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace limits = headway::core::limits;

namespace {

int own_pidfd() {
    const long descriptor = ::syscall(SYS_pidfd_open, ::getpid(), 0);
    REQUIRE(descriptor >= 0);
    return static_cast<int>(descriptor);
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// A pair of Unix sockets: what is sent at `far` comes at `near`.
struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        near = headway::system::FileDescriptor{ends[0]};
        far = headway::system::FileDescriptor{ends[1]};
    }
    void send(std::string_view bytes, const std::vector<int>& descriptors) const {
        iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
        std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        if (!descriptors.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = control.size();
            cmsghdr* const header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
            std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
        }
        REQUIRE(::sendmsg(far.get(), &message, 0) == static_cast<ssize_t>(bytes.size()));
    }
    headway::system::FileDescriptor near;
    headway::system::FileDescriptor far;
};

struct DescriptorScheduler {
    PassedDescriptors all;
    std::array<char, 256> space{};

    std::string receive(const Pair& pair, PassedDescriptors::Place& place) {
        error_code ec;
        const std::size_t count = all.receive(pair.near.get(), space, place, ec);
        return ec ? ec.message() : std::string{space.data(), count};
    }
};

}  // namespace

TEST_CASE("passed descriptors: a pidfd comes with its bytes and is the taker's", "[server]") {
    DescriptorScheduler scheduler;
    Pair pair;
    PassedDescriptors::Place place{scheduler.all};
    const headway::system::FileDescriptor mine{own_pidfd()};
    pair.send("hello", {mine.get()});
    CHECK(scheduler.receive(pair, place) == "hello");
    CHECK(scheduler.all.waiting() == 1);
    {
        const headway::system::FileDescriptor taken = place.take();
        REQUIRE(taken.open());
        CHECK(taken.get() != mine.get());
        CHECK((::fcntl(taken.get(), F_GETFD) & FD_CLOEXEC) != 0);
    }
    CHECK(scheduler.all.waiting() == 0);
    CHECK_FALSE(place.take().open());
    pair.send("more", {});
    CHECK(scheduler.receive(pair, place) == "more");
    CHECK_FALSE(place.open());
}

TEST_CASE("passed descriptors: nothing yet, an end and an error are told apart", "[server]") {
    DescriptorScheduler scheduler;
    Pair pair;
    PassedDescriptors::Place place{scheduler.all};
    error_code ec;
    CHECK(scheduler.all.receive(pair.near.get(), scheduler.space, place, ec) == 0);
    CHECK(ec == net::error::try_again);
    pair.far = headway::system::FileDescriptor{};
    ec = {};
    CHECK(scheduler.all.receive(pair.near.get(), scheduler.space, place, ec) == 0);
    CHECK(ec == net::error::eof);
}

TEST_CASE("passed descriptors: a flood leaves one, the last", "[server]") {
    DescriptorScheduler scheduler;
    Pair pair;
    PassedDescriptors::Place place{scheduler.all};
    const headway::system::FileDescriptor mine{own_pidfd()};
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 300; ++i) {
        pair.send("x", std::vector<int>(200, mine.get()));
        CHECK(scheduler.receive(pair, place) == "x");
        REQUIRE(scheduler.all.waiting() == 1);
        REQUIRE(open_descriptors() == before + 1);
    }
    place.take();
    CHECK(open_descriptors() == before);
}

TEST_CASE("passed descriptors: there is a bound over all connections", "[server]") {
    DescriptorScheduler scheduler;
    scheduler.all.allow(2);
    std::vector<Pair> pairs(5);
    std::vector<std::unique_ptr<PassedDescriptors::Place>> places;
    const headway::system::FileDescriptor mine{own_pidfd()};
    for (const Pair& pair : pairs) {
        places.push_back(std::make_unique<PassedDescriptors::Place>(scheduler.all));
        pair.send("x", {mine.get(), mine.get()});
        CHECK(scheduler.receive(pair, *places.back()) == "x");
    }
    CHECK(scheduler.all.waiting() == 2);
    CHECK_FALSE(places[2]->open());
    places[0].reset();
    pairs[4].send("y", {mine.get()});
    CHECK(scheduler.receive(pairs[4], *places[4]) == "y");
    CHECK(places[4]->open());
    CHECK(scheduler.all.waiting() == 2);
}

TEST_CASE("passed descriptors: what is no process is closed", "[server]") {
    DescriptorScheduler scheduler;
    Pair pair;
    PassedDescriptors::Place place{scheduler.all};
    for (int i = 0; i < 20; ++i) {
        std::array<int, 2> pipe{};
        REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
        const headway::system::FileDescriptor reading{pipe[0]};
        headway::system::FileDescriptor writing{pipe[1]};
        pair.send("x", {writing.get()});
        writing = headway::system::FileDescriptor{};
        CHECK(scheduler.receive(pair, place) == "x");
        CHECK_FALSE(place.open());
        pollfd ends{reading.get(), POLLIN, 0};
        REQUIRE(::poll(&ends, 1, 20'000) == 1);
        CHECK((ends.revents & POLLHUP) != 0);
    }
    CHECK(scheduler.all.waiting() == 0);
}

TEST_CASE("connection: the handler of a report takes the pidfd of its agent", "[server]") {
    net::io_context io{1};
    Connections connections{io};
    std::vector<bool> seen;
    connections.answer = [&](HttpConnection& from, std::uint64_t slot, const HttpRequest&) {
        seen.push_back(from.take_agent_process().open());
        from.respond(slot, Response{});
    };
    const std::string request = "GET /livez HTTP/1.1\r\nHost: localhost:7717\r\n\r\n";
    const headway::system::FileDescriptor mine{own_pidfd()};
    for (const bool reports : {true, false}) {
        Pair pair;
        Socket near{io, net::generic::stream_protocol{AF_UNIX, 0}, pair.near.release()};
        Peer peer;
        peer.reports = reports;
        peer.local = !reports;
        connections.adopt(std::move(near), peer);
        seen.clear();
        pair.send(request, {mine.get()});
        REQUIRE(run_until(io, [&] { return seen.size() == 1; }));
        pair.send(request.substr(0, 10), {mine.get()});
        run_ready(io);
        pair.send(request.substr(10), {});
        REQUIRE(run_until(io, [&] { return seen.size() == 2; }));
        pair.send(request, {});
        REQUIRE(run_until(io, [&] { return seen.size() == 3; }));
        CHECK(seen == std::vector<bool>{reports, reports, false});
    }
}

TEST_CASE("connection: a long body with a descriptor comes whole", "[server]") {
    net::io_context io{1};
    Connections connections{io};
    Pair pair;
    Socket near{io, net::generic::stream_protocol{AF_UNIX, 0}, pair.near.release()};
    Peer peer;
    peer.reports = true;
    connections.adopt(std::move(near), peer);
    const std::string body(200'000, 'x');
    const std::string head =
        "POST /v1/sessions/s/events HTTP/1.1\r\nHost: localhost:7717\r\n"
        "Content-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n";
    const headway::system::FileDescriptor mine{own_pidfd()};
    pair.send(head, {mine.get()});
    for (std::size_t at = 0; at < body.size(); at += 10'000) {
        pair.send(std::string_view{body}.substr(at, 10'000), {mine.get()});
        run_ready(io);
    }
    REQUIRE(run_until(io, [&] { return connections.bodies.size() == 1; }));
    CHECK(connections.bodies.front() == body);
}
