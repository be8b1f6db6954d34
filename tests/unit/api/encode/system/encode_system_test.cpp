// SPDX-License-Identifier: Apache-2.0
#include "api/encode/system/encode_system.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/make.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;
using Document = nlohmann::json;

TEST_CASE("system: every figure under its name", "[api]") {
    SystemReport report;
    report.version = R"({"version":"1"})";
    report.rss_bytes = 1;
    report.mode = "local";
    report.database = "/state/headway.db";
    report.url = "http://a:1";
    report.database_bytes = 2;
    report.wal_bytes = 3;
    report.disk_free_bytes = 4;
    report.head = 5;
    report.commits = 6;
    report.commit_p50_ms = 0.5;
    report.commit_p99_ms = 1.5;
    report.queue = 7;
    report.queue_max = 8;
    report.sessions_open = 9;
    report.sessions_in_memory = 10;
    report.streams = 11;
    report.streams_max = 12;
    report.waiters = 13;
    report.connections = 14;
    report.connections_max = 15;
    report.retention = Millis{16'000};
    report.judges = {{"a", "m", "primary", "half_open", 1, 2}};
    report.daemons = {{"d1", "host 1", "1", Timestamp{Millis{17'000}}, Timestamp{Millis{18'000}}}};
    std::string out;
    append_system(out, report);
    CHECK(Document::parse(out) == Document::parse(R"({"version":{"version":"1"},
        "started_at":null,"now":null,"rss_bytes":1,"mode":"local","url":"http://a:1",
        "database":{"path":"/state/headway.db","bytes":2,"wal_bytes":3,"disk_free_bytes":4,"head":5},
        "commits":{"count":6,"p50_ms":0.5,"p99_ms":1.5},"queue":{"waiting":7,"max":8},
        "sessions":{"open":9,"in_memory":10},"streams":{"clients":11,"max":12},
        "waiters":{"count":13},"connections":{"open":14,"max":15},"retention_seconds":16,
        "judge":{"endpoints":[{"name":"a","model":"m","role":"primary","breaker":"half_open",
        "in_flight":1,"waiting":2}]},"daemons":[{"id":"d1","name":"host 1","version":"1",
        "started_at":"1970-01-01T00:00:17.000Z","seen_at":"1970-01-01T00:00:18.000Z"}]})"));
}

TEST_CASE("journal page: it tells whether there is more, and where", "[api]") {
    JournalPage page;
    const auto shown = [&page] {
        std::string out{kJournalBegin};
        append_journal_end(out, page);
        return Document::parse(out);
    };
    page.head = 3;
    CHECK(shown() == Document::parse(R"({"events":[],"head":3,"more":false,"next":null})"));
    page.more = true;
    page.next = 2;
    CHECK(shown()["more"] == true);
    CHECK(shown()["next"] == 2);
}
