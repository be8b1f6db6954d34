// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/store_database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace headway::cli {
namespace {

/// Steps of SQLite's machine between two looks, and in all: a file of so many bytes has no more
/// work in it, whatever its schema says.
constexpr int kStepsBetweenLooks = 10'000;
constexpr std::uint64_t kStepsAtLeast = 20'000'000;

/// A longer value is an error of its statement.
constexpr int kValueBytesMax = 64 << 20;

constexpr std::size_t kSessionsMax = 1'000'000;

struct CloseDatabase {
    void operator()(sqlite3* database) const { ::sqlite3_close_v2(database); }
};
struct FinishStatement {
    void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

core::Error no_rows(std::string why) {
    return {core::ErrorCode::kBadRequest, std::move(why), {}};
}

std::string_view text_at(sqlite3_stmt* row, int column) {
    const auto* const text = reinterpret_cast<const char*>(::sqlite3_column_text(row, column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(::sqlite3_column_bytes(row, column))};
}

/// The name of the file for SQLite, which reads `?` and `%` in it.
std::string uri_of(const std::string& path, std::string_view options) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path) {
        if (c != '%' && c != '?' && c != '#') {
            uri += c;
            continue;
        }
        uri += '%';
        uri += kHex[static_cast<unsigned char>(c) >> 4];
        uri += kHex[static_cast<unsigned char>(c) & 0xF];
    }
    return uri.append(options);
}

/// Size of the file; 0: it is not there.
std::uint64_t bytes_of_file(const std::string& path) {
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    return static_cast<std::uint64_t>(about.st_size);
}

struct RowPlace {
    std::int64_t created = 0;
    std::int64_t row = 0;
    std::uint32_t session = 0;
    bool part = false;
};

class StoreRows {
public:
    StoreRows(const std::string& only, const StoredRowsTaker& take,
              const std::function<bool()>& stop)
        : only_(only), take_(take), stop_(stop) {}

    core::Result<> read(const std::string& path) {
        HEADWAY_CHECK(open(path));
        HEADWAY_CHECK(run("BEGIN"));
        for (const char* table : {"session", "message", "part"})
            HEADWAY_CHECK(check_table(table));
        HEADWAY_CHECK(read_sessions());
        HEADWAY_CHECK(find_rows("message", false));
        HEADWAY_CHECK(find_rows("part", true));
        std::sort(rows_.begin(), rows_.end(), [](const RowPlace& a, const RowPlace& b) {
            // A message and its first part may be of one moment.
            return std::tie(a.session, a.created, a.part, a.row) <
                   std::tie(b.session, b.created, b.part, b.row);
        });
        return read_rows();
    }

private:
    core::Result<> open(const std::string& path) {
        // A log that is there holds rows, and its index must not be made by us; without one no
        // agent writes, and nothing beside the file is looked for.
        const std::uint64_t log = bytes_of_file(path + "-wal");
        if (log > 0 && bytes_of_file(path + "-shm") == 0)
            return no_rows("its log has no index; open it once with the agent");
        const std::string uri =
            uri_of(path, log > 0 ? "?mode=ro&readonly_shm=1" : "?mode=ro&immutable=1");
        sqlite3* opened = nullptr;
        const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                          SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE;
        const int code = ::sqlite3_open_v2(uri.c_str(), &opened, flags, nullptr);
        database_.reset(opened);
        if (code != SQLITE_OK) return failed();
        steps_max_ = kStepsAtLeast + bytes_of_file(path) + log;
        ::sqlite3_busy_timeout(opened, 2'000);
        ::sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kValueBytesMax);
        // The schema stays trusted: with an index by json_extract(), as Kilo has it, SQLite would
        // read no table at all. Views, triggers and worked out columns are refused, and reading
        // computes no expression of an index.
        for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                            {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                            {SQLITE_DBCONFIG_ENABLE_VIEW, 0}})
            ::sqlite3_db_config(opened, option, value, nullptr);
        ::sqlite3_progress_handler(
            opened, kStepsBetweenLooks,
            [](void* self) { return static_cast<StoreRows*>(self)->look() ? 1 : 0; }, this);
        return {};
    }

    /// True ends the statement.
    bool look() {
        steps_ += kStepsBetweenLooks;
        stopped_ = stopped_ || stop_();
        return stopped_ || steps_ > steps_max_;
    }

    core::Error failed() const {
        if (steps_ > steps_max_) return no_rows("takes too long for its size");
        if (database_ == nullptr) return no_rows("cannot be opened");
        return no_rows(::sqlite3_errmsg(database_.get()));
    }

