// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event.hpp"

// The state of the daemon itself, and pages of a journal, as JSON text. Functions change only
// arguments.

namespace headway::api {

struct SystemJudge {
    std::string name;
    std::string model;
    std::string role;
    std::string_view breaker;
    std::uint64_t in_flight = 0;
    std::uint64_t waiting = 0;
};

/// One of the daemons that share the store.
struct SystemDaemon {
    std::string id;
    std::string name;
    std::string version;
    core::Timestamp started_at = core::kNever;
    core::Timestamp seen_at = core::kNever;
};

struct SystemReport {
    std::string version;  ///< JSON, as in /v1/version
    core::Timestamp started_at = core::kNever;
    core::Timestamp now = core::kNever;
    std::uint64_t rss_bytes = 0;
    std::string mode;  ///< the access mode
    std::string url;   ///< where it listens
    std::string database;
    std::uint64_t database_bytes = 0;
    std::uint64_t wal_bytes = 0;
    std::uint64_t disk_free_bytes = 0;
    std::int64_t head = 0;  ///< cursor of the last event
    std::uint64_t commits = 0;
    double commit_p50_ms = 0;  ///< median of the newest limits::kCommitTimesMax commits
    double commit_p99_ms = 0;
    std::uint64_t queue = 0;
    std::uint64_t queue_max = 0;
    std::uint64_t sessions_open = 0;
    std::uint64_t sessions_in_memory = 0;
    std::uint64_t streams = 0;
    std::uint64_t streams_max = 0;
    std::uint64_t waiters = 0;
    std::uint64_t connections = 0;
    std::uint64_t connections_max = 0;
    core::Millis retention{0};
    std::vector<SystemJudge> judges;
    /// All daemons that share the store; empty if this daemon has its own database.
    std::vector<SystemDaemon> daemons;
};
void append_system(std::string& out, const SystemReport& report);

/// The fields of a page of a journal, except its events.
struct JournalPage {
    std::uint64_t head = 0;  ///< number of the session's last event
    bool more = false;       ///< further events follow in reading order
    std::uint64_t next = 0;  ///< `after` of the next page, or its `before` if the newest events
                             ///< come first
};
/// `{"events":[...],"head":n,"more":bool,"next":n|null}`: the parts before and after the events.
/// The caller writes the events between these parts with append_event(), separated by commas. It
/// does so in steps, because a page may take a long time.
inline constexpr std::string_view kJournalBegin = "{\"events\":[";
void append_journal_end(std::string& out, const JournalPage& page);

}  // namespace headway::api
