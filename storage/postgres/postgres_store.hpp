// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/postgres/postgres_import.hpp"
#include "storage/postgres/retention.hpp"
#include "storage/postgres/wire/connection.hpp"
#include "storage/sql/sql_tables.hpp"
#include "storage/store/shared_store.hpp"
#include "storage/store/store.hpp"

namespace headway::storage {

/// The Store on PostgreSQL, as used by one of several daemons. The writes of a transaction are
/// queued; hold() and commit() take one round trip each, however many sessions they concern
/// (storage/postgres/README.md).
class PostgresStore final : public Store, public SharedStore {
public:
    struct Settings {
        PostgresConnection::Settings connection;
        std::string id;        ///< this daemon's id, unique
        std::string name;      ///< name of this daemon, shown to people
        std::string version;   ///< the program's version
        bool imports = false;  ///< set by `headway migrate`, which may open an incomplete store
        /// Replaces the database's time in tests.
        std::function<core::Timestamp()> now;
    };

    /// Connects, and creates the tables if there are none. Errors: those of Store, and
    /// kStorageTooNew.
    static core::Result<std::unique_ptr<PostgresStore>> open(Settings settings);

    SharedStore* shared() override { return this; }
    core::Result<Recovery> recover() override;
    core::Result<std::vector<SessionKey>> open_sessions() override {
        return std::vector<SessionKey>{};  // not needed: the column due_at replaces this list
    }
    core::Result<> begin() override;
    core::Result<> commit() override;
    void rollback() override;
    core::Result<std::optional<SessionKey>> find(std::string_view id) override;
    core::Result<SessionKey> create(std::string_view id, core::Timestamp now) override;
    core::Result<Cursor> append(SessionKey key, Chain& chain,
                                std::span<const core::Event> events) override;
    core::Result<std::optional<std::uint64_t>> find_event_id(SessionKey key,
                                                             std::string_view id) override;
    core::Result<StoredSession> load(SessionKey key) override;
    core::Result<std::vector<core::Event>> read_session(SessionKey key, Chain chain,
                                                        std::uint64_t after,
                                                        std::size_t limit) override;
    core::Result<StreamPage> read_stream(Cursor after, std::size_t limit) override;
    Cursor oldest() const override { return oldest_; }
    Cursor head() const override { return head_; }
    core::Result<> save(SessionKey key, const core::Session& session, Chain chain,
                        const EventIds& new_ids) override;
    core::Result<> set_snapshot_cursor(Cursor) override { return {}; }
    core::Result<> forget(SessionKey key) override { return retention_.forget(key); }
    core::Result<Deletion> delete_some(core::Timestamp cutoff) override;
    core::Result<> checkpoint(int) override { return {}; }
    std::int64_t wal_pages() const override { return 0; }
    std::uint64_t reusable_bytes() override { return 0; }

    Sql* tables() override { return &sql_; }
    Import& imports() override { return import_; }
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

    core::Result<Held> hold(const HoldRequest& wanted) override;
    core::Result<std::vector<StoredSession>> load_all(std::span<const SessionKey> keys) override;
    core::Result<std::vector<Tail>> read_tails(
        std::span<const std::pair<SessionKey, std::uint64_t>> behind) override;
    core::Result<std::vector<KnownSession>> numbers(
        std::span<const std::string_view> names) override;
    void set_due(SessionKey key, core::Timestamp due) override;
    core::Result<> save_ids(SessionKey key, const EventIds& ids) override;
    Cursor settled(Cursor cursor) const override;
    Cursor committed() const override { return committed_; }
    void set_head(Cursor head) override { head_ = head; }
    const std::string& met_newer() const override { return met_newer_; }
    bool may_try_again() const override { return sql_.lost_a_conflict(); }
    bool outcome_unknown() const override { return sql_.outcome_unknown(); }
    core::Result<std::vector<FeedRow>> read_feed(Cursor after, std::size_t limit) override;
    core::Result<Pulse> pulse() override;
    core::Result<std::vector<SessionKey>> with_working_children(
        std::span<const SessionKey> keys) override;
    core::Result<bool> lease(std::string_view name, core::Millis length) override;
    std::unique_ptr<Hints> make_hints() const override;
    core::Result<core::Timestamp> time() override;
    std::uint64_t round_trips() const override { return sql_.round_trips(); }
    std::uint64_t breaks() const override { return sql_.breaks(); }

private:
    /// A session whose row this transaction holds.
    struct Row {
        KnownSession known;
        std::int64_t due = 0;  ///< the stored deadline; kNoNumber = none
        std::int64_t new_due = 0;
        std::int64_t last_at = 0;
        std::optional<std::int64_t> ended_at;
        bool claimed = false;  ///< held because it was due
        bool fresh = false;    ///< added by this transaction
        bool moved = false;    ///< this transaction appended events
    };
    /// A row of the journal that the transaction adds.
    struct Appended {
        SessionKey session = 0;
        std::uint64_t n = 0;
        std::uint64_t count = 0;
        std::int64_t offset = 0;  ///< position of its first event in the transaction, counted from
                                  ///< 1
        std::string events;
    };
    // Tables whose rows several sessions share, or whose rows contain positions of events. A write
    // to one of these tables first locks the feed. The lock of the feed is the only one for which
    // daemons wait.
    class Approvals final : public SqlApprovals {
    public:
        explicit Approvals(PostgresStore& store) : SqlApprovals(store.sql_), store_(store) {}
        core::Result<> save_approval(SessionKey key, const core::Approval& approval, Cursor cursor,
                                     Cursor decided) override;

