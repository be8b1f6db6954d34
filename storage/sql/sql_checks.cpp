// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/assert.hpp"
#include "storage/sql/sql_tables.hpp"

// The index of status checks over all sessions, written in the transaction of their events.
// Statements are prepared on demand: checks are rare compared to reports.

namespace headway::storage {
namespace {

using core::Result;

constexpr const char* kSelectCheck =
    "SELECT c.id,c.session,s.name,c.asked,c.done FROM judge_check c "
    "JOIN session s ON s.key=c.session AND s.name IS NOT NULL ";

/// A check that is no longer the newest of its id has this in its place: the key of its session
/// before it. No id has a slash.
std::string aside(SessionKey key, std::string_view id) {
    HEADWAY_ASSERT(id.find('/') == std::string_view::npos);
    return std::to_string(key) + "/" + std::string{id};
}

/// The row that says that several sessions have used an id. It belongs to the session of the
/// newest, whose deletion leaves none that is found by its id alone.
std::string shared_mark(std::string_view id) {
    return "/" + std::string{id};
}

Result<std::vector<StoredCheck>> checks_of(Statement& statement) {
    std::vector<StoredCheck> rows;
    while (true) {
        HEADWAY_TRY(const bool found, statement.step());
        if (!found) return rows;
        StoredCheck& row = rows.emplace_back();
        row.id = statement.text(0);
        row.shared = row.id.starts_with('/');
        row.id.erase(0, row.id.find('/') + 1);
        row.session = statement.integer(1);
        row.session_id = statement.text(2);
        row.asked = statement.integer(3);
        row.done = statement.integer(4);
    }
}

}  // namespace

Result<> SqlChecks::add_check(std::string_view id, SessionKey key, Cursor asked) {
    HEADWAY_ASSERT(!id.empty() && asked > 0);
    // One of a session that is being deleted is moved aside too, but counts no more.
    HEADWAY_TRY(const auto newest, find_check(id));
    HEADWAY_CHECK(make_room(id, key));
    if (newest && newest->session != key) HEADWAY_CHECK(put(shared_mark(id), key, asked, asked));
    return put(id, key, asked, 0);
}

Result<> SqlChecks::put(std::string_view id, SessionKey key, Cursor asked, Cursor done) {
    HEADWAY_TRY(
        Statement insert,
        database_.prepare("INSERT INTO judge_check(id,session,asked,done) VALUES(?1,?2,?3,?4) ON "
                          "CONFLICT(id) DO UPDATE SET session=excluded.session,"
                          "asked=excluded.asked,done=excluded.done"));
    return insert.bind(1, id).bind(2, key).bind(3, asked).bind(4, done).run();
}

Result<> SqlChecks::make_room(std::string_view id, SessionKey key) {
    SessionKey other = key;
    {
        HEADWAY_TRY(Statement holder,
                    database_.prepare("SELECT session FROM judge_check WHERE id=?1"));
        HEADWAY_TRY(const bool held, holder.bind(1, id).step());
        if (held) other = holder.integer(0);
    }
    if (other == key) return {};
    HEADWAY_TRY(Statement move,
                database_.prepare("UPDATE judge_check SET id=?2 WHERE id=?1 AND session=?3"));
    const std::string of_several = aside(other, id);
    return move.bind(1, id).bind(2, of_several).bind(3, other).run();
}

Result<> SqlChecks::finish_check(std::string_view id, SessionKey key, Cursor done) {
    HEADWAY_TRY(Statement update,
                database_.prepare(
                    "UPDATE judge_check SET done=?2 WHERE id IN(?1,?4) AND session=?3 AND done=0"));
    HEADWAY_ASSERT(done > 0);
    const std::string of_several = aside(key, id);
    return update.bind(1, id).bind(2, done).bind(3, key).bind(4, of_several).run();
}

Result<> SqlChecks::finish_checks(SessionKey key, Cursor done) {
    HEADWAY_TRY(Statement update,
                database_.prepare("UPDATE judge_check SET done=?2 WHERE session=?1 AND done=0"));
    return update.bind(1, key).bind(2, done).run();
}

Result<std::optional<StoredCheck>> SqlChecks::find_check(std::string_view id) {
    HEADWAY_TRY(Statement find,
                database_.prepare(std::string{kSelectCheck} + "WHERE c.id IN(?1,?2)"));
    const std::string mark = shared_mark(id);
    find.bind(1, id).bind(2, mark);
    HEADWAY_TRY(std::vector<StoredCheck> rows, checks_of(find));
    std::optional<StoredCheck> newest;
    bool shared = false;
    for (StoredCheck& row : rows) {
        shared = shared || row.shared;
        if (!row.shared) newest = std::move(row);
    }
    if (newest) newest->shared = shared;
    return newest;
}

Result<std::optional<StoredCheck>> SqlChecks::find_check(std::string_view id, SessionKey key) {
    HEADWAY_TRY(Statement find, database_.prepare(std::string{kSelectCheck} +
                                                  "WHERE c.id IN(?1,?3) AND c.session=?2"));
    const std::string of_several = aside(key, id);
    find.bind(1, id).bind(2, key).bind(3, of_several);
    HEADWAY_TRY(std::vector<StoredCheck> rows, checks_of(find));
    if (rows.empty()) return std::optional<StoredCheck>{};
    return std::optional{std::move(rows.front())};
}

Result<std::vector<StoredCheck>> SqlChecks::pending_checks(std::size_t limit) {
    HEADWAY_TRY(Statement list, database_.prepare(std::string{kSelectCheck} +
                                                  "WHERE c.done=0 ORDER BY c.asked LIMIT ?1"));
    list.bind(1, static_cast<std::int64_t>(limit));
    return checks_of(list);
}

}  // namespace headway::storage
