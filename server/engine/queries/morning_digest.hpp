// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "server/engine/queries/digest_query.hpp"

namespace headway::server {

/// Once a day, sends people a digest of the night. The day of the last digest is stored in the
/// database. Engine thread only.
class MorningDigest {
public:
    /// Maximum delay of a digest that was due while the daemon was down.
    static constexpr std::chrono::hours kLateMost{6};

    MorningDigest(std::optional<core::Millis> at, core::Millis span) : at_(at), span_(span) {}

    /// If a digest is due, reads one slice of its data.
    core::Result<> step(Reader& reader);
    /// True if more must be read, or a message is to be sent.
    bool busy() const { return reading_.has_value() || !body_.empty(); }
    bool ready() const { return !body_.empty(); }
    /// Puts the message into the outbox. Only in a transaction.
    core::Result<> tell(storage::Store& store, WebhookScheduler& webhooks, core::Timestamp now);
    void mark_sent();
    /// Drops the current digest; the next step() begins again.
    void drop();

private:
    core::Result<bool> begin(Reader& reader);
    static std::string key_of(const std::string& date);

    const std::optional<core::Millis> at_;
    const core::Millis span_;
    std::string told_;  ///< the last date for which no digest remains to be sent
    std::string date_;  ///< date of the digest being read
    std::optional<DigestReading> reading_;
    std::string body_;
};

}  // namespace headway::server
