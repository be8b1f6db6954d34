// SPDX-License-Identifier: Apache-2.0
#include "core/base/assert.hpp"
#include "storage/postgres/wire/connection.hpp"

// Statements of the tables that both databases have.

namespace headway::storage {
namespace {

using core::Result;

/// As PostgreSQL writes it.
std::string numbered(std::string_view sql) {
    std::string text{sql};
    for (char& c : text) {
        if (c == '?') c = '$';  // none of our statements has one in a text
    }
    return text;
}

/// Looks its name up with each run, so that it survives a lost connection.
class PostgresStatement final : public StatementImpl {
public:
    PostgresStatement(PostgresConnection& connection, std::string sql)
        : connection_(connection), sql_(std::move(sql)) {}

    void bind(int index, std::int64_t value) override { parameters_.set_number(index, value); }
    void bind_text(int index, std::string_view text) override { parameters_.set_text(index, text); }
    void bind_blob(int index, std::string_view bytes) override {
        parameters_.set_bytes(index, bytes);
    }
    void bind_null(int index) override { parameters_.set_null(index); }
    void bind_row(const StatementImpl&) override { HEADWAY_ASSERT(false); }  // of repairs only

    Result<bool> step() override {
        if (!rows_) {
            HEADWAY_TRY(rows_, connection_.ask(sql_, parameters_));
            row_ = -1;
        }
        if (++row_ < rows_->size()) return true;
        reset();
        return false;
    }
    Result<> run() override {
        HEADWAY_CHECK(connection_.send(sql_, parameters_));
        if (connection_.in_transaction()) return {};
        auto done = connection_.finish();
        return done ? Result<>{} : Result<>{std::move(done).error()};
    }
    void reset() override { rows_.reset(); }
    std::int64_t integer(int column) const override {
        return rows_ ? rows_->integer(row_, column) : 0;
    }
    std::string_view text(int column) const override { return blob(column); }
    std::string_view blob(int column) const override {
        return rows_ ? rows_->bytes(row_, column) : std::string_view{};
    }
    bool is_null(int column) const override { return !rows_ || rows_->is_null(row_, column); }
    int columns() const override { return rows_ ? rows_->columns() : 0; }
    std::string_view column_name(int column) const override {
        return rows_ ? rows_->column_name(column) : std::string_view{};
    }

private:
    PostgresConnection& connection_;
    std::string sql_;
    PostgresParameters parameters_;
    std::optional<PostgresRows> rows_;
    int row_ = -1;
};

}  // namespace

Result<Statement> PostgresConnection::prepare(std::string_view sql) {
    return Statement{std::make_unique<PostgresStatement>(*this, numbered(sql))};
}

std::string PostgresConnection::contains(std::string_view column,
                                         std::string_view parameter) const {
    return "position(" + std::string{parameter} + " IN " + std::string{column} + ")>0";
}

}  // namespace headway::storage
