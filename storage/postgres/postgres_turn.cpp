// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/base/generations.hpp"
#include "storage/codec/codec.hpp"
#include "storage/postgres/postgres_store.hpp"
#include "storage/postgres/wire/times.hpp"

// A turn: hold the rows, decide, write all at once.

namespace headway::storage {
namespace {

using core::Result;

constexpr std::int64_t kNone = PostgresParameters::kNoNumber;
constexpr std::string_view kColumns = "SELECT key,name,n,due_at,last_at FROM session ";

}  // namespace

Result<Held> PostgresStore::hold(const HoldRequest& wanted) {
    auto held = try_hold(wanted, true);
    if (held || sql_.state() != "55P03" || !sql_.connected()) return held;
    // A name that another daemon is adding: its command waits for the next turn, not the others.
    sql_.rollback();
    return try_hold(wanted, false);
}

/// Sends what asks for the rows; the answers come in this order.
Result<> PostgresStore::send_hold(const HoldRequest& wanted) {
    const std::string lock = " FOR UPDATE SKIP LOCKED";
    PostgresParameters names;
    names.add_texts(wanted.names);
    HEADWAY_CHECK(
        sql_.send_asking(std::string{kColumns} + "WHERE name=ANY($1) ORDER BY key" + lock, names));
    PostgresParameters keys;
    keys.add_numbers(wanted.keys);
    if (!wanted.keys.empty())
        HEADWAY_CHECK(sql_.send_asking(
            std::string{kColumns} + "WHERE key=ANY($1) ORDER BY key" + lock, keys));
    if (wanted.due_max > 0) {
        PostgresParameters due;
        due.add(static_cast<std::int64_t>(wanted.due_max)).add_numbers(wanted.unreadable);
        if (settings_.now) due.add(settings_.now());
        HEADWAY_CHECK(sql_.send_asking(
            std::string{kColumns} + "WHERE due_at<=" +
                (settings_.now ? "$3" : "(extract(epoch FROM now())*1000)::bigint") +
                " AND key<>ALL($2) ORDER BY due_at LIMIT $1" + lock,
            due));
    }
    if (wanted.told_max > 0) {
        PostgresParameters parameters;
        parameters.add(static_cast<std::int64_t>(wanted.told_max)).add_numbers(wanted.unreadable);
        HEADWAY_CHECK(sql_.send_asking(std::string{kColumns} +
                                           "WHERE key IN (SELECT DISTINCT session FROM inbox WHERE "
                                           "session<>ALL($2) LIMIT $1) ORDER BY key" +
                                           lock,
                                       parameters));
    }
    if (!wanted.seen.empty()) {
        PostgresParameters seen;
        seen.add_texts(wanted.seen);
        HEADWAY_CHECK(
            sql_.send_asking("SELECT key,name,n FROM session WHERE name=ANY($1) AND n>0", seen));
    }
    if (!wanted.ids.empty()) {
        std::vector<std::string_view> sessions;
        std::vector<std::string_view> ids;
        for (const auto& [session, id] : wanted.ids) {
            sessions.push_back(session);
            ids.push_back(id);
        }
        PostgresParameters asked;
        asked.add_texts(sessions).add_texts(ids);
        // As a join it may be planned, while tables are small, to read all ids of a session for
        // each that is asked for, and that plan is kept while they grow.
        HEADWAY_CHECK(sql_.send_asking(
            "SELECT s.key,u.id,(SELECT e.n FROM event_id e WHERE e.session=s.key AND e.id=u.id) "
            "FROM unnest($1::text[],$2::text[]) AS u(name,id) JOIN session s ON s.name=u.name",
            asked));
    }
    // The lock of this read keeps an import from beginning before the turn ends.
    return sql_.send_asking("SELECT (extract(epoch FROM clock_timestamp())*1000)::bigint," +
                            std::string{kIsImporting});
}

/// Takes the answers to send_hold().
Held PostgresStore::take_hold(const HoldRequest& wanted, const std::vector<PostgresRows>& rows) {
    Held held;
    std::size_t at = 0;
    take_rows(rows[at++], held, nullptr);
    if (!wanted.keys.empty()) take_rows(rows[at++], held, nullptr);
    if (wanted.due_max > 0) take_rows(rows[at++], held, &held.due);
    if (wanted.told_max > 0) take_rows(rows[at++], held, &held.messaged);
    if (!wanted.seen.empty()) {
        const PostgresRows& seen = rows[at++];
        for (int row = 0; row < seen.size(); ++row)
            held.seen.push_back(
                {seen.integer(row, 0), std::string{seen.bytes(row, 1)}, seen.count(row, 2)});
    }
    if (!wanted.ids.empty()) {
        const PostgresRows& ids = rows[at++];
        for (int row = 0; row < ids.size(); ++row) {
            if (ids.is_null(row, 2)) continue;
            known_ids_.emplace(std::pair{ids.integer(row, 0), std::string{ids.bytes(row, 1)}},
                               ids.count(row, 2));
        }
    }
    for (const SessionKey key : held.due)
        rows_.at(key).claimed = true;
    held.now = settings_.now ? settings_.now() : time_of(rows[at].integer(0, 0));
    return held;
}

Result<Held> PostgresStore::try_hold(const HoldRequest& wanted, bool adds) {
    HEADWAY_CHECK(begin());
    HEADWAY_CHECK(send_hold(wanted));
    HEADWAY_TRY(const std::vector<PostgresRows> rows, sql_.finish());
    // Since the store was opened, for a daemon that was frozen meanwhile.
    if (rows.back().integer(0, 1) != 0) return importing_error();
    Held held = take_hold(wanted, rows);
    if (adds) HEADWAY_CHECK(add_names(wanted, held));
    for (const auto& [session, id] : wanted.ids) {
        if (const Row* row = held_by_name(session))
            known_ids_.try_emplace(std::pair{row->known.key, std::string{id}}, 0U);
    }
    // Stamps of a session never go back, whatever the clock of a database that took over says.
    for (const auto& [key, row] : rows_)
        held.now = std::max(held.now, time_of(row.last_at));
    return held;
}

/// A session is locked by one query or by two of them; the transaction sees the same row twice
/// then.
void PostgresStore::take_rows(const PostgresRows& rows, Held& held, std::vector<SessionKey>* keys) {
    for (int at = 0; at < rows.size(); ++at) {
        if (rows.is_null(at, 1)) continue;  // being deleted
        const SessionKey key = rows.integer(at, 0);
        if (keys != nullptr) keys->push_back(key);
        Row row;
        row.known = {key, std::string{rows.bytes(at, 1)}, rows.count(at, 2)};
        row.due = row.new_due = rows.is_null(at, 3) ? kNone : rows.integer(at, 3);
        row.last_at = rows.integer(at, 4);
        const auto [place, added] = rows_.emplace(key, std::move(row));
        if (!added) continue;
        keys_.emplace(place->second.known.name, key);
        held.sessions.push_back(place->second.known);
    }
}

/// Names without a row that can be held get one, unless another daemon holds or adds it.
Result<> PostgresStore::add_names(const HoldRequest& wanted, Held& held) {
    std::vector<std::string_view> missing;
    for (const std::string_view name : wanted.names) {
        if (held_by_name(name) == nullptr) missing.push_back(name);
    }
    if (missing.empty()) return {};
    std::sort(missing.begin(), missing.end());  // two daemons wait for each other in one order
    PostgresParameters values;
    values.add_texts(missing).add(held.now);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("INSERT INTO session(name,opened_at,n,last_at) SELECT u.name,$2,0,0 FROM "
                         "unnest($1::text[]) AS u(name) ORDER BY u.name ON CONFLICT(name) DO "
                         "NOTHING RETURNING key,name,n,due_at,last_at",
                         values));
    const std::size_t before = held.sessions.size();
    take_rows(rows, held, nullptr);
    for (std::size_t i = before; i < held.sessions.size(); ++i)
        rows_.at(held.sessions[i].key).fresh = true;
    return {};
}

