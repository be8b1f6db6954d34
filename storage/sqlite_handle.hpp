// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/time.hpp"

struct sqlite3;
struct sqlite3_stmt;

// RAII over the C API of SQLite, with its errors as core::Error. One thread at a time.

namespace headway::storage {

/// A prepared statement. Bound text and blobs are not copied: they must live until step() returns.
/// If a parameter cannot be bound, the next step() fails, because it would run with an older value.
class Statement {
public:
    Statement() = default;

    Statement& bind(int index, std::int64_t value);
    Statement& bind(int index, std::string_view text);
    /// As milliseconds since 1970.
    Statement& bind(int index, core::Timestamp at);
    Statement& bind_blob(int index, std::string_view bytes);
    Statement& bind_null(int index);
    /// Binds the columns of another statement's row, from parameter 1.
    Statement& bind_row(const Statement& row);

    /// Runs to the next row: true on a row, false at the end. After false or an error the statement
    /// is reset. Use Rows for kept statements with rows.
    core::Result<bool> step();
    /// Runs a statement without rows.
    core::Result<> run();
    void reset();

    std::int64_t integer(int column) const;
    /// A number that is never negative: 0 for a damaged one.
    std::uint64_t count(int column) const;
    core::Timestamp time(int column) const;
    /// Valid until the next step() or reset().
    std::string_view text(int column) const;
    std::string_view blob(int column) const;
    bool is_null(int column) const;
    int columns() const;
    std::string_view column_name(int column) const;

private:
    friend class Database;
    void note_bind(int code);
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int bind_error_ = 0;  ///< the first one since the last reset
};

/// The rows of a kept statement. Resets the statement at the end of the scope, also after an error,
/// so that the next reader starts clean.
class Rows {
public:
    explicit Rows(Statement& statement) : statement_(statement) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() { statement_.reset(); }

    /// As Statement::step().
    core::Result<bool> next() { return statement_.step(); }
    const Statement* operator->() const { return &statement_; }
    const Statement& row() const { return statement_; }

private:
    Statement& statement_;
};

/// One connection.
class Database {
public:
    /// Opens or creates `path` read-write. `vfs` names SQLite's file system layer, empty for the
    /// default; tests use a faulty one. Errors: kStorageUnavailable, kStorageCorrupt, kStorageFull.
    static core::Result<Database> open(const std::string& path, const std::string& vfs = {});
    /// Opens a file without writers, and changes neither it nor its folder. Errors: as above.
    static core::Result<Database> open_untouched(const std::string& path);

    core::Result<> execute(const char* sql);
    /// For statements that are kept.
    core::Result<Statement> prepare(std::string_view sql);
    core::Result<std::int64_t> query_integer(std::string_view sql);

    std::int64_t last_insert_rowid() const;
    std::int64_t changes() const;
    bool in_transaction() const;
    sqlite3* get() const { return database_.get(); }

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    static core::Result<Database> open_with(const std::string& name, int flags,
                                            const std::string& vfs);
    std::unique_ptr<sqlite3, Close> database_;
};

/// Of the linked library.
std::string_view sqlite_version();

/// The state of the connection after a failed call, as an Error.
core::Error sqlite_error(sqlite3* database, std::string_view doing);

}  // namespace headway::storage
