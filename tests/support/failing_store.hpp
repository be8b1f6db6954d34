// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "storage/store/store.hpp"

namespace headway::tests {

/// Which step of a store fails.
struct Faults {
    enum class Step {
        kNone,
        kBegin,
        kAppend,
        kCommit,
        kRecover,
        kSave,
        kIndex,
        kCheckpoint,
        kOutbox,
        kFiles,
        kLoad,
        kStream
    };

    Step step = Step::kNone;
    core::ErrorCode code = core::ErrorCode::kStorageFull;
    int indexed = 0;  ///< how often the index of sessions was written
    int loads = 0;    ///< sessions that were read whole

    std::optional<core::Error> failure(Step now) const {
        if (now != step) return std::nullopt;
        return core::Error{code, "the test says so", {}};
    }
};

class FailingIndex final : public storage::SessionIndex {
public:
    FailingIndex(storage::SessionIndex& real, Faults& faults) : real_(real), faults_(faults) {}

    core::Result<> index_session(storage::SessionKey key, const core::Session& session,
                                 core::Timestamp now) override {
        ++faults_.indexed;
        if (auto error = faults_.failure(Faults::Step::kIndex)) return *error;
        return real_.index_session(key, session, now);
    }
    core::Result<std::vector<storage::SessionKey>> list(const storage::SessionFilter& filter,
                                                        storage::SessionKey before,
                                                        std::size_t limit) override {
        return real_.list(filter, before, limit);
    }
    core::Result<std::vector<storage::SessionKey>> list_range(const storage::SessionFilter& filter,
                                                              storage::SessionKey from,
                                                              storage::SessionKey before) override {
        return real_.list_range(filter, from, before);
    }
    core::Result<storage::SessionKey> sessions_end() override { return real_.sessions_end(); }
    core::Result<std::uint64_t> count(const storage::SessionFilter& filter) override {
        return real_.count(filter);
    }
    core::Result<storage::VerdictCounts> count_open() override { return real_.count_open(); }
    core::Result<std::vector<storage::SessionNeed>> needs(std::size_t limit) override {
        return real_.needs(limit);
    }
    core::Result<std::uint64_t> count_needs() override { return real_.count_needs(); }
    core::Result<std::vector<storage::SessionAlarm>> alarms(std::size_t limit) override {
        return real_.alarms(limit);
    }
    core::Result<storage::AlarmCounts> count_alarms() override { return real_.count_alarms(); }

private:
    storage::SessionIndex& real_;
    Faults& faults_;
};

class FailingApprovals final : public storage::ApprovalTable {
public:
    FailingApprovals(storage::ApprovalTable& real, Faults& faults) : real_(real), faults_(faults) {}

    core::Result<> save_approval(storage::SessionKey key, const core::Approval& approval,
                                 storage::Cursor cursor, storage::Cursor decided) override {
        if (auto error = faults_.failure(Faults::Step::kIndex)) return *error;
        return real_.save_approval(key, approval, cursor, decided);
    }
    core::Result<std::optional<storage::StoredApproval>> approval_at(
        storage::Cursor cursor) override {
        return real_.approval_at(cursor);
    }
    core::Result<std::optional<storage::StoredApproval>> find_approval(storage::SessionKey key,
                                                                       std::uint64_t n) override {
        return real_.find_approval(key, n);
    }
    core::Result<std::vector<storage::StoredApproval>> list_approvals(
        const storage::ApprovalPage& page) override {
        return real_.list_approvals(page);
    }
    core::Result<std::vector<storage::StoredApproval>> identical_approvals(
        std::string_view identity, std::size_t limit) override {
        return real_.identical_approvals(identity, limit);
    }
    core::Result<std::uint64_t> count_identical(std::string_view identity) override {
        return real_.count_identical(identity);
    }
    core::Result<std::uint64_t> count_pending() override { return real_.count_pending(); }
    core::Result<std::uint64_t> count_pending_below(std::string_view session) override {
        return real_.count_pending_below(session);
    }
    core::Result<std::vector<storage::SessionKey>> asking_sessions() override {
        return real_.asking_sessions();
    }

private:
    storage::ApprovalTable& real_;
    Faults& faults_;
};

class FailingEstimates final : public storage::EstimateTable {
public:
    FailingEstimates(storage::EstimateTable& real, Faults& faults) : real_(real), faults_(faults) {}

