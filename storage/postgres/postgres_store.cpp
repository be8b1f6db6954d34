// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/postgres_store.hpp"

#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/state/validity.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/codec/codec.hpp"
#include "storage/postgres/wire/schema.hpp"

// Opening, and the plain half of the store: what is no turn. A turn is in postgres_turn.cpp,
// reading in postgres_read.cpp, what daemons know of each other in postgres_pulse.cpp.

namespace headway::storage {

using core::Error;
using core::ErrorCode;
using core::Result;

PostgresStore::PostgresStore(Settings settings)
    : settings_(std::move(settings)), sql_(settings_.connection) {
    HEADWAY_ASSERT(!settings_.id.empty());
}

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(Settings settings) {
    std::unique_ptr<PostgresStore> store{new PostgresStore{std::move(settings)}};
    HEADWAY_CHECK(store->sql_.connect());
    HEADWAY_CHECK(migrate(store->sql_));
    HEADWAY_CHECK(store->prepare());
    return store;
}

Result<> PostgresStore::prepare() {
    HEADWAY_CHECK(meta_.prepare());
    HEADWAY_TRY(const std::int64_t importing, meta_.get(kImporting));
    if (importing != 0 && !settings_.imports) return importing_error();
    HEADWAY_CHECK(index_.prepare());
    HEADWAY_CHECK(inbox_.prepare());
    HEADWAY_CHECK(idempotency_.prepare());
    HEADWAY_CHECK(expectations_.prepare());
    HEADWAY_CHECK(history_.prepare());
    PostgresParameters name;
    name.add_text("retention");
    HEADWAY_CHECK(
        sql_.send("INSERT INTO lease(name,holder,until) VALUES($1,'',0) "
                  "ON CONFLICT(name) DO NOTHING",
                  name));
    auto done = sql_.finish();
    return done ? Result<>{} : Result<>{std::move(done).error()};
}

/// Sessions are read when they are needed: a daemon starts with nothing.
Result<Recovery> PostgresStore::recover() {
    HEADWAY_CHECK(connect());
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT pos,coalesce((SELECT value FROM meta WHERE "
                         "name='deleted_through'),0) FROM feed WHERE id=1"));
    HEADWAY_TRY(head_, position_of(rows));
    Recovery recovery;
    oldest_ = rows.integer(0, 1) + 1;
    recovery.head = head_;
    recovery.snapshots = head_;
    return recovery;
}

/// The first column of the one row of the feed.
Result<Cursor> PostgresStore::position_of(const PostgresRows& feed) {
    if (feed.size() != 1) return corrupt("the feed has no row");
    const Cursor position = feed.integer(0, 0);
    if (position >= 0 && position < kProvisionalCursor) return position;
    return corrupt("the feed is at the impossible position " + std::to_string(position));
}

Result<> PostgresStore::connect() {
    return sql_.connected() ? Result<>{} : sql_.connect();
}

void PostgresStore::clear_turn() {
    rows_.clear();
    keys_.clear();
    appended_.clear();
    snapshots_.clear();
    ids_.clear();
    known_ids_.clear();
    offset_ = 0;
    feed_locked_ = false;
}

Result<> PostgresStore::begin() {
    clear_turn();
    if (sql_.lost_transaction()) sql_.rollback();  // it was left behind
    HEADWAY_CHECK(connect());
    return sql_.begin();
}

void PostgresStore::rollback() {
    clear_turn();
    sql_.rollback();
}

Result<std::optional<SessionKey>> PostgresStore::find(std::string_view id) {
    if (const Row* row = held_by_name(id)) {
        if (row->known.n == 0) return std::optional<SessionKey>{};
        return std::optional{row->known.key};
    }
    HEADWAY_CHECK(connect());
    PostgresParameters name;
    name.add_text(id);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT key FROM session WHERE name=$1 AND n>0", name));
    if (rows.size() == 0) return std::optional<SessionKey>{};
    return std::optional{SessionKey{rows.integer(0, 0)}};
}

/// Its row was added by hold(), so that no other daemon can create it too.
Result<SessionKey> PostgresStore::create(std::string_view id, core::Timestamp now) {
    if (const Row* row = held_by_name(id)) return row->known.key;
    PostgresParameters values;
    values.add_text(id).add(now);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask_row("INSERT INTO session(name,opened_at,n,last_at) VALUES($1,$2,0,$2) "
                             "RETURNING key",
                             values));
    Row row;
    row.known = {rows.integer(0, 0), std::string{id}, 0};
    row.due = row.new_due = PostgresParameters::kNoNumber;
    row.fresh = true;
    keys_.emplace(row.known.name, row.known.key);
    const SessionKey key = row.known.key;
    rows_.emplace(key, std::move(row));
    return key;
}

