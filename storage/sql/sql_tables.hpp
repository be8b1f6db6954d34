// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "storage/sql/sql.hpp"
#include "storage/store/store.hpp"

// The tables except the journal, one class for each table, in SQL that both SQLite and PostgreSQL
// understand. The connection must outlive the tables.

namespace headway::storage {

/// A table of named numbers.
class SqlMeta {
public:
    explicit SqlMeta(Sql& database) : database_(database) {}
    core::Result<> prepare();

    /// 0 for an unknown name.
    core::Result<std::int64_t> get(std::string_view name);
    core::Result<> set(std::string_view name, std::int64_t value);
    core::Result<> add(std::string_view name, std::int64_t delta);

private:
    Sql& database_;
    Statement get_;
    Statement set_;
    Statement add_;
};

/// Defined in sql_sessions.cpp.
class SqlSessionIndex final : public SessionIndex {
public:
    explicit SqlSessionIndex(Sql& database) : database_(database) {}
    core::Result<> prepare();

    core::Result<> index_session(SessionKey key, const core::Session& session,
                                 core::Timestamp now) override;
    core::Result<std::vector<SessionKey>> list(const SessionFilter& filter, SessionKey before,
                                               std::size_t limit) override;
    core::Result<std::vector<SessionKey>> list_range(const SessionFilter& filter, SessionKey from,
                                                     SessionKey before) override;
    core::Result<SessionKey> sessions_end() override;
    core::Result<std::uint64_t> count(const SessionFilter& filter) override;
    core::Result<VerdictCounts> count_open() override;
    core::Result<std::vector<SessionNeed>> needs(std::size_t limit) override;
    core::Result<std::uint64_t> count_needs() override;
    core::Result<std::vector<SessionAlarm>> alarms(std::size_t limit) override;
    core::Result<AlarmCounts> count_alarms() override;

private:
    core::Result<std::string> among_ids(const SessionFilter& filter);
    /// How a query finds its rows: through the index that fits best, or along the keys of a range.
    /// A query for a range must not use an index over all sessions, because the time for each range
    /// would then be that for the whole table.
    enum class Walk { kIndex, kKeys };
    std::string conditions(const SessionFilter& filter, Walk walk = Walk::kIndex) const;

    Sql& database_;
    Statement move_;
};

/// Defined in sql_approvals.cpp.
class SqlApprovals : public ApprovalTable {
public:
    explicit SqlApprovals(Sql& database) : database_(database) {}

    core::Result<> save_approval(SessionKey key, const core::Approval& approval, Cursor cursor,
                                 Cursor decided) override;
    core::Result<std::optional<StoredApproval>> approval_at(Cursor cursor) override;
    core::Result<std::optional<StoredApproval>> find_approval(SessionKey key,
                                                              std::uint64_t n) override;
    core::Result<std::vector<StoredApproval>> list_approvals(const ApprovalPage& page) override;
    core::Result<std::vector<StoredApproval>> identical_approvals(std::string_view identity,
                                                                  std::size_t limit) override;
    core::Result<std::uint64_t> count_identical(std::string_view identity) override;
    core::Result<std::uint64_t> count_pending() override;
    core::Result<std::uint64_t> count_pending_below(std::string_view session) override;
    core::Result<std::vector<SessionKey>> asking_sessions() override;

private:
    Sql& database_;
};

/// Defined in sql_checks.cpp.
class SqlChecks : public CheckTable {
public:
    explicit SqlChecks(Sql& database) : database_(database) {}

    core::Result<> add_check(std::string_view id, SessionKey key, Cursor asked) override;
    core::Result<> finish_check(std::string_view id, SessionKey key, Cursor done) override;
    core::Result<> finish_checks(SessionKey key, Cursor done) override;
    core::Result<std::optional<StoredCheck>> find_check(std::string_view id,
                                                        SessionKey key) override;
    core::Result<std::optional<StoredCheck>> find_check(std::string_view id) override;
    core::Result<std::vector<StoredCheck>> pending_checks(std::size_t limit) override;

private:
    /// If another session's check has this id, stores that check under a different id.
    core::Result<> make_room(std::string_view id, SessionKey key);
    core::Result<> put(std::string_view id, SessionKey key, Cursor asked, Cursor done);

    Sql& database_;
};

/// Defined in sql_estimates.cpp.
class SqlEstimates : public EstimateTable {
public:
    explicit SqlEstimates(Sql& database) : database_(database) {}

    core::Result<> add_estimate(SessionKey key, const core::EstimateMade& estimate) override;
    core::Result<std::vector<core::EstimateMade>> take_estimates(SessionKey key) override;
    core::Result<> add_estimate_score(const core::EstimateScore& score) override;
    core::Result<std::vector<core::EstimateScore>> estimate_scores() override;

private:
    core::Result<bool> knows_model(const core::EstimateScore& score);

    Sql& database_;
};

/// Defined in sql_expectations.cpp.
class SqlExpectations : public ExpectationTable {
public:
    explicit SqlExpectations(Sql& database) : database_(database) {}
    core::Result<> prepare();

