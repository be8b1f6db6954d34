// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/retention.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/limits.hpp"
#include "storage/base/generations.hpp"

namespace headway::storage {
namespace {

using core::Result;

constexpr std::string_view kForget = "forget:";

std::string forget_name(SessionKey key) {
    return std::string{kForget} + std::to_string(key);
}

/// Condition on a session; $1 is the cutoff.
std::string due() {
    return std::string{"ended_at<$1 AND "} + kIsNewestGeneration;
}

}  // namespace

Result<> PostgresRetention::forget(SessionKey key) {
    return meta_.set(forget_name(key), 1);
}

Result<Deletion> PostgresRetention::step(core::Timestamp cutoff) {
    Deletion step;
    // One daemon at a time: who holds this row.
    HEADWAY_TRY(const PostgresRows mine,
                sql_.ask("SELECT name FROM lease WHERE name='retention' FOR UPDATE SKIP LOCKED"));
    if (mine.size() == 0) return step;
    HEADWAY_TRY(step.more, delete_rows());
    if (step.more) return step;
    HEADWAY_CHECK(doom_forgotten(step));
    if (step.more) return step;
    HEADWAY_CHECK(doom_one(cutoff, step));
    if (step.more) return step;
    PostgresParameters values;
    values.add(cutoff).add(static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep));
    HEADWAY_CHECK(
        sql_.send("DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency "
                  "WHERE at<$1 LIMIT $2)",
                  values));
    HEADWAY_TRY(const std::int64_t keys, sql_.changes());
    step.more = keys > 0;
    if (step.more) return step;
    HEADWAY_TRY(step.more, history_.forget_uses(cutoff));
    return step;
}

/// Dooms the next session that is to be forgotten; a recording that was not completed has no end.
Result<> PostgresRetention::doom_forgotten(Deletion& step) {
    return doom_if("key IN (SELECT substr(name,8)::bigint FROM meta WHERE name LIKE 'forget:%')",
                   {}, step);
}

/// Dooms the next session that ended before `cutoff`, in a walk that looks at a bounded number of
/// them in each step.
Result<> PostgresRetention::doom_one(core::Timestamp cutoff, Deletion& step) {
    if (!walk_.before.empty()) {
        PostgresParameters named;
        named.add(cutoff).add_text(std::exchange(walk_.before, {}));
        HEADWAY_CHECK(doom_if("name=$2 AND " + due(), std::move(named), step));
        if (step.more) return {};
    }
    constexpr auto kLooks = static_cast<std::int64_t>(RetentionWalk::kLooksPerStep);
    PostgresParameters page;
    page.add(cutoff).add(walk_.ended_at).add(walk_.key).add(kLooks);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask(std::string{"SELECT key,ended_at,CASE WHEN "} + kIsNewestGeneration +
                             " THEN 1 ELSE 0 END FROM session WHERE name IS NOT NULL AND "
                             "ended_at IS NOT NULL AND ended_at<$1 AND (ended_at,key)>($2,$3) "
                             "ORDER BY ended_at,key LIMIT $4",
                         page));
    for (int at = 0; at < rows.size(); ++at) {
        walk_.key = rows.integer(at, 0);
        walk_.ended_at = rows.integer(at, 1);
        if (rows.integer(at, 2) == 0) continue;
        PostgresParameters one;
        one.add(cutoff).add(walk_.key);
        HEADWAY_CHECK(doom_if("key=$2 AND " + due(), std::move(one), step));
        if (step.more) return {};
    }
    step.more = rows.size() == kLooks;
    if (!step.more) walk_ = {};
    return {};
}

/// Dooms one session with a name that fulfils the condition, if no other daemon holds it: it is
/// unknown from here on, all its events count as deleted, and its rows are deleted step by step.
Result<> PostgresRetention::doom_if(const std::string& condition, PostgresParameters values,
                                    Deletion& step) {
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT key,name FROM session WHERE name IS NOT NULL AND " + condition +
                             " LIMIT 1 FOR UPDATE SKIP LOCKED",
                         values));
    if (rows.size() == 0) return {};
    step.more = true;
    std::string id{rows.bytes(0, 1)};
    if (walk_.before.empty()) walk_.before = generation_before(id);
    return doom(rows.integer(0, 0), std::move(id), step);
}

