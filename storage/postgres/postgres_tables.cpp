// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/postgres_store.hpp"

#include "core/base/limits.hpp"

// Tables that daemons have in common: what they write there is behind the lock of the feed.

namespace headway::storage {

using core::Result;

/// Longer than one try of a message, from its start to the commit of its result; its daemon renews
/// it with the next message.
constexpr core::Millis kSending = core::limits::kWebhookTimeoutMax + core::Millis{15'000};

Result<> PostgresStore::Approvals::save_approval(SessionKey key, const core::Approval& approval,
                                                 Cursor cursor, Cursor decided) {
    if (cursor != 0 || decided != 0) HEADWAY_CHECK(store_.lock_feed());
    return SqlApprovals::save_approval(key, approval, store_.settled(cursor),
                                       store_.settled(decided));
}

Result<> PostgresStore::Checks::add_check(std::string_view id, SessionKey key, Cursor asked) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlChecks::add_check(id, key, store_.settled(asked));
}

Result<> PostgresStore::Checks::finish_check(std::string_view id, SessionKey key, Cursor done) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlChecks::finish_check(id, key, store_.settled(done));
}

Result<> PostgresStore::Checks::finish_checks(SessionKey key, Cursor done) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlChecks::finish_checks(key, store_.settled(done));
}

Result<> PostgresStore::Estimates::add_estimate_score(const core::EstimateScore& score) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlEstimates::add_estimate_score(score);
}

/// A value that is read in a transaction is changed and written back there.
Result<core::UseSketches> PostgresStore::Expectations::use(
    std::string_view agent, std::optional<core::Complexity> complexity) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlExpectations::use(agent, complexity);
}

Result<core::Sketch> PostgresStore::Expectations::calls(std::string_view agent,
                                                        std::string_view tool) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlExpectations::calls(agent, tool);
}

Result<> PostgresStore::History::add_to_counter(std::string_view name, std::int64_t delta) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlHistory::add_to_counter(name, delta);
}

Result<std::optional<OutboxEndpoint>> PostgresStore::Webhooks::lock_outbox_endpoint(
    std::string_view name) {
    HEADWAY_CHECK(store_.lock_feed());
    HEADWAY_TRY(std::vector<OutboxEndpoint> all, outbox_endpoints());
    for (OutboxEndpoint& endpoint : all) {
        if (endpoint.name == name) return std::optional{std::move(endpoint)};
    }
    return std::optional<OutboxEndpoint>{};
}

Result<bool> PostgresStore::Webhooks::claim_outbox_endpoint(std::string_view name) {
    return store_.lease("webhook:" + std::string{name}, kSending);
}

Result<> PostgresStore::Webhooks::save_outbox_endpoint(const OutboxEndpoint& endpoint) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlOutbox::save_outbox_endpoint(endpoint);
}

/// Two daemons that get the same key at once would both find it free.
Result<std::optional<IdempotentUse>> PostgresStore::Idempotency::find_key(std::string_view key) {
    HEADWAY_CHECK(store_.lock_feed());
    return SqlIdempotency::find_key(key);
}

/// The other daemons see by the counter that they have to read the tokens again.
Result<> PostgresStore::Tokens::add_token(const core::TokenRecord& token) {
    HEADWAY_CHECK(store_.lock_feed());
    HEADWAY_CHECK(SqlTokens::add_token(token));
    return store_.meta_.add("tokens", 1);
}

Result<std::optional<core::TokenRecord>> PostgresStore::Tokens::revoke_token(std::string_view id,
                                                                             core::Timestamp now) {
    HEADWAY_CHECK(store_.lock_feed());
    HEADWAY_TRY(auto revoked, SqlTokens::revoke_token(id, now));
    HEADWAY_CHECK(store_.meta_.add("tokens", 1));
    return revoked;
}

}  // namespace headway::storage
