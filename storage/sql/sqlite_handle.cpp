// SPDX-License-Identifier: Apache-2.0
#include "storage/sql/sqlite_handle.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::storage {
namespace {

static_assert(sizeof(sqlite3_int64) == sizeof(std::int64_t));

core::ErrorCode code_of(int sqlite_code, int system_error) {
    // The kernel reports a failed sync once and may have dropped the pages: storage/README.md, "A
    // sync fails".
    if (sqlite_code == SQLITE_IOERR_FSYNC || sqlite_code == SQLITE_IOERR_DIR_FSYNC)
        return core::ErrorCode::kStorageSyncFailed;
    switch (sqlite_code & 0xFF) {
        case SQLITE_IOERR:  // SQLite maps only ENOSPC
            return system_error == EDQUOT ? core::ErrorCode::kStorageFull
                                          : core::ErrorCode::kStorageUnavailable;
        case SQLITE_FULL:
            return core::ErrorCode::kStorageFull;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return core::ErrorCode::kStorageCorrupt;
        default:
            return core::ErrorCode::kStorageUnavailable;
    }
}

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3_stmt, Finalize>;

class SqliteStatement final : public StatementImpl {
public:
    explicit SqliteStatement(Handle statement) : statement_(std::move(statement)) {}

    void bind(int index, std::int64_t value) override {
        note_bind(sqlite3_bind_int64(statement_.get(), index, value));
    }
    void bind_text(int index, std::string_view text) override {
        note_bind(sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(),
                                      SQLITE_STATIC, SQLITE_UTF8));
    }
    void bind_blob(int index, std::string_view bytes) override {
        note_bind(sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(),
                                      SQLITE_STATIC));
    }
    void bind_null(int index) override { note_bind(sqlite3_bind_null(statement_.get(), index)); }
    void bind_row(const StatementImpl& row) override;
    core::Result<bool> step() override;
    core::Result<> run() override;
    void reset() override;
    std::int64_t integer(int column) const override {
        HEADWAY_ASSERT(has(column));
        return sqlite3_column_int64(statement_.get(), column);
    }
    std::string_view text(int column) const override;
    std::string_view blob(int column) const override;
    bool is_null(int column) const override {
        HEADWAY_ASSERT(has(column));
        return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
    }
    int columns() const override { return sqlite3_column_count(statement_.get()); }
    std::string_view column_name(int column) const override;

private:
    bool has(int column) const {
        return column >= 0 && column < sqlite3_data_count(statement_.get());
    }
    void note_bind(int code) {
        if (bind_error_ == SQLITE_OK) bind_error_ = code;
    }

    Handle statement_;
    int bind_error_ = SQLITE_OK;  ///< the first one since the last reset
};

core::Result<bool> SqliteStatement::step() {
    HEADWAY_ASSERT(statement_ != nullptr);
    if (bind_error_ != SQLITE_OK) {
        core::Error error{core::ErrorCode::kStorageUnavailable,
                          std::string{sqlite3_sql(statement_.get())} +
                              ": a parameter cannot be bound: " + sqlite3_errstr(bind_error_),
                          {}};
        reset();
        return error;
    }
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) {
        reset();
        return false;
    }
    core::Error error =
        sqlite_error(sqlite3_db_handle(statement_.get()), sqlite3_sql(statement_.get()));
    reset();
    return error;
}

core::Result<> SqliteStatement::run() {
    auto row = step();
    if (!row) return std::move(row).error();
    HEADWAY_ASSERT(!*row || columns() > 0);
    if (*row) reset();
    return {};
}

void SqliteStatement::reset() {
    sqlite3_reset(statement_.get());
    bind_error_ = SQLITE_OK;
    HEADWAY_ASSERT(sqlite3_data_count(statement_.get()) == 0);
}

std::string_view SqliteStatement::text(int column) const {
    HEADWAY_ASSERT(has(column));
    const auto* data = sqlite3_column_text(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    if (data == nullptr) return {};
    return {reinterpret_cast<const char*>(data), size};
}

std::string_view SqliteStatement::blob(int column) const {
    HEADWAY_ASSERT(has(column));
    const void* data = sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return {static_cast<const char*>(data), size};
}

void SqliteStatement::bind_row(const StatementImpl& row) {
    HEADWAY_ASSERT(&row != this && row.columns() > 0);
    const auto& from = static_cast<const SqliteStatement&>(row);
    for (int column = 0; column < row.columns(); ++column) {
        note_bind(sqlite3_bind_value(statement_.get(), column + 1,
                                     sqlite3_column_value(from.statement_.get(), column)));
    }
}

std::string_view SqliteStatement::column_name(int column) const {
    const char* name = sqlite3_column_name(statement_.get(), column);
    return name == nullptr ? std::string_view{} : name;
}

}  // namespace