    core::Result<> add_estimate(storage::SessionKey key,
                                const core::EstimateMade& estimate) override {
        if (auto error = faults_.failure(Faults::Step::kIndex)) return *error;
        return real_.add_estimate(key, estimate);
    }
    core::Result<std::vector<core::EstimateMade>> take_estimates(storage::SessionKey key) override {
        return real_.take_estimates(key);
    }
    core::Result<> add_estimate_score(const core::EstimateScore& score) override {
        return real_.add_estimate_score(score);
    }
    core::Result<std::vector<core::EstimateScore>> estimate_scores() override {
        return real_.estimate_scores();
    }

private:
    storage::EstimateTable& real_;
    Faults& faults_;
};

class FailingTokens final : public storage::TokenStore {
public:
    FailingTokens(storage::TokenStore& real, Faults& faults) : real_(real), faults_(faults) {}

    core::Result<std::vector<core::TokenRecord>> tokens() override { return real_.tokens(); }
    core::Result<> add_token(const core::TokenRecord& token) override {
        if (auto error = faults_.failure(Faults::Step::kAppend)) return *error;
        return real_.add_token(token);
    }
    core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                core::Timestamp now) override {
        if (auto error = faults_.failure(Faults::Step::kAppend)) return *error;
        return real_.revoke_token(id, now);
    }
    core::Result<> note_token_uses(std::span<const core::TokenUse> uses) override {
        return real_.note_token_uses(uses);
    }

private:
    storage::TokenStore& real_;
    Faults& faults_;
};

class FailingOutbox final : public storage::Outbox {
public:
    FailingOutbox(storage::Outbox& real, Faults& faults) : real_(real), faults_(faults) {}