PostgresStore::Row* PostgresStore::held_by_name(std::string_view name) {
    const auto found = keys_.find(name);
    return found == keys_.end() ? nullptr : &rows_.at(found->second);
}

Result<Cursor> PostgresStore::append(SessionKey key, Chain&, std::span<const core::Event> events) {
    HEADWAY_ASSERT(!events.empty() && sql_.in_transaction());
    const auto held = rows_.find(key);
    HEADWAY_ASSERT(held != rows_.end());
    Row& row = held->second;
    HEADWAY_ASSERT(events.back().n - events.front().n + 1 == events.size());
    // The memory is as new as the row, or newer than it: than a row that was put back by hand, or
    // from an older copy than the journal.
    if (events.front().n != row.known.n + 1) {
        return corrupt("session " + row.known.name + " has " +
                       std::to_string(events.front().n - 1) + " events, and its row says " +
                       std::to_string(row.known.n));
    }
    Appended added{key, events.front().n, events.size(), offset_ + 1, {}};
    encode_events(events, added.events);
    appended_.push_back(std::move(added));
    row.known.n = events.back().n;
    row.moved = true;
    row.last_at = std::max(row.last_at, ms_of(events.back().at));
    for (const core::Event& event : events) {
        if (starts_retention(event.payload)) row.ended_at = ms_of(event.at);
    }
    // Also when the feed is locked by now: what comes later in a transaction has a higher cursor.
    const Cursor cursor = kProvisionalCursor + offset_ + 1;
    offset_ += static_cast<std::int64_t>(events.size());
    return cursor;
}

/// A later deadline is not written: who finds the earlier one looks at the session, and writes it
/// then.
void PostgresStore::set_due(SessionKey key, core::Timestamp due) {
    const auto held = rows_.find(key);
    if (held == rows_.end()) return;
    Row& row = held->second;
    if (due == core::kNever) {
        if (row.claimed || row.ended_at) row.new_due = kNone;
        return;
    }
    const std::int64_t at = ms_of(due);
    if (row.claimed || row.due == kNone || at < row.due) row.new_due = at;
}