    core::Result<core::UseSketches> use(std::string_view agent,
                                        std::optional<core::Complexity> complexity) override;
    core::Result<> save_use(std::string_view agent, std::optional<core::Complexity> complexity,
                            const core::UseSketches& use, core::Timestamp at) override;
    core::Result<core::Sketch> calls(std::string_view agent, std::string_view tool) override;
    core::Result<> save_calls(std::string_view agent, std::string_view tool,
                              const core::Sketch& calls, core::Timestamp at) override;
    core::Result<std::vector<StoredUse>> list_uses() override;
    core::Result<std::vector<core::ExpectedCall>> list_calls(std::string_view agent,
                                                             std::size_t limit,
                                                             bool ready) override;

private:
    struct Key {
        std::string_view agent;
        std::int64_t kind = 0;
        std::string_view name;
    };
    struct Value {
        std::uint64_t sessions = 0;
        core::Timestamp at;
        std::string_view sketches;
    };

    core::Result<std::string> find(const Key& key);
    core::Result<> save(const Key& key, const Value& value);
    core::Result<> make_room_for_agent(core::Timestamp now);
    core::Result<> make_room_for_tool(std::string_view agent, core::Timestamp now);

    Sql& database_;
    Statement find_;
    Statement update_;
    Statement insert_;
    Statement list_calls_;
};

/// Defined in sql_history.cpp.
class SqlHistory : public HistoryTable {
public:
    SqlHistory(Sql& database, SqlMeta& meta) : database_(database), meta_(meta) {}
    core::Result<> prepare();
    /// One step of retention: usage records are kept as long as ended sessions are. True if usage
    /// records were deleted.
    core::Result<bool> forget_uses(core::Timestamp cutoff);

    core::Result<std::int64_t> counter(std::string_view name) override;
    core::Result<> add_to_counter(std::string_view name, std::int64_t delta) override;
    core::Result<> add_use(const core::UseRecord& record) override;
    core::Result<std::vector<core::UseRecord>> list_uses(const std::optional<std::string>& agent,
                                                         std::size_t limit) override;

private:
    Sql& database_;
    SqlMeta& meta_;
    Statement add_use_;
};

/// Defined in sql_tokens.cpp.
class SqlTokens : public TokenStore {
public:
    explicit SqlTokens(Sql& database) : database_(database) {}

    core::Result<std::vector<core::TokenRecord>> tokens() override;
    core::Result<> add_token(const core::TokenRecord& token) override;
    core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                core::Timestamp now) override;
    core::Result<> note_token_uses(std::span<const core::TokenUse> uses) override;

private:
    Sql& database_;
};

/// Defined in sql_outbox.cpp.
class SqlOutbox : public Outbox {
public:
    explicit SqlOutbox(Sql& database) : database_(database) {}

    core::Result<> add_message(const OutboxMessage& message) override;
    core::Result<std::optional<OutboxMessage>> next_message(std::string_view endpoint,
                                                            core::Timestamp now) override;
    core::Result<std::vector<OutboxMessage>> due_messages(std::string_view endpoint,
                                                          core::Timestamp until, std::size_t limit,
                                                          std::size_t bytes_max) override;
    core::Result<std::optional<OutboxMessage>> last_away(std::string_view endpoint) override;
    core::Result<core::Timestamp> next_due(std::string_view endpoint) override;
    core::Result<core::Timestamp> next_urgent_due(std::string_view endpoint) override;
    core::Result<Removed> remove_message(std::int64_t row, std::string_view id) override;
    core::Result<> delay_message(std::int64_t row, std::string_view id,
                                 const OutboxFailure& failure, core::Timestamp due_at) override;
    core::Result<bool> bury_message(std::int64_t row, std::string_view id,
                                    const OutboxFailure& failure) override;
    core::Result<std::uint64_t> bury_oldest(std::string_view endpoint, std::uint64_t count,
                                            core::Timestamp at, std::string_view reason) override;
    core::Result<std::uint64_t> drop_dead(std::string_view endpoint, std::uint64_t keep) override;
    core::Result<> hurry_messages(std::string_view endpoint, core::Timestamp now) override;
    core::Result<std::uint64_t> revive_oldest(std::string_view endpoint, std::uint64_t count,
                                              core::Timestamp now) override;
    core::Result<bool> revive_message(std::string_view endpoint, std::string_view id,
                                      core::Timestamp now) override;
    core::Result<std::vector<OutboxMessage>> list_messages(std::string_view endpoint, bool dead,
                                                           std::int64_t after,
                                                           std::size_t limit) override;
    core::Result<std::vector<OutboxEndpoint>> outbox_endpoints() override;
    core::Result<> save_outbox_endpoint(const OutboxEndpoint& endpoint) override;
    core::Result<> forget_outbox_endpoint(std::string_view name) override;

private:
    core::Result<std::uint64_t> changed();

    Sql& database_;
};

/// Defined in sql_inbox.cpp.
class SqlInbox final : public Inbox {
public:
    explicit SqlInbox(Sql& database) : database_(database) {}
    core::Result<> prepare();

    core::Result<> post(SessionKey to, const core::Event& event) override;
    core::Result<std::vector<core::Event>> take(SessionKey to) override;
    core::Result<std::vector<SessionKey>> receivers() override;

private:
    Sql& database_;
    Statement post_;
    Statement take_;
    std::string buffer_;  ///< reused for each message
};

/// Defined in sql_idempotency.cpp.
class SqlIdempotency : public IdempotencyTable {
public:
    explicit SqlIdempotency(Sql& database) : database_(database) {}
    core::Result<> prepare();

    core::Result<std::optional<IdempotentUse>> find_key(std::string_view key) override;
    core::Result<> add_key(std::string_view key, const IdempotentUse& use,
                           core::Timestamp now) override;

private:
    Sql& database_;
    Statement find_;
    Statement add_;
};

}  // namespace headway::storage
