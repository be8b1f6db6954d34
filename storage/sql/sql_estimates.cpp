// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/sql/sql_tables.hpp"

// Estimates of open sessions, and scores of ended ones, written in the transaction of the events.
// Statements are prepared on demand: estimates are rare compared to calls.

namespace headway::storage {
namespace {

using core::Result;

constexpr std::string_view kOtherModels = "other";

}  // namespace

Result<> SqlEstimates::add_estimate(SessionKey key, const core::EstimateMade& estimate) {
    HEADWAY_TRY(
        Statement insert,
        database_.prepare("INSERT INTO estimate(session,n,percent_milli,calls,source,model) "
                          "VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT(session,n) DO UPDATE SET "
                          "percent_milli=excluded.percent_milli,calls=excluded.calls,"
                          "source=excluded.source,model=excluded.model"));
    HEADWAY_CHECK(insert.bind(1, key)
                      .bind(2, static_cast<std::int64_t>(estimate.n))
                      .bind(3, std::int64_t{std::llround(estimate.percent * 1000)})
                      .bind(4, static_cast<std::int64_t>(estimate.calls))
                      .bind(5, estimate.source)
                      .bind(6, estimate.model)
                      .run());
    HEADWAY_TRY(Statement trim,
                database_.prepare("DELETE FROM estimate WHERE session=?1 AND n<=(SELECT n FROM "
                                  "estimate WHERE session=?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)"));
    return trim.bind(1, key)
        .bind(2, static_cast<std::int64_t>(core::limits::kEstimatesKeptMax))
        .run();
}

Result<std::vector<core::EstimateMade>> SqlEstimates::take_estimates(SessionKey key) {
    HEADWAY_TRY(Statement rows,
                database_.prepare("SELECT n,percent_milli,calls,source,model FROM estimate WHERE "
                                  "session=?1 ORDER BY n"));
    rows.bind(1, key);
    std::vector<core::EstimateMade> all;
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) break;
        core::EstimateMade& estimate = all.emplace_back();
        estimate.n = rows.count(0);
        estimate.percent = static_cast<double>(rows.integer(1)) / 1000;
        estimate.calls = rows.count(2);
        estimate.source = rows.text(3);
        estimate.model = rows.text(4);
    }
    HEADWAY_TRY(Statement drop, database_.prepare("DELETE FROM estimate WHERE session=?1"));
    HEADWAY_CHECK(drop.bind(1, key).run());
    return all;
}

/// True if the model has a score, or there is room for one more. Agents have no model.
Result<bool> SqlEstimates::knows_model(const core::EstimateScore& score) {
    if (score.model.empty()) return true;
    HEADWAY_TRY(Statement known,
                database_.prepare("SELECT count(DISTINCT model),coalesce(max(CASE WHEN model=?1 "
                                  "AND source=?2 THEN 1 ELSE 0 END),0) FROM estimate_score"));
    HEADWAY_TRY(const bool row, known.bind(1, score.model).bind(2, score.source).step());
    return row && (known.integer(1) != 0 || known.count(0) < core::limits::kEstimateModelsMax);
}

Result<> SqlEstimates::add_estimate_score(const core::EstimateScore& score) {
    HEADWAY_ASSERT(score.decile < core::kDeciles && score.completed <= score.count);
    HEADWAY_TRY(const bool known, knows_model(score));
    HEADWAY_TRY(
        Statement add,
        database_.prepare(
            "INSERT INTO estimate_score(model,source,decile,count,completed,"
            "abs_error_milli,signed_error_milli) VALUES(?1,?2,?3,?4,?5,?6,?7) "
            "ON CONFLICT(source,model,decile) DO UPDATE SET "
            "count=estimate_score.count+excluded.count,"
            "completed=estimate_score.completed+excluded.completed,"
            "abs_error_milli=estimate_score.abs_error_milli+excluded.abs_error_milli,"
            "signed_error_milli=estimate_score.signed_error_milli+excluded.signed_error_milli"));
    return add.bind(1, known ? std::string_view{score.model} : kOtherModels)
        .bind(2, score.source)
        .bind(3, static_cast<std::int64_t>(score.decile))
        .bind(4, static_cast<std::int64_t>(score.count))
        .bind(5, static_cast<std::int64_t>(score.completed))
        .bind(6, score.abs_error_milli)
        .bind(7, score.signed_error_milli)
        .run();
}

Result<std::vector<core::EstimateScore>> SqlEstimates::estimate_scores() {
    HEADWAY_TRY(Statement rows,
                database_.prepare("SELECT source,model,decile,count,completed,abs_error_milli,"
                                  "signed_error_milli FROM estimate_score "
                                  "ORDER BY source,model,decile"));
    std::vector<core::EstimateScore> all;
    while (true) {
        HEADWAY_TRY(const bool row, rows.step());
        if (!row) return all;
        core::EstimateScore& score = all.emplace_back();
        score.source = rows.text(0);
        score.model = rows.text(1);
        score.decile = rows.count(2);
        score.count = rows.count(3);
        score.completed = rows.count(4);
        score.abs_error_milli = rows.integer(5);
        score.signed_error_milli = rows.integer(6);
    }
}

}  // namespace headway::storage
