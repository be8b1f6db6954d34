// SPDX-License-Identifier: Apache-2.0
#include "server/engine/queries/morning_digest.hpp"

#include <utility>

#include "server/engine/projections/webhook_scheduler.hpp"
#include "server/time/local_day.hpp"
#include "storage/tables/idempotency_table.hpp"

namespace headway::server {

using core::Result;

/// In the table of idempotency keys, where no client can send such a key.
std::string MorningDigest::key_of(const std::string& date) {
    return "\x1f"
           "digest/" +
           date;
}

/// True if the digest of a day is due and was not sent.
Result<bool> MorningDigest::begin(Reader& reader) {
    const core::Timestamp now = reader.now();
    const core::Millis past = local_day(now).since_midnight - *at_;
    // Before the time of day it is that of yesterday.
    const core::Timestamp due =
        past < core::Millis{0} ? now - past - std::chrono::hours{24} : now - past;
    const std::string date = local_day(due).date;
    if (now - due > kLateMost || date == told_ || date.empty()) return false;
    HEADWAY_TRY(const auto known, reader.store().idempotency().find_key(key_of(date)));
    if (known) {
        told_ = date;
        return false;
    }
    date_ = date;
    reading_.emplace().since = due - span_;
    return true;
}

Result<> MorningDigest::step(Reader& reader) {
    if (!at_ || ready()) return {};
    if (!reading_) {
        HEADWAY_TRY(const bool due, begin(reader));
        if (!due) return {};
    }
    HEADWAY_TRY(const auto digest, reading_->step(reader));
    if (!digest) return {};
    reading_.reset();
    body_ = api::digest_message(api::digest_page(*digest), reader.now());
    return {};
}

Result<> MorningDigest::tell(storage::Store& store, WebhookScheduler& webhooks,
                             core::Timestamp now) {
    // Another daemon of the same store may have been first.
    HEADWAY_TRY(const auto known, store.idempotency().find_key(key_of(date_)));
    if (known) return {};
    HEADWAY_CHECK(webhooks.tell_people("digest", "digest/" + date_, body_, now));
    return store.idempotency().add_key(key_of(date_), {"", date_}, now);
}

void MorningDigest::mark_sent() {
    told_ = std::move(date_);
    drop();
}

void MorningDigest::drop() {
    reading_.reset();
    body_.clear();
    date_.clear();
}

}  // namespace headway::server
