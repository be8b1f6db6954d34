// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/codec/codec.hpp"
#include "storage/sql/sql_tables.hpp"

// The index of approvals over all sessions, written in the transaction of their events. Statements
// are prepared on demand: approvals are rare compared to reports.

namespace headway::storage {
namespace {

using core::Result;

constexpr const char* kSelectApproval =
    "SELECT a.cursor,a.session,s.name,a.decided,a.state FROM approval a "
    "JOIN session s ON s.key=a.session AND s.name IS NOT NULL ";

/// ?1 is the ancestor, ?2 the number of approvals to look at, ?3 the greatest depth, ?4 the
/// greatest count. The second column is 1 if there are more approvals to look at.
constexpr const char* kCountBelow =
    "WITH RECURSIVE asking(session) AS "
    "(SELECT session FROM approval WHERE pending>0 ORDER BY cursor LIMIT ?2),"
    "up(name,depth) AS ("
    "SELECT i.parent,1 FROM asking a JOIN session_index i ON i.session=a.session "
    "WHERE i.open=1 AND i.parent<>'' UNION ALL "
    "SELECT i.parent,u.depth+1 FROM up u JOIN session s ON s.name=u.name "
    "JOIN session_index i ON i.session=s.key "
    "WHERE u.depth<?3 AND u.name<>?1 AND i.parent<>'') "
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM up WHERE name=?1 LIMIT ?4) AS few),"
    "(SELECT count(*) FROM (SELECT 1 FROM approval WHERE pending>0 ORDER BY cursor LIMIT 1 "
    "OFFSET ?2) AS rest)";

/// The index key has 64 bits, for which a collision can be constructed; the whole digest is in the
/// state. Rows found this way are compared again after decoding.
std::string identical(const Sql& database) {
    return "a.identity=?1 AND " + database.contains("a.state", "?2");
}

/// Rank of a pending request by its risk.
std::int64_t rank_of(core::Risk risk) {
    if (risk == core::Risk::kCritical) return 3;
    return risk == core::Risk::kHigh ? 2 : 1;
}

/// SQLite integers are signed.
std::int64_t as_integer(std::uint64_t identity) {
    return static_cast<std::int64_t>(identity);
}

Result<std::vector<StoredApproval>> approvals_of(Statement& statement) {
    std::vector<StoredApproval> rows;
    while (true) {
        HEADWAY_TRY(const bool found, statement.step());
        if (!found) return rows;
        StoredApproval& row = rows.emplace_back();
        row.cursor = statement.integer(0);
        row.session = statement.integer(1);
        row.session_id = statement.text(2);
        row.decided = statement.integer(3);
        auto approval = decode_approval(statement.blob(4));
        row.damaged = !approval;
        if (approval) row.approval = *std::move(approval);
    }
}

/// The approval at one position.
Result<std::optional<StoredApproval>> one_of(Statement& statement) {
    HEADWAY_TRY(std::vector<StoredApproval> rows, approvals_of(statement));
    if (rows.empty()) return std::optional<StoredApproval>{};
    return std::optional{std::move(rows.front())};
}

}  // namespace

Result<> SqlApprovals::save_approval(SessionKey key, const core::Approval& approval, Cursor cursor,
                                     Cursor decided) {
    HEADWAY_ASSERT(cursor >= 0 && decided >= 0);
    const std::string state = encode_approval(approval);
    const std::int64_t pending = approval.pending() ? rank_of(approval.risk) : 0;
    const auto n = static_cast<std::int64_t>(approval.n);
    if (cursor == 0) {
        HEADWAY_TRY(Statement update,
                    database_.prepare("UPDATE approval SET pending=?3,state=?4,"
                                      "decided=CASE WHEN ?5=0 THEN decided ELSE ?5 END "
                                      "WHERE session=?1 AND n=?2"));
        return update.bind(1, key)
            .bind(2, n)
            .bind(3, pending)
            .bind_blob(4, state)
            .bind(5, decided)
            .run();
    }
    HEADWAY_TRY(Statement insert,
                database_.prepare("INSERT INTO approval(cursor,session,n,pending,kind,identity,"
                                  "decided,state) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)"));
    return insert.bind(1, cursor)
        .bind(2, key)
        .bind(3, n)
        .bind(4, pending)
        .bind(5, static_cast<std::int64_t>(approval.kind))
        .bind(6, as_integer(approval.identity))
        .bind(7, decided)
        .bind_blob(8, state)
        .run();
}

