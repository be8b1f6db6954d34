// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "storage/postgres/postgres_store.hpp"
#include "tests/support/names.hpp"

namespace headway::tests {

/// A database of its own for one test: a schema on the server that HEADWAY_TEST_POSTGRES names
/// (tests/support/postgres_server.py), dropped at the end.
class PostgresHere {
public:
    /// False: there is no server, and the test says so and ends.
    static bool found() {
        const char* url = std::getenv("HEADWAY_TEST_POSTGRES");
        const std::string server = url == nullptr ? "" : url;
        // postgres_server.py makes no folder where it cannot start one.
        const std::size_t host = server.find("host=/");
        const std::string folder = host == std::string::npos
                                       ? ""
                                       : server.substr(host + 5, server.find('&', host) - host - 5);
        if (!server.empty() && (folder.empty() || ::access(folder.c_str(), F_OK) == 0)) return true;
        std::puts("skipped: no PostgreSQL here (HEADWAY_TEST_POSTGRES names no server)");
        return false;
    }

    PostgresHere() {
        static std::atomic<int> count{0};
        schema_ = "t" + std::to_string(::getpid()) + "_" + std::to_string(++count);
        execute("CREATE SCHEMA " + schema_);
    }
    PostgresHere(const PostgresHere&) = delete;
    PostgresHere& operator=(const PostgresHere&) = delete;
    ~PostgresHere() { execute("DROP SCHEMA " + schema_ + " CASCADE"); }

    std::string url() const {
        const std::string server = std::getenv("HEADWAY_TEST_POSTGRES");
        return server + (server.find('?') == std::string::npos ? "?" : "&") +
               "options=-csearch_path%3D" + schema_;
    }

    /// One of several daemons on this database.
    std::unique_ptr<storage::PostgresStore> daemon(
        const std::string& id = "one", std::function<core::Timestamp()> now = {}) const {
        storage::PostgresStore::Settings settings;
        settings.connection.url = url();
        settings.id = id;
        settings.name = id;
        settings.version = "test";
        settings.now = std::move(now);
        auto store = storage::PostgresStore::open(std::move(settings));
        require_ok(store);
        return *std::move(store);
    }

    /// A number that a statement gives.
    std::int64_t number(const std::string& sql) const {
        storage::PostgresConnection connection{{url()}};
        require_ok(connection.connect());
        auto rows = connection.ask(sql);
        require_ok(rows);
        return rows->integer(0, 0);
    }

    /// A statement of another client.
    void run(const std::string& sql) const {
        storage::PostgresConnection connection{{url()}};
        require_ok(connection.connect());
        require_ok(connection.send(sql));
        require_ok(connection.finish());
    }

private:
    void execute(const std::string& sql) const {
        storage::PostgresConnection connection{{std::getenv("HEADWAY_TEST_POSTGRES")}};
        if (!connection.connect() || !connection.ask(sql)) std::puts(sql.c_str());
    }

    std::string schema_;
};

}  // namespace headway::tests