    private:
        PostgresStore& store_;
    };
    class Checks final : public SqlChecks {
    public:
        explicit Checks(PostgresStore& store) : SqlChecks(store.sql_), store_(store) {}
        core::Result<> add_check(std::string_view id, SessionKey key, Cursor asked) override;
        core::Result<> finish_check(std::string_view id, SessionKey key, Cursor done) override;
        core::Result<> finish_checks(SessionKey key, Cursor done) override;

    private:
        PostgresStore& store_;
    };
    class Estimates final : public SqlEstimates {
    public:
        explicit Estimates(PostgresStore& store) : SqlEstimates(store.sql_), store_(store) {}
        core::Result<> add_estimate_score(const core::EstimateScore& score) override;

    private:
        PostgresStore& store_;
    };
    class Expectations final : public SqlExpectations {
    public:
        explicit Expectations(PostgresStore& store) : SqlExpectations(store.sql_), store_(store) {}
        core::Result<core::UseSketches> use(std::string_view agent,
                                            std::optional<core::Complexity> complexity) override;
        core::Result<core::Sketch> calls(std::string_view agent, std::string_view tool) override;

    private:
        PostgresStore& store_;
    };
    class History final : public SqlHistory {
    public:
        explicit History(PostgresStore& store)
            : SqlHistory(store.sql_, store.meta_), store_(store) {}
        core::Result<> add_to_counter(std::string_view name, std::int64_t delta) override;

    private:
        PostgresStore& store_;
    };
    class Webhooks final : public SqlOutbox {
    public:
        explicit Webhooks(PostgresStore& store) : SqlOutbox(store.sql_), store_(store) {}
        core::Result<std::optional<OutboxEndpoint>> lock_outbox_endpoint(
            std::string_view name) override;
        core::Result<bool> claim_outbox_endpoint(std::string_view name) override;
        core::Result<> save_outbox_endpoint(const OutboxEndpoint& endpoint) override;

    private:
        PostgresStore& store_;
    };
    class Idempotency final : public SqlIdempotency {
    public:
        explicit Idempotency(PostgresStore& store) : SqlIdempotency(store.sql_), store_(store) {}
        core::Result<std::optional<IdempotentUse>> find_key(std::string_view key) override;

    private:
        PostgresStore& store_;
    };
    class Tokens final : public SqlTokens {
    public:
        explicit Tokens(PostgresStore& store) : SqlTokens(store.sql_), store_(store) {}
        core::Result<> add_token(const core::TokenRecord& token) override;
        core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                    core::Timestamp now) override;

    private:
        PostgresStore& store_;
    };
    /// Refuses to make backups: PostgreSQL's own tools make them.
    class Backups final : public BackupSource {
    public:
        core::Result<> start_backup(const std::filesystem::path& file) override;
        core::Result<BackupStep> step_backup(int pages) override;
        void abandon_backup() override {}
    };

    explicit PostgresStore(Settings settings);
    core::Result<> prepare();
    core::Result<> connect();
    core::Result<Pulse> try_pulse();
    core::Result<Deletion> try_delete(core::Timestamp cutoff);
    void clear_turn();
    core::Result<Held> try_hold(const HoldRequest& wanted, bool adds);
    core::Result<> send_hold(const HoldRequest& wanted);
    Held take_hold(const HoldRequest& wanted, const std::vector<PostgresRows>& rows);
    core::Result<> add_names(const HoldRequest& wanted, Held& held);
    void take_rows(const PostgresRows& rows, Held& held, std::vector<SessionKey>* keys);
    core::Result<> write_snapshots();
    core::Result<> write_ids();
    core::Result<> write_journal();
    core::Result<> write_rows();
    core::Result<> write_feed();
    core::Result<> lock_feed();
    static core::Result<Cursor> position_of(const PostgresRows& feed);
    StreamPage read_appended(Cursor after, std::size_t limit) const;
    core::Result<std::vector<core::Event>> events_of(const PostgresRows& rows, int at);
    core::Result<> fold(const PostgresRows& rows, int from, int to, StoredSession& stored);
    void forget_unknown_ids(std::span<const SessionKey> keys);
    Row* held_by_name(std::string_view name);
    bool is_ahead_of_row(SessionKey key, std::uint64_t n) const;

    Settings settings_;
    PostgresConnection sql_;
    SqlMeta meta_{sql_};
    SqlSessionIndex index_{sql_};
    Approvals approvals_{*this};
    Checks checks_{*this};
    Estimates estimates_{*this};
    Expectations expectations_{*this};
    History history_{*this};
    Tokens tokens_{*this};
    Webhooks outbox_{*this};
    SqlInbox inbox_{sql_};
    Idempotency idempotency_{*this};
    Backups backups_;
    PostgresImport import_{sql_, meta_};
    PostgresRetention retention_{sql_, meta_, history_};

    struct Snapshot {
        std::uint64_t n = 0;
        std::string state;
    };

    // The state of the open transaction.
    std::map<SessionKey, Snapshot> snapshots_;  ///< sorted by key: all daemons lock in this order
    /// Ids to be stored: those of the snapshots, and newer ones.
    std::map<SessionKey, EventIds> ids_;
    std::unordered_map<SessionKey, Row> rows_;
    std::map<std::string, SessionKey, std::less<>> keys_;
    std::vector<Appended> appended_;
    std::int64_t offset_ = 0;  ///< events appended so far
    /// The event numbers of the ids that hold() has looked up; 0 = unknown id.
    std::map<std::pair<SessionKey, std::string>, std::uint64_t> known_ids_;

    bool feed_locked_ = false;  ///< the open transaction has locked the feed, so the positions of
                                ///< its events are known
    Cursor base_ = 0;           ///< position before the first event of the current or the last
                                ///< transaction
    Cursor committed_ = 0;
    Cursor head_ = 0;
    Cursor oldest_ = 1;
    std::string met_newer_;
};

}  // namespace headway::storage
