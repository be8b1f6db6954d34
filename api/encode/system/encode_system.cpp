// SPDX-License-Identifier: Apache-2.0
#include "api/encode/system/encode_system.hpp"

#include "api/encode/encode.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api {
namespace {

/// `"name":{"first":a,"second":b}`, of which the dashboard makes a gauge.
void write_pair(JsonWriter& json, std::string_view name, std::string_view first, std::uint64_t a,
                std::string_view second, std::uint64_t b) {
    json.key(name);
    json.open_object();
    json.member(first, a);
    json.member(second, b);
    json.close_object();
}

void write_database(JsonWriter& json, const SystemReport& report) {
    json.key("database");
    json.open_object();
    json.member("path", report.database);
    json.member("bytes", report.database_bytes);
    json.member("wal_bytes", report.wal_bytes);
    json.member("disk_free_bytes", report.disk_free_bytes);
    json.member("head", report.head);
    json.close_object();
    json.key("commits");
    json.open_object();
    json.member("count", report.commits);
    json.member("p50_ms", report.commit_p50_ms);
    json.member("p99_ms", report.commit_p99_ms);
    json.close_object();
}

void write_judges(JsonWriter& json, const SystemReport& report) {
    json.key("judge");
    json.open_object();
    json.key("endpoints");
    json.open_array();
    for (const SystemJudge& judge : report.judges) {
        json.open_object();
        json.member("name", judge.name);
        json.member("model", judge.model);
        json.member("role", judge.role);
        json.member("breaker", judge.breaker);
        json.member("in_flight", judge.in_flight);
        json.member("waiting", judge.waiting);
        json.close_object();
    }
    json.close_array();
    json.close_object();
}

void write_daemons(JsonWriter& json, const SystemReport& report) {
    json.key("daemons");
    json.open_array();
    for (const SystemDaemon& daemon : report.daemons) {
        json.open_object();
        json.member("id", daemon.id);
        json.member("name", daemon.name);
        json.member("version", daemon.version);
        json.member("started_at", daemon.started_at);
        json.member("seen_at", daemon.seen_at);
        json.close_object();
    }
    json.close_array();
}

}  // namespace

void append_system(std::string& out, const SystemReport& report) {
    JsonWriter json{out};
    json.open_object();
    json.key("version");
    json.raw(report.version);
    json.member("started_at", report.started_at);
    json.member("now", report.now);
    json.member("rss_bytes", report.rss_bytes);
    json.member("mode", report.mode);
    json.member("url", report.url);
    write_database(json, report);
    write_pair(json, "queue", "waiting", report.queue, "max", report.queue_max);
    write_pair(json, "sessions", "open", report.sessions_open, "in_memory",
               report.sessions_in_memory);
    write_pair(json, "streams", "clients", report.streams, "max", report.streams_max);
    json.key("waiters");
    json.open_object();
    json.member("count", report.waiters);
    json.close_object();
    write_pair(json, "connections", "open", report.connections, "max", report.connections_max);
    json.member("retention_seconds", report.retention.count() / 1000);
    write_judges(json, report);
    write_daemons(json, report);
    json.close_object();
}

void append_journal_end(std::string& out, const JournalPage& page) {
    out += "],\"head\":" + std::to_string(page.head);
    out += page.more ? ",\"more\":true,\"next\":" + std::to_string(page.next) + "}"
                     : ",\"more\":false,\"next\":null}";
}

}  // namespace headway::api
