// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/postgres_import.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "storage/base/checksum.hpp"
#include "storage/codec/codec.hpp"
#include "storage/files/table_copy.hpp"
#include "storage/postgres/wire/times.hpp"

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Besides those that are copied.
constexpr std::string_view kOwnTables = "session,journal,stream,snapshot,event_id,daemon,gap";

/// Tables whose rows take the next number: behind the highest that was copied.
constexpr std::pair<const char*, const char*> kNumbered[] = {
    {"session", "key"}, {"used", "id"}, {"webhook_message", "id"}, {"inbox", "id"}};

Error refused(std::string why) {
    return {ErrorCode::kStorageUnavailable, std::move(why), {}};
}

}  // namespace

Error importing_error() {
    return refused(
        "the database has a part of a journal only: a `headway migrate` into it runs, or did not "
        "come to its end. Run it again: it starts from nothing");
}

/// Two imports at once would mix: the row of the mark is locked by each transaction.
Result<> PostgresImport::begin() {
    if (!sql_.connected()) HEADWAY_CHECK(sql_.connect());
    HEADWAY_CHECK(sql_.begin());
    if (number_ == 0) return {};
    PostgresParameters name;
    name.add_text(kImporting);
    HEADWAY_TRY(const PostgresRows mark,
                sql_.ask("SELECT value FROM meta WHERE name=$1 FOR UPDATE", name));
    if (mark.size() == 1 && mark.integer(0, 0) == number_) return {};
    return refused("another migration into this database has begun meanwhile");
}

Result<> PostgresImport::commit() {
    HEADWAY_CHECK(sql_.commit());
    auto done = sql_.finish();
    return done ? Result<>{} : Result<>{std::move(done).error()};
}

template <class Work>
Result<> PostgresImport::transact(Work work) {
    auto done = begin();
    if (done) done = work();
    if (done) done = commit();
    if (!done) sql_.rollback();
    return done;
}

Result<> PostgresImport::require_unused() {
    PostgresParameters name;
    name.add_text(kImporting);
    HEADWAY_TRY(
        const PostgresRows rows,
        sql_.ask_row("SELECT (EXISTS(SELECT 1 FROM session) OR EXISTS(SELECT 1 FROM token) OR "
                     "EXISTS(SELECT 1 FROM feed WHERE pos>0))::int::bigint,"
                     "(SELECT count(*) FROM daemon WHERE id<>'migrated' AND seen_at>"
                     "(extract(epoch FROM clock_timestamp())*1000)::bigint-10000),"
                     "EXISTS(SELECT 1 FROM meta WHERE name=$1)::int::bigint",
                     name));
    if (rows.integer(0, 1) > 0) {
        return refused(
            "a daemon serves this database, or did so within the last ten seconds: stop it, and "
            "begin again then");
    }
    if (rows.integer(0, 0) == 0 || rows.integer(0, 2) != 0) return {};
    return refused(
        "this database has sessions or access tokens already: name an empty one, or another "
        "schema (?options=-csearch_path%3DNAME)");
}

Result<> PostgresImport::start() {
    number_ = 0;
    return transact([&]() -> Result<> {
        HEADWAY_CHECK(sql_.send("LOCK TABLE meta IN ACCESS EXCLUSIVE MODE"));
        HEADWAY_CHECK(require_unused());
        std::string tables{kOwnTables};
        for (const std::string_view name : copied_tables())
            tables += "," + std::string{name};
        HEADWAY_CHECK(sql_.send("TRUNCATE " + tables));
        HEADWAY_CHECK(sql_.send("UPDATE feed SET pos=0 WHERE id=1"));
        HEADWAY_TRY(const PostgresRows now,
                    sql_.ask_row("SELECT (extract(epoch FROM clock_timestamp())*1000000)::bigint"));
        HEADWAY_CHECK(meta_.set(kImporting, now.integer(0, 0)));
        number_ = now.integer(0, 0);
        return {};
    });
}

