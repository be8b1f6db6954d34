// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/local_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <vector>

#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::server;
using namespace headway::tests;
using headway::core::ErrorCode;

namespace {

struct SocketListener {
    net::io_context io{1};
    LocalAcceptor acceptor{io};
    LocalSocketFile file;
};

unsigned mode_of(const std::filesystem::path& file) {
    struct stat about {};
    REQUIRE(::stat(file.c_str(), &about) == 0);
    return about.st_mode & 0777U;
}

}  // namespace

TEST_CASE("local socket: only its owner may connect, and the file is removed at the end",
          "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    {
        SocketListener listener;
        require_ok(listener.file.open(listener.acceptor, path));
        CHECK(mode_of(path) == 0600);
        CHECK(listener.file.path() == path);
        LocalSocket client{listener.io};
        client.connect({path.string()});
        LocalSocket accepted = listener.acceptor.accept();
        CHECK(user_of(accepted) == ::geteuid());
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("local socket: with a group its members may connect too", "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    const LocalSocketRule rule{"server.report_socket", std::to_string(::getegid()),
                               "server.report_group"};
    SocketListener listener;
    require_ok(listener.file.open(listener.acceptor, path, rule));
    CHECK(mode_of(path) == 0660);
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK(about.st_gid == ::getegid());
}

TEST_CASE("local socket: a group that does not exist is named with its setting, and nothing stays",
          "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    const LocalSocketRule rule{"server.report_socket", "no-such-group", "server.report_group"};
    SocketListener listener;
    const auto done = listener.file.open(listener.acceptor, path, rule);
    CHECK(code_of(done) == ErrorCode::kInvalidConfig);
    CHECK_THAT(done.error().detail, Catch::Contains("no group \"no-such-group\""));
    CHECK(done.error().field == "server.report_group");
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("local socket: what a killed daemon left behind is replaced", "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    {
        net::io_context io{1};
        LocalAcceptor dead{io, {path.string()}};
    }
    REQUIRE(std::filesystem::exists(path));
    SocketListener listener;
    require_ok(listener.file.open(listener.acceptor, path));
}

TEST_CASE("local socket: the socket of a running daemon is kept", "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    SocketListener living;
    require_ok(living.file.open(living.acceptor, path));
    {
        SocketListener second;
        const auto done = second.file.open(second.acceptor, path);
        CHECK(code_of(done) == ErrorCode::kInvalidConfig);
        CHECK_THAT(done.error().detail, Catch::Contains("another daemon listens there"));
    }
    CHECK(std::filesystem::exists(path));
}

TEST_CASE(
    "local socket: a daemon that hangs with a full backlog is a running one, and holds no start up",
    "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    net::io_context io{1};
    LocalAcceptor hung{io};
    hung.open();
    hung.bind({path.string()});
    hung.listen(0);
    std::vector<LocalSocket> waiting;
    for (error_code ec; !ec;) {
        LocalSocket& client = waiting.emplace_back(io);
        client.open({});
        client.native_non_blocking(true);
        const net::local::stream_protocol::endpoint where{path.string()};
        if (::connect(client.native_handle(), where.data(), static_cast<socklen_t>(where.size())) !=
            0)
            ec = {errno, boost::system::system_category()};
        REQUIRE(waiting.size() < 100);
    }
    ::alarm(30);  // a start that hangs is a failure
    SocketListener second;
    const auto done = second.file.open(second.acceptor, path);
    ::alarm(0);
    CHECK(code_of(done) == ErrorCode::kInvalidConfig);
    CHECK_THAT(done.error().detail, Catch::Contains("another daemon listens there"));
    CHECK(std::filesystem::exists(path));
}

TEST_CASE("local socket: a file of another kind is not touched", "[server]") {
    const TempDir dir;
    const auto path = dir.file("notes.txt");
    std::ofstream{path} << "mine";
    SocketListener listener;
    CHECK_THAT(listener.file.open(listener.acceptor, path).error().detail,
               Catch::Contains("a file of another kind"));
    CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("local socket: a path that the kernel does not take is named", "[server]") {
    const TempDir dir;
    SocketListener listener;
    const auto long_one = listener.file.open(listener.acceptor, dir.file(std::string(120, 'x')));
    CHECK_THAT(long_one.error().detail,
               Catch::Contains("the kernel takes 107") && Catch::Contains("server.socket"));
    const auto nowhere = listener.file.open(listener.acceptor, dir.file("none") / "a.sock");
    CHECK(code_of(nowhere) == ErrorCode::kInvalidConfig);
}

TEST_CASE("local socket: a file that replaced it is not removed", "[server]") {
    const TempDir dir;
    const auto path = dir.file("a.sock");
    {
        SocketListener listener;
        require_ok(listener.file.open(listener.acceptor, path));
        std::filesystem::remove(path);
        std::ofstream{path} << "another's";
    }
    CHECK(std::filesystem::exists(path));
}