    core::Result<> add_message(const storage::OutboxMessage& message) override {
        if (auto error = faults_.failure(Faults::Step::kOutbox)) return *error;
        return real_.add_message(message);
    }
    core::Result<std::optional<storage::OutboxMessage>> next_message(std::string_view endpoint,
                                                                     core::Timestamp now) override {
        return real_.next_message(endpoint, now);
    }
    core::Result<std::vector<storage::OutboxMessage>> due_messages(std::string_view endpoint,
                                                                   core::Timestamp until,
                                                                   std::size_t limit,
                                                                   std::size_t bytes_max) override {
        return real_.due_messages(endpoint, until, limit, bytes_max);
    }
    core::Result<std::optional<storage::OutboxMessage>> last_away(
        std::string_view endpoint) override {
        return real_.last_away(endpoint);
    }
    core::Result<core::Timestamp> next_due(std::string_view endpoint) override {
        return real_.next_due(endpoint);
    }
    core::Result<core::Timestamp> next_urgent_due(std::string_view endpoint) override {
        return real_.next_urgent_due(endpoint);
    }
    core::Result<storage::Removed> remove_message(std::int64_t row, std::string_view id) override {
        if (auto error = faults_.failure(Faults::Step::kOutbox)) return *error;
        return real_.remove_message(row, id);
    }
    core::Result<> delay_message(std::int64_t row, std::string_view id,
                                 const storage::OutboxFailure& why,
                                 core::Timestamp due_at) override {
        if (auto error = faults_.failure(Faults::Step::kOutbox)) return *error;
        return real_.delay_message(row, id, why, due_at);
    }
    core::Result<bool> bury_message(std::int64_t row, std::string_view id,
                                    const storage::OutboxFailure& why) override {
        return real_.bury_message(row, id, why);
    }
    core::Result<std::uint64_t> bury_oldest(std::string_view endpoint, std::uint64_t count,
                                            core::Timestamp at, std::string_view reason) override {
        return real_.bury_oldest(endpoint, count, at, reason);
    }
    core::Result<std::uint64_t> drop_dead(std::string_view endpoint, std::uint64_t keep) override {
        return real_.drop_dead(endpoint, keep);
    }
    core::Result<> hurry_messages(std::string_view endpoint, core::Timestamp now) override {
        return real_.hurry_messages(endpoint, now);
    }
    core::Result<std::uint64_t> revive_oldest(std::string_view endpoint, std::uint64_t count,
                                              core::Timestamp now) override {
        return real_.revive_oldest(endpoint, count, now);
    }
    core::Result<bool> revive_message(std::string_view endpoint, std::string_view id,
                                      core::Timestamp now) override {
        return real_.revive_message(endpoint, id, now);
    }
    core::Result<std::vector<storage::OutboxMessage>> list_messages(std::string_view endpoint,
                                                                    bool dead, std::int64_t after,
                                                                    std::size_t limit) override {
        return real_.list_messages(endpoint, dead, after, limit);
    }
    core::Result<std::vector<storage::OutboxEndpoint>> outbox_endpoints() override {
        return real_.outbox_endpoints();
    }
    core::Result<> save_outbox_endpoint(const storage::OutboxEndpoint& endpoint) override {
        return real_.save_outbox_endpoint(endpoint);
    }
    core::Result<std::optional<storage::OutboxEndpoint>> lock_outbox_endpoint(
        std::string_view name) override {
        return real_.lock_outbox_endpoint(name);
    }
    core::Result<bool> claim_outbox_endpoint(std::string_view name) override {
        return real_.claim_outbox_endpoint(name);
    }
    core::Result<> forget_outbox_endpoint(std::string_view name) override {
        return real_.forget_outbox_endpoint(name);
    }

private:
    storage::Outbox& real_;
    Faults& faults_;
};

/// Forwards to a real store until fail(): then like a disk that is full, breaks or hangs.
class FailingStore final : public storage::Store {
public:
    using Step = Faults::Step;

    explicit FailingStore(storage::Store& real) : real_(real) {}

    /// From now on this step fails with `code`, until fail(Step::kNone).
    void fail(Step step, core::ErrorCode code = core::ErrorCode::kStorageFull) {
        faults_.step = step;
        faults_.code = code;
    }
    /// This happens in the next commit: time may pass.
    void stall_commit(std::function<void()> stall) { stall_ = std::move(stall); }
    int rollbacks() const { return rollbacks_; }
    /// How often the index of sessions was written.
    int indexed() const { return faults_.indexed; }
    /// How often a session was read whole.
    int loads() const { return faults_.loads; }

    storage::SessionIndex& index() override { return index_; }
    storage::ApprovalTable& approvals() override { return approvals_; }
    storage::SharedStore* shared() override { return real_.shared(); }
    storage::CheckTable& checks() override { return real_.checks(); }
    storage::EstimateTable& estimates() override { return estimates_; }
    storage::ExpectationTable& expectations() override { return real_.expectations(); }
    storage::HistoryTable& history() override { return real_.history(); }
    storage::TokenStore& token_table() override { return tokens_; }
    storage::Outbox& outbox() override { return outbox_; }
    storage::Inbox& inbox() override { return real_.inbox(); }
    storage::IdempotencyTable& idempotency() override { return real_.idempotency(); }
    storage::BackupSource& backups() override { return real_.backups(); }

