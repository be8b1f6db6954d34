// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/connection.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/listener.hpp"
#include "tests/support/names.hpp"
#include "tests/support/postgres_here.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

/// The folder of the test server's socket.
std::string folder() {
    const std::string url = std::getenv("HEADWAY_TEST_POSTGRES");
    const std::size_t begin = url.find("host=") + 5;
    return url.substr(begin, url.find('&', begin) - begin);
}

}  // namespace

TEST_CASE("postgres: a host that does not answer is left for the next one", "[postgres]") {
    if (!PostgresHere::found()) return;
    Listener silent;  // accepts, and says nothing
    const std::string port = std::to_string(silent.port());
    PostgresConnection::Settings settings;
    settings.connect_timeout = Millis{200};
    settings.url = "postgresql:///postgres?host=127.0.0.1," + folder() + "&port=" + port +
                   ",5432&user=headway";
    PostgresConnection connection{settings};
    require_ok(connection.connect());
    CHECK(connection.ask("SELECT 1::bigint").value().integer(0, 0) == 1);

    // The next time it begins where it was.
    const auto began = std::chrono::steady_clock::now();
    require_ok(connection.connect());
    CHECK(std::chrono::steady_clock::now() - began < settings.connect_timeout);

    settings.url = "postgresql:///postgres?host=127.0.0.1,127.0.0.1&port=" + port + "," + port +
                   "&user=headway";
    PostgresConnection nowhere{settings};
    CHECK(nowhere.connect().error().code == ErrorCode::kStorageUnavailable);
}