Result<> PostgresStore::write_journal() {
    std::vector<std::int64_t> sessions, firsts, counts, sums;
    std::vector<std::string_view> events;
    for (const Appended& row : appended_) {
        const auto n = static_cast<std::int64_t>(row.n);
        sessions.push_back(row.session);
        firsts.push_back(n);
        counts.push_back(static_cast<std::int64_t>(row.count));
        events.emplace_back(row.events);
        sums.push_back(row_checksum(0, row.session, n, 0, row.events));
    }
    PostgresParameters values;
    values.add_numbers(sessions).add_numbers(firsts).add_numbers(counts).add_blobs(events);
    values.add_numbers(sums);
    return sql_.send(
        "INSERT INTO journal(session,n,count,events,crc) SELECT * FROM "
        "unnest($1::bigint[],$2::bigint[],$3::bigint[],$4::bytea[],$5::bigint[])",
        values);
}

Result<> PostgresStore::write_rows() {
    std::vector<std::int64_t> keys, numbers, times, dues, ends, unused;
    for (const auto& [key, row] : rows_) {
        if (row.fresh && !row.moved) unused.push_back(key);
        if (!row.moved && row.new_due == row.due) continue;
        keys.push_back(key);
        numbers.push_back(static_cast<std::int64_t>(row.known.n));
        times.push_back(row.last_at);
        dues.push_back(row.new_due);
        ends.push_back(row.ended_at.value_or(kNone));
    }
    if (!keys.empty()) {
        PostgresParameters values;
        values.add_numbers(keys).add_numbers(numbers).add_numbers(times);
        values.add_maybe_numbers(dues).add_maybe_numbers(ends);
        HEADWAY_CHECK(sql_.send(
            "UPDATE session SET n=u.n,last_at=u.at,due_at=u.due,"
            "ended_at=coalesce(u.ended,session.ended_at) FROM unnest($1::bigint[],$2::bigint[],"
            "$3::bigint[],$4::bigint[],$5::bigint[]) AS u(key,n,at,due,ended) "
            "WHERE session.key=u.key",
            values));
    }
    if (unused.empty()) return {};
    PostgresParameters values;
    values.add_numbers(unused);
    return sql_.send("DELETE FROM session WHERE key=ANY($1) AND n=0", values);
}

/// The feed's row is locked last and until the commit: positions are dense and in the order of
/// commits.
Result<> PostgresStore::write_feed() {
    PostgresParameters count;
    count.add(offset_);
    HEADWAY_CHECK(sql_.send_asking("UPDATE feed SET pos=pos+$1 WHERE id=1 RETURNING pos", count));
    std::vector<std::int64_t> offsets, sessions, firsts, counts;
    for (const Appended& row : appended_) {
        offsets.push_back(row.offset - offset_);
        sessions.push_back(row.session);
        firsts.push_back(static_cast<std::int64_t>(row.n));
        counts.push_back(static_cast<std::int64_t>(row.count));
    }
    PostgresParameters values;
    values.add_numbers(offsets).add_numbers(sessions).add_numbers(firsts).add_numbers(counts);
    // A feed without its row, or at an impossible position, refuses the turn: NULL is no position.
    return sql_.send(
        "INSERT INTO stream(pos,session,n,count) SELECT (SELECT f.pos FROM feed f WHERE f.id=1 AND "
        "f.pos BETWEEN 0 AND 4611686018427387903)+u.off,u.session,u.n,u.count FROM "
        "unnest($1::bigint[],$2::bigint[],$3::bigint[],"
        "$4::bigint[]) AS u(off,session,n,count)",
        values);
}

/// The positions of the transaction's events are known from here on. All that daemons have in
/// common is written behind this lock, so that they cannot wait for each other in a circle.
Result<> PostgresStore::lock_feed() {
    if (feed_locked_ || !sql_.in_transaction()) return {};
    HEADWAY_TRY(const PostgresRows rows, sql_.ask("SELECT pos FROM feed WHERE id=1 FOR UPDATE"));
    HEADWAY_TRY(base_, position_of(rows));
    feed_locked_ = true;
    return {};
}

Result<> PostgresStore::commit() {
    const bool appends = !appended_.empty();
    if (!snapshots_.empty()) HEADWAY_CHECK(write_snapshots());
    if (!ids_.empty()) HEADWAY_CHECK(write_ids());
    if (appends) HEADWAY_CHECK(write_journal());
    HEADWAY_CHECK(write_rows());
    if (appends) HEADWAY_CHECK(write_feed());
    HEADWAY_CHECK(sql_.commit());
    HEADWAY_TRY(const std::vector<PostgresRows> rows, sql_.finish());
    if (appends) {
        HEADWAY_TRY(committed_, position_of(rows.front()));
        base_ = committed_ - offset_;
    }
    clear_turn();
    return {};
}

Cursor PostgresStore::settled(Cursor cursor) const {
    return cursor >= kProvisionalCursor ? base_ + (cursor - kProvisionalCursor) : cursor;
}

}  // namespace headway::storage
