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

TEST_CASE(
    "postgres: a server that takes no more writes is left, and the next connection looks for one "
    "that does",
    "[postgres]") {
    if (!PostgresHere::found()) return;
    const PostgresHere here;
    here.run("CREATE TABLE t(i bigint)");
    PostgresConnection connection{{here.url()}};
    require_ok(connection.connect());
    require_ok(connection.send("SET default_transaction_read_only=on"));
    require_ok(connection.finish());
    SECTION("outside of a transaction") {
        CHECK_FALSE(connection.ask("INSERT INTO t VALUES(1) RETURNING i"));
    }
    SECTION("within one, which fails to its end") {
        require_ok(connection.begin());
        require_ok(connection.ask("SELECT i FROM t"));
        CHECK_FALSE(connection.ask("INSERT INTO t VALUES(1) RETURNING i"));
        CHECK(connection.lost_transaction());
        CHECK_FALSE(connection.ask("SELECT i FROM t"));
        CHECK_FALSE(connection.connect());
        connection.rollback();
    }
    SECTION("at the commit") {
        require_ok(connection.begin());
        require_ok(connection.send("INSERT INTO t VALUES(1)"));
        require_ok(connection.commit());
        CHECK_THAT(connection.finish().error().detail, Catch::Contains("25006"));
        connection.rollback();
    }
    CHECK_FALSE(connection.outcome_unknown());
    CHECK_FALSE(connection.connected());
    CHECK(connection.breaks() == 1);
    require_ok(connection.connect());
    require_ok(connection.ask("INSERT INTO t VALUES(2) RETURNING i"));
    CHECK(here.number("SELECT sum(i)::bigint FROM t") == 2);
}