Result<std::optional<StoredApproval>> SqlApprovals::find_approval(SessionKey key, std::uint64_t n) {
    HEADWAY_TRY(Statement find,
                database_.prepare(std::string{kSelectApproval} + "WHERE a.session=?1 AND a.n=?2"));
    find.bind(1, key).bind(2, static_cast<std::int64_t>(n));
    return one_of(find);
}

Result<std::optional<StoredApproval>> SqlApprovals::approval_at(Cursor cursor) {
    HEADWAY_TRY(Statement find,
                database_.prepare(std::string{kSelectApproval} + "WHERE a.cursor=?1"));
    find.bind(1, cursor);
    return one_of(find);
}

Result<std::vector<StoredApproval>> SqlApprovals::list_approvals(const ApprovalPage& page) {
    const bool oldest_first = page.pending.value_or(false);
    std::string sql = kSelectApproval;
    sql += oldest_first ? "WHERE a.cursor>?1" : "WHERE a.cursor<?1";
    if (page.pending) sql += *page.pending ? " AND a.pending>0" : " AND a.pending=0";
    if (page.risk) sql += " AND a.pending>1 AND a.pending>=?5";
    if (page.session) sql += " AND a.session=?2";
    if (page.kind) sql += " AND a.kind=?3";
    sql += oldest_first ? " ORDER BY a.cursor LIMIT ?4" : " ORDER BY a.cursor DESC LIMIT ?4";
    HEADWAY_TRY(Statement list, database_.prepare(sql));
    list.bind(1, page.from != 0 || oldest_first ? page.from : INT64_MAX);
    if (page.session) list.bind(2, *page.session);
    if (page.kind) list.bind(3, static_cast<std::int64_t>(*page.kind));
    list.bind(4, static_cast<std::int64_t>(page.limit));
    if (page.risk) list.bind(5, rank_of(*page.risk));
    return approvals_of(list);
}

Result<std::vector<StoredApproval>> SqlApprovals::identical_approvals(std::string_view identity,
                                                                      std::size_t limit) {
    if (identity.empty()) return std::vector<StoredApproval>{};
    HEADWAY_TRY(Statement list,
                database_.prepare(std::string{kSelectApproval} + "WHERE a.pending>0 AND " +
                                  identical(database_) + " ORDER BY a.cursor LIMIT ?3"));
    list.bind(1, as_integer(core::identity_start(identity)))
        .bind_blob(2, identity)
        .bind(3, static_cast<std::int64_t>(limit));
    HEADWAY_TRY(std::vector<StoredApproval> rows, approvals_of(list));
    // The state also holds agents' texts, which may contain the digest.
    std::erase_if(rows, [identity](const StoredApproval& row) {
        return row.approval.identity_digest != identity;
    });
    return rows;
}

Result<std::uint64_t> SqlApprovals::count_identical(std::string_view identity) {
    HEADWAY_TRY(const auto rows, identical_approvals(identity, core::limits::kIdenticalMax));
    return static_cast<std::uint64_t>(rows.size());
}

Result<std::uint64_t> SqlApprovals::count_pending() {
    HEADWAY_TRY(const std::int64_t count,
                database_.query_integer("SELECT count(*) FROM approval WHERE pending>0"));
    return static_cast<std::uint64_t>(count);
}

Result<std::uint64_t> SqlApprovals::count_pending_below(std::string_view session) {
    HEADWAY_TRY(Statement child, database_.prepare("SELECT 1 FROM session_index WHERE parent=?1 "
                                                   "AND parent<>'' LIMIT 1"));
    HEADWAY_TRY(const bool has_children, child.bind(1, session).step());
    if (!has_children) return std::uint64_t{0};
    child.reset();
    HEADWAY_TRY(Statement below, database_.prepare(kCountBelow));
    below.bind(1, session)
        .bind(2, static_cast<std::int64_t>(kBelowLooksMax))
        .bind(3, static_cast<std::int64_t>(core::limits::kFamilyDepthMax))
        .bind(4, static_cast<std::int64_t>(kBelowMax));
    HEADWAY_TRY(const bool counted, below.step());
    if (!counted) return std::uint64_t{1};  // nothing shows that none is pending
    const std::uint64_t found = below.count(0);
    const bool all = below.integer(1) == 0;
    return found == 0 && !all ? std::uint64_t{1} : found;
}

Result<std::vector<SessionKey>> SqlApprovals::asking_sessions() {
    HEADWAY_TRY(Statement asking,
                database_.prepare("SELECT DISTINCT session FROM approval WHERE pending>0 "
                                  "ORDER BY session"));
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, asking.step());
        if (!row) return keys;
        keys.push_back(asking.integer(0));
    }
}

}  // namespace headway::storage