    core::Result<Statement> prepare(const std::string& sql) {
        sqlite3_stmt* statement = nullptr;
        if (::sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) !=
            SQLITE_OK)
            return failed();
        return Statement{statement};
    }

    /// A query for all sessions, or for the one whose id is in `column`.
    core::Result<Statement> prepare_of(std::string sql, const std::string& column) {
        if (only_.empty()) return prepare(sql);
        sql += " WHERE ";
        HEADWAY_TRY(Statement statement, prepare(sql.append(column).append(" = ?")));
        ::sqlite3_bind_text(statement.get(), 1, only_.data(), static_cast<int>(only_.size()),
                            SQLITE_STATIC);
        return statement;
    }

    core::Result<> run(const std::string& sql) {
        HEADWAY_TRY(const Statement statement, prepare(sql));
        return ::sqlite3_step(statement.get()) == SQLITE_DONE ? core::Result<>{} : failed();
    }

    /// For each row until `visit` says false.
    template <class Visit>
    core::Result<> each(sqlite3_stmt* statement, const Visit& visit) {
        int code = SQLITE_ROW;
        while ((code = ::sqlite3_step(statement)) == SQLITE_ROW)
            if (!visit(statement)) return {};
        if (code == SQLITE_DONE || stopped_) return {};
        return failed();
    }

    /// A table, and neither a view, a virtual table nor one whose values are worked out.
    core::Result<> check_table(const std::string& name) {
        HEADWAY_TRY(const Statement known,
                    prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND "
                            "name = '" +
                            name + "'"));
        if (::sqlite3_step(known.get()) != SQLITE_ROW)
            return no_rows("no version of it that is known: there is no table " + name);
        HEADWAY_TRY(const Statement columns,
                    prepare("SELECT 1 FROM pragma_table_xinfo('" + name + "') WHERE hidden <> 0"));
        if (::sqlite3_step(columns.get()) == SQLITE_DONE) return {};
        return no_rows("no version of it that is known: the table " + name +
                       " works its values out");
    }

    core::Result<> read_sessions() {
        HEADWAY_TRY(const Statement rows,
                    prepare_of("SELECT id, parent_id, directory, version FROM session", "id"));
        return each(rows.get(), [this](sqlite3_stmt* row) {
            StoredSessionRow session;
            session.id = text_at(row, 0).substr(0, kWordBytesMax);
            session.parent = text_at(row, 1).substr(0, kWordBytesMax);
            session.folder = text_at(row, 2).substr(0, kWordBytesMax);
            session.version = text_at(row, 3).substr(0, kWordBytesMax);
            places_.try_emplace(session.id, static_cast<std::uint32_t>(sessions_.size()));
            sessions_.push_back(std::move(session));
            return sessions_.size() < kSessionsMax;
        });
    }

    core::Result<> find_rows(const std::string& table, bool part) {
        HEADWAY_TRY(
            const Statement rows,
            prepare_of("SELECT rowid, session_id, time_created FROM " + table, "session_id"));
        return each(rows.get(), [&](sqlite3_stmt* row) {
            const auto place = places_.find(std::string(text_at(row, 1)));
            if (place == places_.end()) return true;
            rows_.push_back({::sqlite3_column_int64(row, 2), ::sqlite3_column_int64(row, 0),
                             place->second, part});
            return rows_.size() < kStoredRowsMax;
        });
    }

    core::Result<> read_rows() {
        HEADWAY_TRY(const Statement message,
                    prepare("SELECT id, data FROM message WHERE rowid = ?"));
        HEADWAY_TRY(const Statement part,
                    prepare("SELECT message_id, data FROM part WHERE rowid = ?"));
        auto at = rows_.begin();
        for (std::uint32_t i = 0; i < sessions_.size() && !stopped_; ++i) {
            if (at == rows_.end() || at->session != i) continue;
            take_.begin(sessions_[i]);
            for (; at != rows_.end() && at->session == i && !stopped_; ++at) {
                sqlite3_stmt* const of = at->part ? part.get() : message.get();
                ::sqlite3_reset(of);
                ::sqlite3_bind_int64(of, 1, at->row);
                HEADWAY_CHECK(each(of, [&](sqlite3_stmt* row) {
                    take_.row({at->part, text_at(row, 0), at->created, text_at(row, 1)});
                    return false;
                }));
            }
            take_.end();
        }
        return {};
    }

    static constexpr std::size_t kWordBytesMax = 1'024;

    const std::string& only_;  ///< empty: all sessions
    const StoredRowsTaker& take_;
    const std::function<bool()>& stop_;
    std::unique_ptr<sqlite3, CloseDatabase> database_;
    std::vector<StoredSessionRow> sessions_;
    std::unordered_map<std::string, std::uint32_t> places_;  ///< of sessions, by their ids
    std::vector<RowPlace> rows_;
    std::uint64_t steps_ = 0;
    std::uint64_t steps_max_ = 0;
    bool stopped_ = false;
};

}  // namespace

core::Result<> read_store_database(const std::string& path, const std::string& only,
                                   const StoredRowsTaker& take, const std::function<bool()>& stop) {
    // SQLite takes no link of any part of a path. A link to the file itself is not taken here
    // either.
    const std::filesystem::path file{path};
    std::error_code error;
    const std::filesystem::path folder =
        std::filesystem::canonical(file.has_parent_path() ? file.parent_path() : ".", error);
    if (error) return no_rows("cannot be read: " + error.message());
    return StoreRows(only, take, stop).read((folder / file.filename()).string());
}

}  // namespace headway::cli
