// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

// SQL on one connection to SQLite (sqlite_handle.hpp) or to PostgreSQL (postgres/). All tables
// except the journal are accessed with SQL that both databases understand. Parameters are written
// as ?1, ?2, and so on. One thread at a time.

namespace headway::storage {

/// The implementation of a Statement for one kind of database; Statement describes the functions.
class StatementImpl {
public:
    virtual ~StatementImpl() = default;

    virtual void bind(int index, std::int64_t value) = 0;
    virtual void bind_text(int index, std::string_view text) = 0;
    virtual void bind_blob(int index, std::string_view bytes) = 0;
    virtual void bind_null(int index) = 0;
    virtual void bind_row(const StatementImpl& row) = 0;
    virtual core::Result<bool> step() = 0;
    virtual core::Result<> run() = 0;
    virtual void reset() = 0;
    virtual std::int64_t integer(int column) const = 0;
    virtual std::string_view text(int column) const = 0;
    virtual std::string_view blob(int column) const = 0;
    virtual bool is_null(int column) const = 0;
    virtual int columns() const = 0;
    virtual std::string_view column_name(int column) const = 0;
};

/// A prepared statement. Bound text and blobs are not copied: they must live until step() or run()
/// returns. If a parameter cannot be bound, the next step() fails, since the statement would
/// otherwise run with the previous value.
class Statement {
public:
    Statement() = default;
    explicit Statement(std::unique_ptr<StatementImpl> impl) : impl_(std::move(impl)) {}

    Statement& bind(int index, std::int64_t value) {
        impl_->bind(index, value);
        return *this;
    }
    /// `text` must live until the statement runs.
    Statement& bind(int index, std::string_view text) {
        impl_->bind_text(index, text);
        return *this;
    }
    template <std::same_as<std::string> Text>
    Statement& bind(int index, Text&& gone_before_it_runs) = delete;
    /// Binds milliseconds since 1970.
    Statement& bind(int index, core::Timestamp at) {
        return bind(index, std::int64_t{at.time_since_epoch().count()});
    }
    /// `bytes` must live until the statement runs.
    Statement& bind_blob(int index, std::string_view bytes) {
        impl_->bind_blob(index, bytes);
        return *this;
    }
    template <std::same_as<std::string> Text>
    Statement& bind_blob(int index, Text&& gone_before_it_runs) = delete;
    Statement& bind_null(int index) {
        impl_->bind_null(index);
        return *this;
    }
    /// Binds the columns of another statement's current row to the parameters from 1 on. Both
    /// statements must belong to the same database.
    Statement& bind_row(const Statement& row) {
        impl_->bind_row(*row.impl_);
        return *this;
    }

    /// Runs to the next row: true if there is a row, false at the end. At the end, and after an
    /// error, the statement is reset. Use Rows for a statement that returns rows and is run more
    /// than once.
    core::Result<bool> step() { return impl_->step(); }
    /// Runs a statement without rows. A remote database may run it later, but in order and before
    /// any statement that waits for an answer. The statement's error is then returned when the
    /// transaction ends.
    core::Result<> run() { return impl_->run(); }
    void reset() { impl_->reset(); }

    std::int64_t integer(int column) const { return impl_->integer(column); }
    /// The value of a column that has no negative numbers; 0 for a negative value, which is
    /// damaged.
    std::uint64_t count(int column) const {
        const std::int64_t number = integer(column);
        return number < 0 ? 0 : static_cast<std::uint64_t>(number);
    }
    core::Timestamp time(int column) const {
        return core::Timestamp{core::Millis{integer(column)}};
    }
    /// The text is valid until the next step() or reset().
    std::string_view text(int column) const { return impl_->text(column); }
    std::string_view blob(int column) const { return impl_->blob(column); }
    bool is_null(int column) const { return impl_->is_null(column); }
    int columns() const { return impl_->columns(); }
    std::string_view column_name(int column) const { return impl_->column_name(column); }

private:
    std::unique_ptr<StatementImpl> impl_;
};

/// The rows of a statement that is kept. At the end of the scope, even after an error, the
/// statement is reset for its next use.
class Rows {
public:
    explicit Rows(Statement& statement) : statement_(statement) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() { statement_.reset(); }

    /// Like Statement::step().
    core::Result<bool> next() { return statement_.step(); }
    const Statement* operator->() const { return &statement_; }
    const Statement& row() const { return statement_; }

private:
    Statement& statement_;
};

/// A connection. Errors: kStorageUnavailable, kStorageCorrupt, kStorageFull.
class Sql {
public:
    virtual ~Sql() = default;

    /// The statement may be kept and run again.
    virtual core::Result<Statement> prepare(std::string_view sql) = 0;
    /// Number of rows that the last statement has changed. If that statement was delayed (see
    /// Statement::run()), its error is returned here.
    virtual core::Result<std::int64_t> changes() = 0;
    virtual bool in_transaction() const = 0;
    /// An SQL condition that is true if the text or bytes of `column` contain `parameter`.
    virtual std::string contains(std::string_view column, std::string_view parameter) const = 0;

    /// The first column of the first row; 0 if there is no row.
    core::Result<std::int64_t> query_integer(std::string_view sql) {
        HEADWAY_TRY(Statement statement, prepare(sql));
        HEADWAY_TRY(const bool row, statement.step());
        return row ? statement.integer(0) : 0;
    }

protected:
    Sql() = default;
    Sql(const Sql&) = default;
    Sql& operator=(const Sql&) = default;
};

}  // namespace headway::storage
