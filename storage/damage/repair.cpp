// SPDX-License-Identifier: Apache-2.0
#include "storage/damage/repair.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"
#include "storage/base/checksum.hpp"
#include "storage/damage/table_rescue.hpp"
#include "storage/files/database_files.hpp"
#include "storage/files/database_lock.hpp"
#include "storage/files/journal_scan.hpp"
#include "storage/sqlite/sqlite_copy.hpp"
#include "storage/sqlite/sqlite_store.hpp"

// Saves the readable parts of a damaged database. The journal is authoritative: everything else is
// copied if readable, or rebuilt from the journal.

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kRowsPerCommit = 5'000;

/// A session of the new database.
struct Saved {
    std::string name;
    std::int64_t opened_at = 0;
    std::vector<RowAt> rows;  ///< without gaps from n = 1
    std::uint64_t events = 0;
    bool cut = false;
};

using Sessions = std::map<SessionKey, Saved>;

/// Opens a copy of the file and its log, since opening alone may change them.
Result<Database> copy_to_read(const std::filesystem::path& file,
                              const std::filesystem::path& copy) {
    HEADWAY_CHECK(copy_database(file, copy));
    HEADWAY_CHECK(lengthen_database(copy));
    HEADWAY_TRY(Database database, Database::open(copy.string()));
    (void)database.execute("PRAGMA locking_mode=EXCLUSIVE");
    if (database.query_integer("SELECT count(*) FROM sqlite_master")) return database;
    // A log that no longer matches hides the file's own content.
    database = Database{};
    std::error_code ec;
    std::filesystem::remove(copy.string() + "-wal", ec);
    HEADWAY_TRY(database, Database::open(copy.string()));
    (void)database.execute("PRAGMA locking_mode=EXCLUSIVE");
    HEADWAY_CHECK(database.query_integer("SELECT count(*) FROM sqlite_master"));
    return database;
}

/// Keeps a session's rows up to its first gap.
void keep_prefix(std::vector<RowAt> rows, Saved& saved) {
    std::sort(rows.begin(), rows.end(), [](const RowAt& a, const RowAt& b) { return a.n < b.n; });
    for (const RowAt& row : rows) {
        if (row.n <= saved.events) continue;  // a duplicate
        const bool follows = row.n == saved.events + 1 &&
                             (saved.rows.empty() || row.cursor > saved.rows.back().cursor);
        if (!follows) {
            saved.cut = true;
            return;
        }
        HEADWAY_ASSERT(row.count > 0 && row.cursor > 0);
        saved.rows.push_back(row);
        saved.events += row.count;
    }
    HEADWAY_ASSERT(saved.rows.size() <= saved.events);
}

class Repairer {
public:
    Repairer(Database& from, Database& to) : from_(from), to_(to) {}

    Result<> run(Repair& repair) {
        FoundRows rows;
        JournalScan scan{from_};
        scan.run(rows);
        repair.unread_rows = scan.unread_rows();
        repair.unread_places = scan.unread_places();
        gather(std::move(rows), repair);
        HEADWAY_CHECK(copy_sessions());
        HEADWAY_CHECK(copy_rows());
        rescue_tables(from_, to_);
        return to_.execute(
            "INSERT OR REPLACE INTO meta(name,value) SELECT 'session_index_due',1 "
            "WHERE EXISTS(SELECT 1 FROM session)");
    }

    const Sessions& sessions() const { return sessions_; }

private:
    /// Collects the sessions and what of each is kept.
    void gather(FoundRows rows, Repair& repair) {
        std::map<SessionKey, std::uint64_t> stored_n;
        const bool all_named = read_names(stored_n);
        for (auto& [key, of_session] : rows) {
            // A session without a name is being deleted, if the table of names was readable.
            if (all_named && !sessions_.contains(key)) continue;
            keep_prefix(std::move(of_session), sessions_[key]);
        }
        std::set<std::string> names;
        for (auto session = sessions_.begin(); session != sessions_.end();) {
            Saved& saved = session->second;
            saved.cut = saved.cut || saved.events < stored_n[session->first];
            if (saved.rows.empty()) {
                ++repair.lost;
                session = sessions_.erase(session);
                continue;
            }
            if (!names.insert(saved.name).second || !core::is_id(saved.name)) {
                saved.name = "recovered-" + std::to_string(session->first);
                names.insert(saved.name);
                ++repair.renamed;
            }
            ++repair.sessions;
            repair.events += saved.events;
            if (saved.cut) ++repair.cut;
            ++session;
        }
        HEADWAY_ASSERT(repair.sessions == sessions_.size());
    }

