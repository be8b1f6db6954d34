// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "storage/files/file_watch.hpp"
#include "storage/sql/sql_tables.hpp"
#include "storage/sql/sqlite_handle.hpp"
#include "storage/sqlite/sqlite_copy.hpp"
#include "storage/sqlite/sqlite_journal.hpp"
#include "storage/sqlite/sqlite_retention.hpp"
#include "storage/store/store.hpp"

namespace headway::storage {

/// The Store on one SQLite file in WAL mode. It holds the only connection, which has exclusive
/// access to the file. Thus a second daemon on the file is refused at once, and the WAL-reset bug
/// of SQLite 3.40, which needs a second connection, cannot occur (storage/README.md, "SQLite
/// settings").
class SqliteStore final : public Store {
public:
    /// Opens or creates `file`. `vfs` as in Database::open. Errors: those of Store; kStorageTooNew;
    /// kStorageUnavailable if another process holds the file.
    static core::Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file,
                                                           const std::string& vfs = {});

    /// The type of a function that recover() calls once for each session while it rebuilds the
    /// session index after a repair.
    using Progress = std::function<void(std::size_t done, std::size_t total)>;
    /// Sets the function that recover() calls.
    void show_progress(Progress progress) { progress_ = std::move(progress); }

    core::Result<Recovery> recover() override;
    core::Result<std::vector<SessionKey>> open_sessions() override;
    core::Result<> begin() override;
    core::Result<> commit() override;
    void rollback() override;
    core::Result<> look_at_files() override;
    core::Result<std::optional<SessionKey>> find(std::string_view id) override;
    core::Result<SessionKey> create(std::string_view id, core::Timestamp now) override;
    core::Result<Cursor> append(SessionKey key, Chain& chain,
                                std::span<const core::Event> events) override {
        return journal_.append(key, chain, events);
    }
    core::Result<std::optional<std::uint64_t>> find_event_id(SessionKey key,
                                                             std::string_view id) override;
    core::Result<StoredSession> load(SessionKey key) override;
    core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                        std::uint64_t after,
                                                        std::size_t limit) override {
        return journal_.read_session(key, chain, after, limit);
    }
    core::Result<StreamPage> read_stream(Cursor after, std::size_t limit) override {
        return journal_.read_stream(after, limit);
    }
    Cursor oldest() const override { return journal_.oldest(); }
    Cursor head() const override { return journal_.next() - 1; }
    core::Result<> save(SessionKey key, const core::Session& session, Chain chain,
                        const EventIds& new_ids) override;
    core::Result<> set_snapshot_cursor(Cursor cursor) override;
    core::Result<> forget(SessionKey key) override { return retention_.forget(key); }
    core::Result<Deletion> delete_some(core::Timestamp cutoff) override;
    core::Result<> checkpoint(int pages) override;
    std::int64_t wal_pages() const override { return log_.waiting; }
    std::uint64_t reusable_bytes() override;

    Sql* tables() override { return &database_; }
    SessionIndex& index() override { return index_; }
    ApprovalTable& approvals() override { return approvals_; }
    CheckTable& checks() override { return checks_; }
    EstimateTable& estimates() override { return estimates_; }
    ExpectationTable& expectations() override { return expectations_; }
    HistoryTable& history() override { return history_; }
    TokenStore& token_table() override { return tokens_; }
    Outbox& outbox() override { return outbox_; }
    Inbox& inbox() override { return inbox_; }
    IdempotencyTable& idempotency() override { return idempotency_; }
    BackupSource& backups() override { return backups_; }

private:
    struct Statements {
        Statement begin, commit, rollback;
        Statement find, create;
        Statement find_event_id, add_event_id;
        Statement load, save, free_pages;
    };
    /// A session's row. `name`, `n` and `chain` have been verified by a checksum, unless the
    /// session was never saved. `snapshot` is empty if the snapshot is damaged or missing.
    struct SessionRow {
        std::string name;
        std::uint64_t n = 0;
        Chain chain;
        std::string snapshot;
        bool snapshot_damaged = false;
    };

    explicit SqliteStore(Database database) : database_(std::move(database)) {}
    core::Result<> prepare();
    core::Result<> watch_sync(core::Result<> done);
    core::Result<SessionRow> read_session_row(SessionKey key);

    Database database_;
    SqlMeta meta_{database_};
    SqliteJournal journal_{database_, meta_};
    SqlSessionIndex index_{database_};
    SqlApprovals approvals_{database_};
    SqlChecks checks_{database_};
    SqlEstimates estimates_{database_};
    SqlExpectations expectations_{database_};
    SqlHistory history_{database_, meta_};
    SqlTokens tokens_{database_};
    SqlOutbox outbox_{database_};
    SqlInbox inbox_{database_};
    SqlIdempotency idempotency_{database_};
    SqliteBackups backups_{database_};
    SqliteRetention retention_{database_, meta_, journal_, history_};
    Statements sql_;
    std::int64_t page_bytes_ = 0;
    bool sync_failed_ = false;
    Progress progress_;
    struct LogPages {
        std::int64_t waiting = 0;  ///< frames not yet in the database
        std::int64_t length = 0;   ///< frames in the WAL after the last commit
    };
    LogPages log_;
    FileWatch files_;
    bool misplaced_ = false;  ///< the last check found that files were moved or truncated
};

}  // namespace headway::storage
