// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/meters/call_times.hpp"
#include "storage/codec/codec.hpp"
#include "storage/sql/sql_tables.hpp"

// Knowledge from ended sessions: one row for each agent type, for each of its complexities and for
// each of its tools.

namespace headway::storage {
namespace {

using core::Result;

// Kinds are stored: append only.
constexpr std::int64_t kUse = 0;
constexpr std::int64_t kUseByComplexity = 1;
constexpr std::int64_t kCalls = 2;

/// Never asserted: it comes from a disk.
template <class T>
T valid_or_empty(Result<T> decoded) {
    if (decoded && core::is_valid(*decoded)) return *std::move(decoded);
    return {};
}

std::int64_t kind_of(std::optional<core::Complexity> complexity) {
    return complexity ? kUseByComplexity : kUse;
}

std::string_view name_of_use(std::optional<core::Complexity> complexity) {
    return complexity ? core::name_of(*complexity) : "";
}

/// An empty text, and not NULL, also for a view of nothing.
std::string_view text_of(std::string_view text) {
    return text.empty() ? "" : text;
}

/// An older row is replaced like one that is not known yet.
core::Timestamp kept_since(core::Timestamp now) {
    return now - std::chrono::duration_cast<core::Millis>(core::limits::kExpectationKeptFor);
}

}  // namespace

Result<> SqlExpectations::prepare() {
    HEADWAY_TRY(find_, database_.prepare("SELECT sketches FROM expectation WHERE agent=?1 AND "
                                         "kind=?2 AND name=?3"));
    HEADWAY_TRY(update_,
                database_.prepare("UPDATE expectation SET sessions=?4,updated_at=?5,sketches=?6 "
                                  "WHERE agent=?1 AND kind=?2 AND name=?3"));
    HEADWAY_TRY(insert_,
                database_.prepare("INSERT INTO expectation(agent,kind,name,sessions,updated_at,"
                                  "sketches) VALUES(?1,?2,?3,?4,?5,?6)"));
    HEADWAY_TRY(list_calls_,
                database_.prepare("SELECT name,sessions,sketches FROM expectation WHERE agent=?1 "
                                  "AND kind=2 AND sessions>=?2 ORDER BY sessions DESC,name "
                                  "LIMIT ?3"));
    return {};
}

Result<std::string> SqlExpectations::find(const Key& key) {
    Rows rows{find_.bind(1, text_of(key.agent)).bind(2, key.kind).bind(3, text_of(key.name))};
    HEADWAY_TRY(const bool found, rows.next());
    return found ? std::string{rows->blob(0)} : std::string{};
}

Result<> SqlExpectations::save(const Key& key, const Value& value) {
    HEADWAY_ASSERT(core::is_expected_name(key.agent) && core::is_expected_name(key.name));
    HEADWAY_ASSERT(database_.in_transaction());
    const auto bind = [&](Statement& statement) -> Statement& {
        return statement.bind(1, text_of(key.agent))
            .bind(2, key.kind)
            .bind(3, text_of(key.name))
            .bind(4, static_cast<std::int64_t>(value.sessions))
            .bind(5, value.at)
            .bind_blob(6, value.sketches);
    };
    HEADWAY_CHECK(bind(update_).run());
    HEADWAY_TRY(const std::int64_t updated, database_.changes());
    if (updated > 0) return {};
    if (key.kind == kUse) HEADWAY_CHECK(make_room_for_agent(value.at));
    if (key.kind == kCalls) HEADWAY_CHECK(make_room_for_tool(key.agent, value.at));
    return bind(insert_).run();
}

/// Statements of new names are prepared on demand: names are rarely new.
Result<> SqlExpectations::make_room_for_agent(core::Timestamp now) {
    HEADWAY_TRY(const std::int64_t known,
                database_.query_integer("SELECT count(*) FROM expectation WHERE kind=0"));
    if (known < static_cast<std::int64_t>(core::limits::kExpectedAgentsMax)) return {};
    HEADWAY_TRY(Statement drop,
                database_.prepare("DELETE FROM expectation WHERE agent=(SELECT agent FROM "
                                  "expectation WHERE kind=0 ORDER BY (sessions>=?1 AND "
                                  "updated_at>=?2),updated_at,agent LIMIT 1)"));
    // Where the database drops none, the table is a row too long: no reason to refuse an end.
    return drop.bind(1, std::int64_t{core::limits::kExpectationSessionsMin})
        .bind(2, kept_since(now))
        .run();
}

Result<> SqlExpectations::make_room_for_tool(std::string_view agent, core::Timestamp now) {
    HEADWAY_TRY(Statement count, database_.prepare("SELECT count(*) FROM expectation WHERE "
                                                   "agent=?1 AND kind=2"));
    HEADWAY_TRY(const bool row, count.bind(1, text_of(agent)).step());
    const std::int64_t known = row ? count.integer(0) : 0;
    if (known < static_cast<std::int64_t>(core::limits::kExpectedToolsMax)) return {};
    count.reset();
    HEADWAY_TRY(Statement drop,
                database_.prepare("DELETE FROM expectation WHERE agent=?1 AND kind=2 AND "
                                  "name=(SELECT name FROM expectation WHERE agent=?1 AND kind=2 "
                                  "ORDER BY (sessions>=?2 AND updated_at>=?3),updated_at,name "
                                  "LIMIT 1)"));
    return drop.bind(1, text_of(agent))
        .bind(2, std::int64_t{core::limits::kExpectationSessionsMin})
        .bind(3, kept_since(now))
        .run();
}

Result<core::UseSketches> SqlExpectations::use(std::string_view agent,
                                               std::optional<core::Complexity> complexity) {
    HEADWAY_TRY(const std::string stored,
                find({agent, kind_of(complexity), name_of_use(complexity)}));
    if (stored.empty()) return core::UseSketches{};
    return valid_or_empty(decode_use_sketches(stored));
}

Result<> SqlExpectations::save_use(std::string_view agent,
                                   std::optional<core::Complexity> complexity,
                                   const core::UseSketches& use, core::Timestamp at) {
    HEADWAY_ASSERT(core::is_valid(use));
    const std::string sketches = encode_use_sketches(use);
    return save({agent, kind_of(complexity), name_of_use(complexity)},
                {use.steps.sessions, at, sketches});
}

Result<core::Sketch> SqlExpectations::calls(std::string_view agent, std::string_view tool) {
    HEADWAY_TRY(const std::string stored, find({agent, kCalls, tool}));
    if (stored.empty()) return core::Sketch{};
    return valid_or_empty(decode_sketch(stored));
}

Result<> SqlExpectations::save_calls(std::string_view agent, std::string_view tool,
                                     const core::Sketch& calls, core::Timestamp at) {
    HEADWAY_ASSERT(core::is_valid(calls) && calls.sessions > 0);
    const std::string sketches = encode_sketch(calls);
    return save({agent, kCalls, tool}, {calls.sessions, at, sketches});
}

Result<std::vector<StoredUse>> SqlExpectations::list_uses() {
    HEADWAY_TRY(Statement rows, database_.prepare("SELECT agent,sketches FROM expectation WHERE "
                                                  "kind=0 ORDER BY agent LIMIT ?1"));
    rows.bind(1, std::int64_t{core::limits::kExpectedAgentsMax});
    std::vector<StoredUse> all;
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) return all;
        all.push_back(
            {std::string{rows.text(0)}, valid_or_empty(decode_use_sketches(rows.blob(1)))});
    }
}

Result<std::vector<core::ExpectedCall>> SqlExpectations::list_calls(std::string_view agent,
                                                                    std::size_t limit, bool ready) {
    const std::int64_t least = ready ? std::int64_t{core::limits::kExpectationSessionsMin} : 0;
    Rows rows{list_calls_.bind(1, text_of(agent))
                  .bind(2, least)
                  .bind(3, static_cast<std::int64_t>(limit))};
    std::vector<core::ExpectedCall> all;
    while (true) {
        HEADWAY_TRY(const bool row, rows.next());
        if (!row) return all;
        const core::Sketch calls = valid_or_empty(decode_sketch(rows->blob(2)));
        all.push_back({std::string{rows->text(0)}, calls.sessions, core::quantiles_of(calls)});
    }
}

}  // namespace headway::storage