    /// Reads names and snapshot positions. False if some were unreadable.
    bool read_names(std::map<SessionKey, std::uint64_t>& stored_n) {
        for (const char* order : {"", " DESC"}) {  // from both ends, up to the damage
            std::string sql =
                "SELECT key,name,opened_at,n,tail,ifnull(ended_at,0),crc FROM session";
            auto names = from_.prepare(sql.append(" ORDER BY key").append(order));
            while (names) {
                const auto row = names->step();
                if (!row) break;
                if (!*row) return true;
                if (names->is_null(1)) continue;
                Saved& saved = sessions_[names->integer(0)];
                saved.name = names->text(1);
                saved.opened_at = names->integer(2);
                const bool sound = is_valid(*names);
                if (!sound && !is_indexed(saved.name, names->integer(0))) saved.name.clear();
                if (!names->is_null(6) && !sound) continue;  // then `n` is not trustworthy either
                stored_n[names->integer(0)] = static_cast<std::uint64_t>(names->integer(3));
            }
        }
        return false;
    }

    static bool is_valid(const Statement& row) {
        return !row.is_null(6) && SessionChecksum::from_column(row.integer(6)).place ==
                                      place_checksum(row.integer(0), row.text(1), row.integer(3),
                                                     row.integer(4), row.integer(5));
    }

    /// True if the name index agrees, or is unreadable.
    bool is_indexed(const std::string& name, SessionKey key) {
        auto find = from_.prepare("SELECT key FROM session WHERE name=?1");
        if (!find) return true;
        const auto found = find->bind(1, name).step();
        return !found || (*found && find->integer(0) == key);
    }

    Result<> copy_sessions() {
        HEADWAY_CHECK(to_.execute("BEGIN"));
        HEADWAY_TRY(Statement add,
                    to_.prepare("INSERT INTO session(key,name,opened_at) VALUES(?1,?2,?3)"));
        for (const auto& [key, saved] : sessions_) {
            HEADWAY_CHECK(add.bind(1, key).bind(2, saved.name).bind(3, saved.opened_at).run());
        }
        return to_.execute("COMMIT");
    }

    /// Without a snapshot a session's chain begins at its newest row, which a start finds by
    /// reading all rows.
    Result<> copy_rows() {
        struct Place {
            Cursor cursor;
            SessionKey session;
            std::uint64_t n;
            Cursor prev;
        };
        std::vector<Place> places;
        for (const auto& [key, saved] : sessions_) {
            Cursor prev = 0;
            for (const RowAt& row : saved.rows) {
                HEADWAY_ASSERT(prev < row.cursor);
                places.push_back({row.cursor, key, row.n, prev});
                prev = row.cursor;
            }
        }
        std::sort(places.begin(), places.end(),
                  [](const Place& a, const Place& b) { return a.cursor < b.cursor; });
        HEADWAY_TRY(Statement get, from_.prepare("SELECT events FROM journal WHERE cursor=?1"));
        HEADWAY_TRY(Statement add, to_.prepare("INSERT INTO journal(cursor,session,n,prev,events,"
                                               "crc) VALUES(?1,?2,?3,?4,?5,?6)"));
        HEADWAY_CHECK(to_.execute("BEGIN"));
        std::size_t copied = 0;
        for (const Place& place : places) {
            HEADWAY_TRY(const bool found, get.bind(1, place.cursor).step());
            if (!found) {
                return Error{ErrorCode::kStorageCorrupt, "the file changed while it was read", {}};
            }
            const std::string events{get.blob(0)};
            get.reset();
            const auto n = static_cast<std::int64_t>(place.n);
            HEADWAY_CHECK(
                add.bind(1, place.cursor)
                    .bind(2, place.session)
                    .bind(3, n)
                    .bind(4, place.prev)
                    .bind_blob(5, events)
                    .bind(6, row_checksum(place.cursor, place.session, n, place.prev, events))
                    .run());
            if (++copied % kRowsPerCommit == 0) HEADWAY_CHECK(to_.execute("COMMIT;BEGIN"));
        }
        return to_.execute("COMMIT");
    }

    Database& from_;
    Database& to_;
    Sessions sessions_;
};

/// Cursor of an event of the session, 0 if it was lost.
Cursor cursor_of(const Saved& saved, std::uint64_t n) {
    auto row = std::upper_bound(saved.rows.begin(), saved.rows.end(), n,
                                [](std::uint64_t value, const RowAt& r) { return value < r.n; });
    if (n == 0 || row == saved.rows.begin() || n > saved.events) return 0;
    HEADWAY_ASSERT(std::prev(row)->n <= n && n - std::prev(row)->n < std::prev(row)->count);
    return std::prev(row)->cursor_of(n);
}