    core::Result<storage::Recovery> recover() override {
        if (auto error = faults_.failure(Faults::Step::kRecover)) return *error;
        return real_.recover();
    }
    core::Result<std::vector<storage::SessionKey>> open_sessions() override {
        return real_.open_sessions();
    }
    core::Result<> begin() override {
        if (auto error = faults_.failure(Faults::Step::kBegin)) return *error;
        begun_ = true;
        return real_.begin();
    }
    core::Result<> commit() override {
        if (auto error = faults_.failure(Faults::Step::kCommit)) return *error;
        if (const auto stall = std::exchange(stall_, nullptr)) stall();
        auto done = real_.commit();
        if (done) begun_ = false;
        return done;
    }
    core::Result<> look_at_files() override {
        if (auto error = faults_.failure(Faults::Step::kFiles)) return *error;
        return real_.look_at_files();
    }
    void rollback() override {
        ++rollbacks_;
        if (std::exchange(begun_, false) || real_.shared() != nullptr) real_.rollback();
    }
    core::Result<std::optional<storage::SessionKey>> find(std::string_view id) override {
        return real_.find(id);
    }
    core::Result<storage::SessionKey> create(std::string_view id, core::Timestamp now) override {
        return real_.create(id, now);
    }
    core::Result<storage::Cursor> append(storage::SessionKey key, storage::Chain& chain,
                                         std::span<const core::Event> events) override {
        if (auto error = faults_.failure(Faults::Step::kAppend)) return *error;
        return real_.append(key, chain, events);
    }
    core::Result<std::optional<std::uint64_t>> find_event_id(storage::SessionKey key,
                                                             std::string_view id) override {
        return real_.find_event_id(key, id);
    }
    core::Result<storage::StoredSession> load(storage::SessionKey key) override {
        ++faults_.loads;
        if (auto error = faults_.failure(Faults::Step::kLoad)) return *error;
        return real_.load(key);
    }
    core::Result<std::vector<core::Event>> read_session(storage::SessionKey key,
                                                        storage::Chain chain, std::uint64_t after,
                                                        std::size_t limit) override {
        if (auto error = faults_.failure(Faults::Step::kStream)) return *error;
        return real_.read_session(key, chain, after, limit);
    }
    core::Result<storage::StreamPage> read_stream(storage::Cursor after,
                                                  std::size_t limit) override {
        if (auto error = faults_.failure(Faults::Step::kStream)) return *error;
        return real_.read_stream(after, limit);
    }
    storage::Cursor oldest() const override { return real_.oldest(); }
    storage::Cursor head() const override { return real_.head(); }
    core::Result<> save(storage::SessionKey key, const core::Session& session, storage::Chain chain,
                        const storage::EventIds& new_ids) override {
        if (auto error = faults_.failure(Faults::Step::kSave)) return *error;
        return real_.save(key, session, chain, new_ids);
    }
    core::Result<> set_snapshot_cursor(storage::Cursor cursor) override {
        return real_.set_snapshot_cursor(cursor);
    }
    core::Result<> forget(storage::SessionKey key) override { return real_.forget(key); }
    core::Result<storage::Deletion> delete_some(core::Timestamp cutoff) override {
        return real_.delete_some(cutoff);
    }
    core::Result<> checkpoint(int pages) override {
        if (auto error = faults_.failure(Faults::Step::kCheckpoint)) return *error;
        return real_.checkpoint(pages);
    }
    std::int64_t wal_pages() const override { return real_.wal_pages(); }
    std::uint64_t reusable_bytes() override { return reusable_; }
    /// The result of reusable_bytes() from now on.
    void set_reusable(std::uint64_t bytes) { reusable_ = bytes; }

private:
    storage::Store& real_;
    Faults faults_;
    FailingIndex index_{real_.index(), faults_};
    FailingApprovals approvals_{real_.approvals(), faults_};
    FailingEstimates estimates_{real_.estimates(), faults_};
    FailingTokens tokens_{real_.token_table(), faults_};
    FailingOutbox outbox_{real_.outbox(), faults_};
    std::function<void()> stall_;
    int rollbacks_ = 0;
    std::uint64_t reusable_ = 0;
    bool begun_ = false;  ///< the real store has a transaction
};

}  // namespace headway::tests
