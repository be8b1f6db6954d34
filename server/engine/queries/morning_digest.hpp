// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "server/engine/queries/digest_query.hpp"

namespace headway::server {

/// Sends people a digest of the night once a day. The day of the last digest is stored in the
/// database. Engine thread only.
class MorningDigest {
public:
    /// How late a digest may be sent if the daemon was down at its time.
    static constexpr std::chrono::hours kLateMost{6};

    MorningDigest(std::optional<core::Millis> at, core::Millis span) : at_(at), span_(span) {}

    /// Reads one slice, if a digest is due.
    core::Result<> step(Reader& reader);
    /// True if more must be read, or a message is to be sent.
    bool busy() const { return reading_.has_value() || !body_.empty(); }
    bool ready() const { return !body_.empty(); }
    /// Puts the message into the outbox. Writes.
    core::Result<> tell(storage::Store& store, WebhookScheduler& webhooks, core::Timestamp now);
    void mark_sent();
    /// Drops the current digest; the next step() begins again.
    void drop();

private:
    core::Result<bool> begin(Reader& reader);
    static std::string key_of(const std::string& date);

    const std::optional<core::Millis> at_;
    const core::Millis span_;
    std::string told_;  ///< the last date whose digest was sent or is not needed
    std::string date_;  ///< date of the digest being read
    std::optional<DigestReading> reading_;
    std::string body_;
};

}  // namespace headway::server