Result<> PostgresRetention::doom(SessionKey key, std::string id, Deletion& step) {
    step.doomed = key;
    step.doomed_id = std::move(id);
    PostgresParameters one;
    one.add(key);
    HEADWAY_CHECK(sql_.send("DELETE FROM session_index WHERE session=$1", one));
    HEADWAY_TRY(
        const PostgresRows last,
        sql_.ask_row("SELECT coalesce(max(pos+count-1),0) FROM stream WHERE session=$1", one));
    HEADWAY_CHECK(note_deleted(last.integer(0, 0)));
    return sql_.send(
        "UPDATE session SET name=NULL,due_at=NULL,ended_at=coalesce(ended_at,opened_at) "
        "WHERE key=$1",
        one);
}

Result<std::int64_t> PostgresRetention::delete_some(std::string_view sql, SessionKey session) {
    PostgresParameters values;
    values.add(session).add(static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep));
    HEADWAY_CHECK(sql_.send(sql, values));
    return sql_.changes();
}

Result<bool> PostgresRetention::delete_rows() {
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT key FROM session WHERE ended_at IS NOT NULL AND name IS NULL "
                         "LIMIT 1"));
    if (rows.size() == 0) return false;
    const SessionKey doomed = rows.integer(0, 0);
    PostgresParameters values;
    values.add(doomed).add(static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep));
    HEADWAY_TRY(const PostgresRows gone,
                sql_.ask("DELETE FROM stream WHERE pos IN (SELECT pos FROM stream WHERE session=$1 "
                         "LIMIT $2) RETURNING pos+count-1",
                         values));
    std::int64_t deleted = 0;
    for (int at = 0; at < gone.size(); ++at)
        deleted = std::max(deleted, gone.integer(at, 0));
    if (deleted > 0) {
        HEADWAY_CHECK(note_deleted(deleted));
        return true;
    }
    HEADWAY_TRY(const std::int64_t journal,
                delete_some("DELETE FROM journal WHERE session=$1 AND n IN (SELECT n FROM journal "
                            "WHERE session=$1 LIMIT $2)",
                            doomed));
    return journal > 0 ? Result<bool>{true} : delete_side_rows(doomed);
}

Result<> PostgresRetention::note_deleted(Cursor through) {
    PostgresParameters value;
    value.add(through);
    return sql_.send(
        "INSERT INTO meta(name,value) VALUES('deleted_through',$1) ON "
        "CONFLICT(name) DO UPDATE SET value=excluded.value WHERE "
        "meta.value<excluded.value",
        value);
}

/// After the journal: deletes the session's other rows, and the session itself last.
Result<bool> PostgresRetention::delete_side_rows(SessionKey doomed) {
    constexpr const char* kSteps[] = {
        "DELETE FROM event_id WHERE session=$1 AND id IN "
        "(SELECT id FROM event_id WHERE session=$1 LIMIT $2)",
        "DELETE FROM approval WHERE session=$1 AND n IN "
        "(SELECT n FROM approval WHERE session=$1 LIMIT $2)",
        "DELETE FROM inbox WHERE session=$1 AND id IN "
        "(SELECT id FROM inbox WHERE session=$1 LIMIT $2)",
        "DELETE FROM judge_check WHERE id IN "
        "(SELECT id FROM judge_check WHERE session=$1 LIMIT $2)",
        "DELETE FROM estimate WHERE session=$1 AND n IN "
        "(SELECT n FROM estimate WHERE session=$1 LIMIT $2)",
    };
    for (const char* sql : kSteps) {
        HEADWAY_TRY(const std::int64_t deleted, delete_some(sql, doomed));
        if (deleted > 0) return true;
    }
    PostgresParameters one;
    one.add(doomed);
    HEADWAY_CHECK(sql_.send("DELETE FROM snapshot WHERE session=$1", one));
    HEADWAY_CHECK(sql_.send("DELETE FROM session WHERE key=$1", one));
    PostgresParameters name;
    name.add_text(forget_name(doomed));
    HEADWAY_CHECK(sql_.send("DELETE FROM meta WHERE name=$1", name));
    return true;
}

}  // namespace headway::storage
