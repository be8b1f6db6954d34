// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "storage/sql/sql.hpp"

struct sqlite3;

// RAII over the C API of SQLite, with its errors as core::Error. One thread at a time.

namespace headway::storage {

/// One connection.
class Database final : public Sql {
public:
    /// Opens or creates `path` read-write. `vfs` names SQLite's file system layer, empty for the
    /// default; tests use a faulty one. Errors: kStorageUnavailable, kStorageCorrupt, kStorageFull.
    static core::Result<Database> open(const std::string& path, const std::string& vfs = {});
    /// Opens a file without writers, and changes neither the file nor its folder. Errors: as above.
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

/// The state of the connection after a failed call, as an Error.
core::Error sqlite_error(sqlite3* database, std::string_view doing);

/// `error` of the first statement on `file`, worded for the person who chose the file: it is in
/// use, cannot be written, or is not a database. Call it before the next statement.
core::Error opening_error(const Database& database, const std::string& file, core::Error error);

}  // namespace headway::storage
