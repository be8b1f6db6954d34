// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/schema.hpp"

#include <string>

namespace headway::storage {
namespace {

// storage/FORMAT.md describes the tables.
constexpr const char* kSchema = R"sql(
CREATE TABLE session(
    key INTEGER PRIMARY KEY,
    name TEXT UNIQUE,
    opened_at INTEGER NOT NULL,
    n INTEGER NOT NULL DEFAULT 0,
    tail INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER,
    state BLOB,
    crc INTEGER
) STRICT;
CREATE INDEX session_open ON session(key) WHERE ended_at IS NULL;
CREATE INDEX session_ended ON session(ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE journal(
    cursor INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    prev INTEGER NOT NULL,
    events BLOB NOT NULL,
    crc INTEGER
) STRICT;
CREATE TABLE mark(
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    cursor INTEGER NOT NULL,
    PRIMARY KEY(session, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE event_id(
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY(session, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency(
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE used(
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    outcome INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_micros INTEGER NOT NULL
) STRICT;
CREATE INDEX used_agent ON used(agent);
CREATE TABLE token(
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE approval(
    cursor INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    identity INTEGER NOT NULL,
    decided INTEGER NOT NULL,
    state BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX approval_session ON approval(session, n);
CREATE INDEX approval_pending ON approval(cursor) WHERE pending>0;
CREATE INDEX approval_risky ON approval(cursor) WHERE pending>1;
CREATE INDEX approval_identical ON approval(identity) WHERE pending>0;
CREATE TABLE judge_check(
    id TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    done INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX judge_check_session ON judge_check(session);
CREATE INDEX judge_check_pending ON judge_check(asked) WHERE done=0;
CREATE TABLE estimate(
    session INTEGER NOT NULL,
    n INTEGER NOT NULL,
    percent_milli INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    source TEXT NOT NULL,
    model TEXT NOT NULL,
    PRIMARY KEY(session, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE estimate_score(
    model TEXT NOT NULL,
    source TEXT NOT NULL,
    decile INTEGER NOT NULL,
    count INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    abs_error_milli INTEGER NOT NULL,
    signed_error_milli INTEGER NOT NULL,
    PRIMARY KEY(source, model, decile)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_index(
    session INTEGER PRIMARY KEY,
    open INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    attention_at INTEGER,
    over_budget_at INTEGER,
    agent TEXT NOT NULL,
    parent TEXT NOT NULL,
    labels TEXT NOT NULL,
    text TEXT NOT NULL,
    alarm INTEGER,
    alarm_at INTEGER,
    recorded INTEGER NOT NULL
) STRICT;
CREATE INDEX session_index_verdict ON session_index(open, verdict);
CREATE INDEX session_index_recorded ON session_index(recorded, session);
CREATE INDEX session_index_parent ON session_index(parent) WHERE parent<>'';
CREATE INDEX session_index_attention ON session_index(attention_at) WHERE attention_at IS NOT NULL;
CREATE INDEX session_index_budget ON session_index(over_budget_at) WHERE over_budget_at IS NOT NULL;
CREATE TABLE webhook_message(
    id INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL,
    message TEXT NOT NULL,
    type TEXT NOT NULL,
    session TEXT NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    tried_at INTEGER NOT NULL,
    dead_at INTEGER NOT NULL,
    away INTEGER NOT NULL,
    reason TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_message_pending ON webhook_message(endpoint, id) WHERE dead_at=0;
CREATE INDEX webhook_message_due ON webhook_message(endpoint, due_at) WHERE dead_at=0;
CREATE INDEX webhook_message_dead ON webhook_message(endpoint, id) WHERE dead_at>0;
CREATE TABLE webhook_endpoint(
    name TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    disabled_at INTEGER NOT NULL,
    removed_at INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    died INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    succeeded_at INTEGER NOT NULL,
    failed_at INTEGER NOT NULL,
    failure TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_index_alarm ON session_index(alarm) WHERE alarm IS NOT NULL;
CREATE TABLE inbox(
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    event BLOB NOT NULL
) STRICT;
CREATE INDEX inbox_session ON inbox(session);
CREATE TABLE expectation(
    agent TEXT NOT NULL,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    sketches BLOB NOT NULL,
    PRIMARY KEY(agent, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX expectation_agent ON expectation(updated_at) WHERE kind=0;
)sql";

static_assert(kSchemaVersion > 0 && kApplicationId <= INT32_MAX, "the header has 32 bits for each");

core::Result<> create_tables(Database& database) {
    const std::string sql = "BEGIN IMMEDIATE;" + std::string{kSchema} +
                            "PRAGMA application_id=" + std::to_string(kApplicationId) +
                            ";PRAGMA user_version=" + std::to_string(kSchemaVersion) + ";COMMIT;";
    auto done = database.execute(sql.c_str());
    if (!done && database.in_transaction()) {
        (void)database.execute("ROLLBACK");
    }
    return done;
}

}  // namespace

core::Result<> check_no_programs(Database& database) {
    HEADWAY_TRY(const std::int64_t programs,
                database.query_integer("SELECT count(*) FROM sqlite_master "
                                       "WHERE type IN ('trigger','view')"));
    if (programs == 0) return {};
    return core::Error{core::ErrorCode::kStorageCorrupt,
                       "the database has triggers or views, which Headway never creates: another "
                       "program changed it",
                       {}};
}

core::Result<> prepare_schema(Database& database) {
    HEADWAY_TRY(const std::int64_t application, database.query_integer("PRAGMA application_id"));
    HEADWAY_TRY(const std::int64_t version, database.query_integer("PRAGMA user_version"));
    HEADWAY_TRY(const std::int64_t tables,
                database.query_integer("SELECT count(*) FROM sqlite_master"));
    if (application != kApplicationId && (application != 0 || tables > 0)) {
        return core::Error{core::ErrorCode::kStorageCorrupt,
                           "this file is a database of another program; choose another state "
                           "directory",
                           "storage.state_dir"};
    }
    if (version > kSchemaVersion) {
        return core::Error{core::ErrorCode::kStorageTooNew,
                           "the database has schema " + std::to_string(version) +
                               ", written by another Headway; this one knows up to " +
                               std::to_string(kSchemaVersion) + ". Nothing was changed",
                           {}};
    }
    if (version < 0 || (version == 0 && tables > 0)) {
        return core::Error{
            core::ErrorCode::kStorageCorrupt,
            "the header of the database is damaged: its schema is " + std::to_string(version),
            {}};
    }
    if (version > 0 && version < kSchemaVersion) {
        return core::Error{core::ErrorCode::kStorageTooNew,
                           "the database has schema " + std::to_string(version) +
                               ", written by a development build before 0.1.0, which this one "
                               "cannot read. Nothing was changed; choose another state directory",
                           "storage.state_dir"};
    }
    return version == kSchemaVersion ? check_no_programs(database) : create_tables(database);
}

}  // namespace headway::storage
