// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/assert.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/postgres/wire/connection.hpp"

// Statements of a connection, and its transaction.

namespace headway::storage {
namespace {

using core::Result;

constexpr std::size_t kShownMax = 80;  ///< of a statement, in an error

}  // namespace

bool PostgresConnection::lost_a_conflict() const {
    return connection_ != nullptr && !outcome_unknown_ &&
           (state_ == "40001" || state_ == "40P01" || state_ == "55P03");
}

Result<> PostgresConnection::begin() {
    outcome_unknown_ = false;
    state_.clear();
    alone_ = false;
    failure_.reset();
    HEADWAY_ASSERT(!in_transaction_);
    HEADWAY_CHECK(enqueue("BEGIN", {}, {}));
    in_transaction_ = true;
    return {};
}

Result<> PostgresConnection::commit() {
    HEADWAY_ASSERT(in_transaction_);
    return enqueue("COMMIT", {}, {false, true, {}});
}

Result<PostgresRows> PostgresConnection::ask(std::string_view sql,
                                             const PostgresParameters& parameters) {
    HEADWAY_CHECK(send_asking(sql, parameters));
    HEADWAY_TRY(std::vector<PostgresRows> rows, finish());
    HEADWAY_ASSERT(!rows.empty());  // take() has one or an error for each that was asked
    return std::move(rows.back());
}

Result<PostgresRows> PostgresConnection::ask_row(std::string_view sql,
                                                 const PostgresParameters& parameters) {
    HEADWAY_TRY(PostgresRows rows, ask(sql, parameters));
    if (rows.size() == 1) return rows;
    return corrupt("PostgreSQL gave " + std::to_string(rows.size()) +
                   " rows instead of one for: " + std::string{sql.substr(0, kShownMax)});
}

void PostgresConnection::rollback() {
    failure_.reset();
    if (connection_ == nullptr) in_transaction_ = false;
    if (connection_ == nullptr || (!in_transaction_ && expected_.empty())) return;
    const bool unknown = outcome_unknown_;
    const std::string state = state_;
    const bool open = in_transaction_;
    in_transaction_ = false;
    committing_ = false;
    auto done = enqueue("ROLLBACK", {}, {});
    if (done) {
        auto finished = finish();
        if (!finished && connection_ != nullptr && open) {
            // A statement queued before it had failed, and the pipeline ended there.
            failure_.reset();
            done = enqueue("ROLLBACK", {}, {});
            if (done) finished = finish();
        }
        if (!finished) close();
    }
    failure_.reset();
    outcome_unknown_ = unknown;
    state_ = state;
}

Result<std::int64_t> PostgresConnection::changes() {
    if (!expected_.empty() || connection_ == nullptr) HEADWAY_CHECK(finish());
    return changes_;
}

}  // namespace headway::storage
