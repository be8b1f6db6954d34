// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "server/engine/queries/digest_query.hpp"

namespace headway::server {

/// Sends people a digest of the night once a day. The last day is in the database. Engine thread
/// only.
class MorningDigest {
public:
    /// A daemon that was away at the time tells it when it is back, but no later than this.
    static constexpr std::chrono::hours kLateMost{6};

    MorningDigest(std::optional<core::Millis> at, core::Millis span) : at_(at), span_(span) {}

    /// A slice of the reading, if it is due.
    core::Result<> step(Reader& reader);
    /// There is more to read, or a message to tell.
    bool busy() const { return reading_.has_value() || !body_.empty(); }
    bool ready() const { return !body_.empty(); }
    /// Puts the message into the outbox. Writes.
    core::Result<> tell(storage::Store& store, WebhookScheduler& webhooks, core::Timestamp now);
    void mark_sent();
    /// Begins again at the next try.
    void drop();

private:
    core::Result<bool> begin(Reader& reader);
    static std::string key_of(const std::string& date);

    const std::optional<core::Millis> at_;
    const core::Millis span_;
    std::string told_;  ///< the last date that needs nothing more
    std::string date_;  ///< that is read
    std::optional<DigestReading> reading_;
    std::string body_;
};

}  // namespace headway::server