Result<std::optional<std::uint64_t>> PostgresStore::find_event_id(SessionKey key,
                                                                  std::string_view id) {
    const auto known = known_ids_.find(std::pair{key, std::string{id}});
    if (known != known_ids_.end())
        return known->second == 0 ? std::optional<std::uint64_t>{} : std::optional{known->second};
    PostgresParameters values;
    values.add(key).add_text(id);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT n FROM event_id WHERE session=$1 AND id=$2", values));
    if (rows.size() == 0) return std::optional<std::uint64_t>{};
    return std::optional{rows.count(0, 0)};
}

/// Written with the commit.
Result<> PostgresStore::save(SessionKey key, const core::Session& session, Chain,
                             const EventIds& new_ids) {
    HEADWAY_ASSERT(core::is_valid(session.state()));  // load() checks the same
    HEADWAY_ASSERT(sql_.in_transaction());
    snapshots_[key] = {session.state().n, encode_state(session.state())};
    return new_ids.empty() ? Result<>{} : save_ids(key, new_ids);
}

/// Written with the commit, too.
Result<> PostgresStore::save_ids(SessionKey key, const EventIds& ids) {
    HEADWAY_ASSERT(sql_.in_transaction());
    EventIds& own = ids_[key];
    for (std::size_t place = 0; place < ids.size(); ++place)
        own.add(ids[place].id, ids[place].n);
    return {};
}

/// Other daemons save the same sessions, in the same order. One of them may have saved a newer
/// state, or deleted the session.
Result<> PostgresStore::write_snapshots() {
    std::vector<std::int64_t> keys, numbers;
    std::vector<std::string_view> states;
    for (const auto& [key, snapshot] : snapshots_) {
        keys.push_back(key);
        numbers.push_back(static_cast<std::int64_t>(snapshot.n));
        states.emplace_back(snapshot.state);
    }
    PostgresParameters saved;
    saved.add_numbers(keys).add_numbers(numbers).add_blobs(states);
    return sql_.send(
        "INSERT INTO snapshot(session,n,state) SELECT u.session,u.n,u.state FROM "
        "unnest($1::bigint[],$2::bigint[],$3::bytea[]) AS u(session,n,state) JOIN session s ON "
        "s.key=u.session AND s.name IS NOT NULL ORDER BY u.session ON CONFLICT(session) DO UPDATE "
        "SET n=excluded.n,state=excluded.state WHERE snapshot.n<excluded.n",
        saved);
}

/// In the order of their keys, as other daemons write the same ones. None for a session that was
/// deleted meanwhile.
Result<> PostgresStore::write_ids() {
    std::vector<std::int64_t> owners, numbers;
    std::vector<std::string_view> ids;
    for (const auto& [key, own] : ids_) {
        for (std::size_t place = 0; place < own.size(); ++place) {
            const auto [id, n] = own[place];
            HEADWAY_ASSERT(!id.empty() && n > 0);
            owners.push_back(key);
            ids.emplace_back(id);
            numbers.push_back(static_cast<std::int64_t>(n));
        }
    }
    PostgresParameters values;
    values.add_numbers(owners).add_texts(ids).add_numbers(numbers);
    return sql_.send(
        "INSERT INTO event_id(session,id,n) SELECT u.session,u.id,u.n FROM "
        "unnest($1::bigint[],$2::text[],$3::bigint[]) AS u(session,id,n) JOIN session s ON "
        "s.key=u.session AND s.name IS NOT NULL ORDER BY "
        "u.session,u.id ON CONFLICT(session,id) DO NOTHING",
        values);
}

/// An import may have begun since the store was opened, by a daemon that was frozen meanwhile.
Result<Deletion> PostgresStore::try_delete(core::Timestamp cutoff) {
    HEADWAY_TRY(const PostgresRows rows, sql_.ask_row("SELECT " + std::string{kIsImporting}));
    if (rows.integer(0, 0) != 0) return importing_error();
    return retention_.step(cutoff);
}

Result<Deletion> PostgresStore::delete_some(core::Timestamp cutoff) {
    HEADWAY_CHECK(begin());
    auto step = try_delete(cutoff);
    if (step) {
        if (auto done = commit(); !done) step = std::move(done).error();
    }
    if (step) return step;
    rollback();
    retention_.restart_walk();
    return step;
}

Result<> PostgresStore::Backups::start_backup(const std::filesystem::path&) {
    return Error{ErrorCode::kBackupFailed,
                 "the journal is in PostgreSQL: back it up with the means of the database "
                 "(pg_dump, pg_basebackup, its archive)",
                 {}};
}

Result<BackupStep> PostgresStore::Backups::step_backup(int) {
    return Error{ErrorCode::kBackupFailed, "no backup was started", {}};
}

}  // namespace headway::storage
