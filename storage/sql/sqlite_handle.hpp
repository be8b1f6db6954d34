// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "storage/sql/sql.hpp"

struct sqlite3;

// RAII for the C API of SQLite. SQLite's errors become core::Error. One thread at a time.

namespace headway::storage {

/// One connection.
class Database final : public Sql {
public:
    /// Opens or creates `path` read-write. `vfs` names SQLite's layer for the file system; empty
    /// means the default layer. Tests use a faulty one. Errors: kStorageUnavailable,
    /// kStorageCorrupt, kStorageFull.
    static core::Result<Database> open(const std::string& path, const std::string& vfs = {});
    /// Opens a file that no process writes to, and changes neither the file nor its folder. Errors:
    /// those of open().
    static core::Result<Database> open_untouched(const std::string& path);

    core::Result<> execute(const char* sql);
    core::Result<Statement> prepare(std::string_view sql) override;
    core::Result<std::int64_t> changes() override;
    bool in_transaction() const override;
    std::string contains(std::string_view column, std::string_view parameter) const override;
    std::int64_t last_insert_rowid() const;
    sqlite3* get() const { return database_.get(); }

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    static core::Result<Database> open_with(const std::string& name, int flags,
                                            const std::string& vfs);
    std::unique_ptr<sqlite3, Close> database_;
};

/// Version of the linked library.
std::string_view sqlite_version();

/// The error of the last call on the connection; `doing` describes what the call was for.
core::Error sqlite_error(sqlite3* database, std::string_view doing);

/// Rewords `error`, which came from the first statement on `file`, for the person who chose the
/// file. The new error names the reason: the file is in use, cannot be written, or is not a
/// database. Must be called before the next statement.
core::Error opening_error(const Database& database, const std::string& file, core::Error error);

}  // namespace headway::storage
