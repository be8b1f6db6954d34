// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/cost_text.hpp"
#include "storage/sql/sql_tables.hpp"

// Use records of ended sessions: one row each, for analytics and predictions.

namespace headway::storage {

using core::Result;

namespace {

core::Outcome outcome_of(std::int64_t number) {
    const auto known = static_cast<std::int64_t>(core::EnumNames<core::Outcome>::kNames.size());
    return number >= 0 && number < known ? static_cast<core::Outcome>(number)
                                         : core::Outcome::kFailed;
}

}  // namespace

Result<> SqlHistory::prepare() {
    HEADWAY_TRY(add_use_,
                database_.prepare("INSERT INTO used(agent,outcome,ended_at,elapsed_ms,steps,tokens,"
                                  "cost_micros) VALUES(?1,?2,?3,?4,?5,?6,?7)"));
    return {};
}

Result<std::int64_t> SqlHistory::counter(std::string_view name) {
    return meta_.get("count." + std::string{name});
}

Result<> SqlHistory::add_to_counter(std::string_view name, std::int64_t delta) {
    return meta_.add("count." + std::string{name}, delta);
}

Result<> SqlHistory::add_use(const core::UseRecord& record) {
    HEADWAY_ASSERT(outcome_of(static_cast<std::int64_t>(record.outcome)) == record.outcome);
    return add_use_.bind(1, record.agent)
        .bind(2, static_cast<std::int64_t>(record.outcome))
        .bind(3, record.ended_at)
        .bind(4, static_cast<std::int64_t>(record.elapsed_ms))
        .bind(5, static_cast<std::int64_t>(record.steps))
        .bind(6, static_cast<std::int64_t>(record.tokens))
        .bind(7, static_cast<std::int64_t>(record.cost_micros))
        .run();
}

Result<std::vector<core::UseRecord>> SqlHistory::list_uses(const std::optional<std::string>& agent,
                                                           std::size_t limit) {
    const std::string select =
        "SELECT agent,outcome,ended_at,elapsed_ms,steps,tokens,cost_micros FROM used ";
    HEADWAY_TRY(
        Statement rows,
        database_.prepare(
            (select + (agent ? "WHERE agent=?2 " : "") + "ORDER BY id DESC LIMIT ?1").c_str()));
    rows.bind(1, static_cast<std::int64_t>(limit));
    if (agent) rows.bind(2, *agent);
    std::vector<core::UseRecord> records;
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) return records;
        core::UseRecord& record = records.emplace_back();
        record.agent = rows.text(0);
        record.outcome = outcome_of(rows.integer(1));
        record.ended_at = rows.time(2);
        record.elapsed_ms = rows.count(3);
        record.steps = rows.count(4);
        record.tokens = rows.count(5);
        // -1 where the cost is not known.
        record.cost_micros = rows.integer(6) < 0 ? core::kUnknownCost : rows.count(6);
    }
}

Result<bool> SqlHistory::forget_uses(core::Timestamp cutoff) {
    HEADWAY_TRY(
        Statement some,
        database_.prepare("DELETE FROM used WHERE id IN (SELECT id FROM (SELECT id,ended_at "
                          "FROM used ORDER BY id LIMIT ?2) AS oldest WHERE ended_at<?1)"));
    HEADWAY_CHECK(some.bind(1, cutoff)
                      .bind(2, static_cast<std::int64_t>(core::limits::kRetentionRowsPerStep))
                      .run());
    HEADWAY_TRY(const std::int64_t forgotten, database_.changes());
    return forgotten > 0;
}

}  // namespace headway::storage
