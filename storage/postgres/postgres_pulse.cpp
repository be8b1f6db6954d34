// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"
#include "core/values/watch.hpp"
#include "storage/postgres/postgres_store.hpp"
#include "storage/postgres/wire/hints.hpp"
#include "storage/postgres/wire/times.hpp"

// Knowledge that daemons have of each other: which serve, and when none could.

namespace headway::storage {
namespace {

using core::Result;

/// Each daemon commits at least once a second while it serves. More than this without any is a gap.
constexpr core::Millis kGapMin{2'500};
/// Older gaps are in no verdict any more: longer than any heartbeat interval.
constexpr core::Millis kGapsKept{24 * 3'600'000};
/// A request that expires gets the time of long gaps back, as long as it may be pending.
constexpr core::Millis kLongGap{15 * 60'000};
constexpr core::Millis kLongGapsKept = core::limits::kApprovalExpiryMax;
/// The newest are for silence, the longest for expiry.
constexpr std::int64_t kNewestGaps = 24;
constexpr std::int64_t kLongestGaps = 8;
static_assert(kNewestGaps + kLongestGaps <= std::int64_t{core::Watch::kGapsMax});
/// Work of a daemon under a lease is taken over when it was not seen for so long.
constexpr core::Millis kDead{10'000};
/// More than the clocks of servers are apart.
constexpr core::Millis kClockAhead{60'000};
/// A daemon that was not seen for so long is forgotten.
constexpr core::Millis kDaemonsKept{3'600'000};

/// Notes a time in which no daemon served, and deletes those that are too old.
Result<> send_gap(PostgresConnection& sql, core::Timestamp from, core::Timestamp to) {
    PostgresParameters gap;
    gap.add(from).add(to);
    HEADWAY_CHECK(
        sql.send("INSERT INTO gap(from_at,to_at) VALUES($1,$2) ON CONFLICT(from_at) "
                 "DO UPDATE SET to_at=excluded.to_at WHERE gap.to_at<excluded.to_at",
                 gap));
    PostgresParameters old;
    old.add(to - kGapsKept).add(to - kLongGapsKept).add(kLongGap.count());
    return sql.send("DELETE FROM gap WHERE to_at<$2 OR (to_at<$1 AND to_at-from_at<$3)", old);
}

}  // namespace

std::unique_ptr<Hints> PostgresStore::make_hints() const {
    return std::make_unique<PostgresHints>(settings_.connection, settings_.id);
}

Result<core::Timestamp> PostgresStore::time() {
    if (settings_.now) return settings_.now();
    HEADWAY_CHECK(connect());
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask_row("SELECT (extract(epoch FROM clock_timestamp())*1000)::bigint"));
    return time_of(rows.integer(0, 0));
}

Result<Pulse> PostgresStore::pulse() {
    auto pulse = try_pulse();
    if (!pulse) rollback();
    return pulse;
}

/// The row of the newest daemon is read and written in one transaction, so that a gap is noted
/// before any session is judged by a time that does not know of it.
Result<Pulse> PostgresStore::try_pulse() {
    HEADWAY_CHECK(begin());
    HEADWAY_TRY(const PostgresRows newest,
                sql_.ask_row(std::string{"SELECT coalesce(max(seen_at),0),"} +
                             "(extract(epoch FROM clock_timestamp())*1000)::bigint," +
                             std::string{kIsImporting} + " FROM daemon"));
    if (newest.integer(0, 2) != 0) return importing_error();
    Pulse pulse;
    pulse.now = settings_.now ? settings_.now() : time_of(newest.integer(0, 1));
    const core::Timestamp seen = time_of(newest.integer(0, 0));
    if (newest.integer(0, 0) != 0 && pulse.now - seen > kGapMin) {
        HEADWAY_CHECK(send_gap(sql_, seen, pulse.now));
    }
    PostgresParameters own;
    own.add_text(settings_.id).add_text(settings_.name).add_text(settings_.version).add(pulse.now);
    HEADWAY_CHECK(
        sql_.send("INSERT INTO daemon(id,name,version,started_at,seen_at) "
                  "VALUES($1,$2,$3,$4,$4) ON CONFLICT(id) DO UPDATE SET "
                  "seen_at=excluded.seen_at,name=excluded.name",
                  own));
    // Rows that another daemon is just deleting are left to it: it may have stopped there.
    PostgresParameters old;
    old.add(pulse.now - kDaemonsKept);
    HEADWAY_CHECK(
        sql_.send("DELETE FROM lease WHERE name IN (SELECT name FROM lease WHERE until<$1 AND "
                  "name<>'retention' FOR UPDATE SKIP LOCKED)",
                  old));
    // Also those of a clock that ran ahead, before another server took over: they would hide gaps
    // and keep leases until their time has come. A serving daemon writes its row again within a
    // second.
    old.add(pulse.now + kClockAhead);
    HEADWAY_CHECK(
        sql_.send("DELETE FROM daemon WHERE id IN (SELECT id FROM daemon WHERE seen_at<$1 OR "
                  "seen_at>$2 FOR UPDATE SKIP LOCKED)",
                  old));
    HEADWAY_CHECK(
        sql_.send_asking("SELECT pos,coalesce((SELECT value FROM meta WHERE "
                         "name='deleted_through'),0),coalesce((SELECT value FROM meta "
                         "WHERE name='tokens'),0) FROM feed WHERE id=1"));
    PostgresParameters gaps;
    gaps.add(kNewestGaps).add(kLongestGaps);
    HEADWAY_CHECK(
        sql_.send_asking("(SELECT from_at,to_at FROM gap ORDER BY from_at DESC LIMIT $1) UNION "
                         "(SELECT from_at,to_at FROM gap ORDER BY to_at-from_at DESC LIMIT $2) "
                         "ORDER BY from_at DESC",
                         gaps));
    HEADWAY_CHECK(
        sql_.send_asking("SELECT * FROM (SELECT id,name,version,started_at,seen_at FROM daemon "
                         "ORDER BY seen_at DESC "
                         "LIMIT 100) AS d ORDER BY started_at,id"));
    HEADWAY_CHECK(sql_.commit());
    HEADWAY_TRY(const std::vector<PostgresRows> rows, sql_.finish());
    HEADWAY_TRY(pulse.head, position_of(rows[0]));
    oldest_ = rows[0].integer(0, 1) + 1;
    pulse.tokens = rows[0].integer(0, 2);
    for (int at = rows[1].size() - 1; at >= 0; --at)
        pulse.gaps.emplace_back(time_of(rows[1].integer(at, 0)), time_of(rows[1].integer(at, 1)));
    for (int at = 0; at < rows[2].size(); ++at) {
        pulse.daemons.push_back({std::string{rows[2].bytes(at, 0)},
                                 std::string{rows[2].bytes(at, 1)},
                                 std::string{rows[2].bytes(at, 2)}, time_of(rows[2].integer(at, 3)),
                                 time_of(rows[2].integer(at, 4))});
    }
    return pulse;
}

Result<bool> PostgresStore::lease(std::string_view name, core::Millis length) {
    HEADWAY_CHECK(connect());
    HEADWAY_TRY(const core::Timestamp now, time());
    PostgresParameters values;
    values.add_text(name).add_text(settings_.id).add(now + length).add(now).add(now - kDead);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("INSERT INTO lease(name,holder,until) VALUES($1,$2,$3) ON CONFLICT(name) "
                         "DO UPDATE SET holder=excluded.holder,until=excluded.until WHERE "
                         "lease.holder=excluded.holder OR lease.until<=$4 OR NOT EXISTS (SELECT 1 "
                         "FROM daemon WHERE id=lease.holder AND seen_at>$5) RETURNING holder",
                         values));
    return rows.size() == 1;
}

/// Things that hang on a session are found by the ids of parents.
Result<std::vector<SessionKey>> PostgresStore::with_working_children(
    std::span<const SessionKey> keys) {
    PostgresParameters values;
    values.add_numbers(keys)
        .add(static_cast<std::int64_t>(core::limits::kFamilyDepthMax))
        .add(static_cast<std::int64_t>(core::Verdict::kSilent));
    HEADWAY_TRY(
        const PostgresRows rows,
        sql_.ask("WITH RECURSIVE tree(root,name,verdict,depth) AS ("
                 "SELECT s.key,s.name,$3,0::bigint FROM session s WHERE s.key=ANY($1) UNION "
                 "SELECT t.root,c.name,i.verdict,t.depth+1 FROM tree t JOIN session_index i ON "
                 "i.parent=t.name AND i.parent<>'' AND i.open=1 JOIN session c ON c.key=i.session "
                 "WHERE t.depth<$2) SELECT DISTINCT root FROM tree WHERE depth>0 AND verdict<>$3",
                 values));
    std::vector<SessionKey> working;
    working.reserve(static_cast<std::size_t>(rows.size()));
    for (int at = 0; at < rows.size(); ++at)
        working.push_back(rows.integer(at, 0));
    return working;
}

}  // namespace headway::storage