core::Error sqlite_error(sqlite3* database, std::string_view doing) {
    const int code = sqlite3_extended_errcode(database);
    return {code_of(code, sqlite3_system_errno(database)),
            std::string{doing} + ": " + sqlite3_errmsg(database) + " (sqlite " +
                std::to_string(code) + ")",
            {}};
}

core::Error opening_error(const Database& database, const std::string& file, core::Error error) {
    if (error.detail.find("locked") != std::string::npos) {
        error.detail = file + " is in use by another process; is headway running?";
    } else if (error.code == core::ErrorCode::kStorageCorrupt) {
        error.detail = file + " is not a database of Headway, or its beginning is damaged (" +
                       sqlite3_errmsg(database.get()) + ")";
    } else if (sqlite3_extended_errcode(database.get()) == SQLITE_READONLY_DIRECTORY) {
        error.detail = "the folder of " + file +
                       " cannot be written, and the log of the database belongs there. Make it "
                       "writable for this user (chmod u+w), or choose another folder with "
                       "--state-dir";
    } else if (sqlite3_db_readonly(database.get(), "main") == 1) {
        // SQLite opens what it may not write for reading, and fails at the first lock.
        error.detail = file +
                       " cannot be written: the file or its file system is read-only. Make it "
                       "writable for this user, or choose another folder with --state-dir";
    } else {
        error.detail = file + ": " + error.detail;
    }
    return error;
}

std::string_view sqlite_version() {
    return sqlite3_libversion();
}

void Database::Close::operator()(sqlite3* database) const {
    sqlite3_close_v2(database);
}

core::Result<Database> Database::open(const std::string& path, const std::string& vfs) {
    return open_with(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
}

core::Result<Database> Database::open_untouched(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        constexpr std::string_view kEscaped = "%?#";
        constexpr const char* kHex = "0123456789ABCDEF";
        if (kEscaped.find(c) == std::string_view::npos) {
            uri += c;
        } else {
            uri += {'%', kHex[c >> 4], kHex[c & 15]};
        }
    }
    return open_with(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, {});
}

core::Result<Database> Database::open_with(const std::string& name, int flags,
                                           const std::string& vfs) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        name.c_str(), &raw,
        flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE,
        vfs.empty() ? nullptr : vfs.c_str());
    Database database;
    database.database_.reset(raw);
    if (code == SQLITE_OK) return database;
    core::Error error = sqlite_error(raw, "open " + name);
    if ((code & 0xFF) == SQLITE_CANTOPEN)
        error.detail += "; does this user own the file and its folder, and may it write there?";
    return error;
}

core::Result<> Database::execute(const char* sql) {
    HEADWAY_ASSERT(database_ != nullptr && sql != nullptr);
    if (sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        return sqlite_error(get(), sql);
    }
    return {};
}

core::Result<Statement> Database::prepare(std::string_view sql) {
    HEADWAY_ASSERT(database_ != nullptr && !sql.empty());
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code == SQLITE_OK && raw != nullptr)
        return Statement{std::make_unique<SqliteStatement>(Handle{raw})};
    core::Error error = sqlite_error(get(), sql);
    // All SQL is ours and fits the checked schema version, so a missing table or column means
    // damage.
    if (code == SQLITE_ERROR) error.code = core::ErrorCode::kStorageCorrupt;
    return error;
}

std::int64_t Database::last_insert_rowid() const {
    return sqlite3_last_insert_rowid(get());
}
core::Result<std::int64_t> Database::changes() {
    return std::int64_t{sqlite3_changes64(get())};
}
bool Database::in_transaction() const {
    return sqlite3_get_autocommit(get()) == 0;
}
std::string Database::contains(std::string_view column, std::string_view parameter) const {
    return "instr(" + std::string{column} + "," + std::string{parameter} + ")>0";
}

}  // namespace headway::storage