/// The indexes must not claim more approvals and checks than the journal has. save_all() rewrites
/// the sessions' own state.
Result<> mend_indexes(Database& to, const Sessions& sessions, const Recovery& recovery) {
    HEADWAY_TRY(Statement drop, to.prepare("DELETE FROM approval WHERE session=?1 AND "
                                           "(n>?2 OR decided>?3)"));
    HEADWAY_TRY(Statement remembered, to.prepare("DELETE FROM approval WHERE session=?1 AND n=?2"));
    HEADWAY_TRY(Statement forget, to.prepare("DELETE FROM judge_check WHERE session=?1 AND "
                                             "asked>?2"));
    HEADWAY_TRY(Statement reopen,
                to.prepare("UPDATE judge_check SET done=0 WHERE session=?1 AND done>?2"));
    for (const StoredSession& stored : recovery.sessions) {
        const Saved& saved = sessions.at(stored.key);
        const Cursor last = cursor_of(saved, saved.events);
        const auto n = static_cast<std::int64_t>(saved.events);
        HEADWAY_CHECK(drop.bind(1, stored.key).bind(2, n).bind(3, last).run());
        HEADWAY_CHECK(forget.bind(1, stored.key).bind(2, last).run());
        HEADWAY_CHECK(reopen.bind(1, stored.key).bind(2, last).run());
        for (const core::Approval& approval : stored.session.state().approvals.requests) {
            HEADWAY_CHECK(remembered.bind(1, stored.key)
                              .bind(2, static_cast<std::int64_t>(approval.n))
                              .run());
        }
    }
    return {};
}

Result<> save_one(SqliteStore& store, const StoredSession& stored, const Saved& saved) {
    HEADWAY_CHECK(store.save(stored.key, stored.session, stored.chain, stored.new_ids));
    for (const core::Approval& approval : stored.session.state().approvals.requests) {
        const Cursor decided = cursor_of(saved, approval.decided_n);
        HEADWAY_CHECK(store.approvals().save_approval(stored.key, approval,
                                                      cursor_of(saved, approval.n), decided));
    }
    return {};
}

/// Snapshots of all sessions, as at a clean stop, so that the next start need not replay
/// everything.
Result<> save_all(SqliteStore& store, const Sessions& sessions, const Recovery& recovery) {
    std::size_t saved = 0;
    HEADWAY_CHECK(store.begin());
    for (const StoredSession& stored : recovery.sessions) {
        HEADWAY_CHECK(save_one(store, stored, sessions.at(stored.key)));
        if (++saved % kRowsPerCommit != 0) continue;
        HEADWAY_CHECK(store.commit());
        HEADWAY_CHECK(store.begin());
    }
    HEADWAY_CHECK(store.set_snapshot_cursor(store.head()));
    return store.commit();
}

/// Builds the new database, complete and synced.
Result<> make_new(Database& damaged, const std::filesystem::path& file, Repair& repair) {
    HEADWAY_CHECK(make_private(file));
    HEADWAY_TRY(std::unique_ptr<SqliteStore> store, SqliteStore::open(file));
    store.reset();  // it has made the tables
    Sessions sessions;
    {
        HEADWAY_TRY(Database database, Database::open(file.string()));
        Repairer repairer{damaged, database};
        HEADWAY_CHECK(repairer.run(repair));
        sessions = repairer.sessions();
    }
    HEADWAY_TRY(store, SqliteStore::open(file));
    HEADWAY_TRY(const Recovery recovery, store->recover());
    store.reset();
    {
        HEADWAY_TRY(Database opened, Database::open(file.string()));
        HEADWAY_CHECK(mend_indexes(opened, sessions, recovery));
    }
    HEADWAY_TRY(store, SqliteStore::open(file));
    HEADWAY_CHECK(save_all(*store, sessions, recovery));
    store.reset();
    HEADWAY_CHECK(sync_file(file));
    HEADWAY_TRY(const DatabaseCounts counts, verify_database(file));
    if (counts.sessions == repair.sessions) return {};
    return Error{ErrorCode::kStorageCorrupt, "the new database lacks sessions that were saved", {}};
}

Result<> put_in_place(const std::filesystem::path& file, const std::filesystem::path& target,
                      Repair& repair) {
    repair.damaged = unused_name(file, ".damaged-");
    HEADWAY_CHECK(replace_database(target, file, repair.damaged));
    return sync_file(file);
}

}  // namespace

Result<Repair> repair_database(const std::filesystem::path& file) {
    Repair repair;
    HEADWAY_TRY(const DatabaseLock lock, DatabaseLock::take(file));
    const std::filesystem::path copy = unused_name(file, ".reading-");
    const std::filesystem::path target = unused_name(file, ".repaired-");
    Result<> done;
    {
        auto damaged = copy_to_read(file, copy);
        done = damaged ? make_new(*damaged, target, repair) : Result<>{damaged.error()};
    }
    remove_database(copy);
    if (done) done = put_in_place(file, target, repair);
    if (!done) {
        remove_database(target);
        return std::move(done).error();
    }
    return repair;
}

}  // namespace headway::storage