Result<> PostgresImport::add_rows(std::span<const ImportedRow> rows) {
    std::vector<std::int64_t> positions, sessions, firsts, counts, sums;
    std::vector<std::string> encoded(rows.size());
    std::vector<std::string_view> events;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const ImportedRow& row = rows[at];
        encode_events(row.events, encoded[at]);
        const auto n = static_cast<std::int64_t>(row.events.front().n);
        positions.push_back(row.cursor);
        sessions.push_back(row.session);
        firsts.push_back(n);
        counts.push_back(static_cast<std::int64_t>(row.events.size()));
        events.emplace_back(encoded[at]);
        sums.push_back(row_checksum(0, row.session, n, 0, encoded[at]));
    }
    return transact([&]() -> Result<> {
        PostgresParameters journal;
        journal.add_numbers(sessions).add_numbers(firsts).add_numbers(counts).add_blobs(events);
        journal.add_numbers(sums);
        HEADWAY_CHECK(
            sql_.send("INSERT INTO journal(session,n,count,events,crc) SELECT * FROM "
                      "unnest($1::bigint[],$2::bigint[],$3::bigint[],$4::bytea[],$5::bigint[])",
                      journal));
        PostgresParameters stream;
        stream.add_numbers(positions).add_numbers(sessions).add_numbers(firsts).add_numbers(counts);
        return sql_.send(
            "INSERT INTO stream(pos,session,n,count) SELECT * FROM "
            "unnest($1::bigint[],$2::bigint[],$3::bigint[],$4::bigint[])",
            stream);
    });
}

/// An open one is due at once: the first daemon looks at it, and writes when it is due again.
Result<> PostgresImport::add_sessions(std::span<const ImportedSession> sessions) {
    std::vector<std::int64_t> keys, opened, ended, numbers, last, due;
    std::vector<std::string_view> names;
    for (const ImportedSession& session : sessions) {
        keys.push_back(session.key);
        names.emplace_back(session.name);
        opened.push_back(ms_of(session.opened_at));
        ended.push_back(session.ended_at ? ms_of(*session.ended_at)
                                         : PostgresParameters::kNoNumber);
        numbers.push_back(static_cast<std::int64_t>(session.n));
        last.push_back(ms_of(session.last_at));
        due.push_back(session.ended_at ? PostgresParameters::kNoNumber : ms_of(session.last_at));
    }
    return transact([&]() -> Result<> {
        PostgresParameters values;
        values.add_numbers(keys).add_texts(names).add_numbers(opened).add_maybe_numbers(ended);
        values.add_numbers(numbers).add_numbers(last).add_maybe_numbers(due);
        return sql_.send(
            "INSERT INTO session(key,name,opened_at,ended_at,n,last_at,due_at) SELECT * FROM "
            "unnest($1::bigint[],$2::text[],$3::bigint[],$4::bigint[],$5::bigint[],$6::bigint[],"
            "$7::bigint[])",
            values);
    });
}

Result<> PostgresImport::add_tables(Sql& from) {
    return transact([&]() -> Result<> {
        return copy_tables(from, sql_, [&]() -> Result<> {
            HEADWAY_CHECK(commit());
            return begin();
        });
    });
}

/// The time between the last event and the first daemon is a gap in the attention of all daemons,
/// as a restart is one of a single daemon. It is counted from the last daemon that was seen.
Result<> PostgresImport::finish(const ImportEnd& end) {
    auto done = transact([&]() -> Result<> {
        for (const auto& [table, column] : kNumbered) {
            const std::string name{column};
            HEADWAY_TRY(const PostgresRows rows, sql_.ask_row("SELECT coalesce(max(" + name +
                                                              "),0)+1 FROM " + std::string{table}));
            HEADWAY_CHECK(sql_.send("ALTER TABLE " + std::string{table} + " ALTER COLUMN " + name +
                                    " RESTART WITH " + std::to_string(rows.integer(0, 0))));
        }
        PostgresParameters head;
        head.add(end.head);
        HEADWAY_CHECK(sql_.send("UPDATE feed SET pos=$1 WHERE id=1", head));
        if (end.last_at != core::kNever) {
            PostgresParameters seen;
            seen.add(end.last_at);
            HEADWAY_CHECK(
                sql_.send("INSERT INTO daemon(id,name,version,started_at,seen_at) "
                          "VALUES('migrated','headway migrate','',$1,$1)",
                          seen));
        }
        PostgresParameters name;
        name.add_text(kImporting);
        return sql_.send("DELETE FROM meta WHERE name=$1", name);
    });
    if (done) number_ = 0;
    return done;
}

}  // namespace headway::storage
