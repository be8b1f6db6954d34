// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace headway::storage {

/// A message to one webhook, kept from its event until it is delivered or dropped.
struct OutboxMessage {
    std::int64_t row = 0;  ///< the row's number, which ascends in the order of events
    std::string endpoint;
    std::string id;  ///< the webhook-id
    std::string type;
    std::string session;
    std::uint64_t n = 0;
    core::Timestamp at = core::kNever;  ///< time of the event
    std::uint32_t tries = 0;
    core::Timestamp due_at = core::kNever;
    core::Timestamp tried_at = core::kNever;
    core::Timestamp dead_at = core::kNever;  ///< when it became a dead letter; kNever: pending
    bool away = false;   ///< the last try failed because of the endpoint, not the message
    std::string reason;  ///< reason for the last failed try
    std::string body;
};

/// The state of an endpoint. The endpoint may have been removed from the configuration.
struct OutboxEndpoint {
    std::string name;
    std::string target;                          ///< fingerprint of the endpoint's URL
    core::Timestamp disabled_at = core::kNever;  ///< when the endpoint replied with status 410
    core::Timestamp removed_at = core::kNever;   ///< when it was first missing in the configuration
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;   ///< failed tries
    std::uint64_t died = 0;     ///< messages that became dead letters
    std::uint64_t dropped = 0;  ///< dead letters dropped for lack of room
    core::Timestamp succeeded_at = core::kNever;
    core::Timestamp failed_at = core::kNever;
    std::string failure;
    std::uint64_t pending = 0;  ///< number of pending messages; read only
    std::uint64_t dead = 0;     ///< number of dead letters; read only
    bool operator==(const OutboxEndpoint&) const = default;
};

/// Why a message was not delivered.
struct OutboxFailure {
    std::uint32_t tries = 0;  ///< number of tries, including this one
    core::Timestamp at = core::kNever;
    bool away = false;
    std::string reason;
};

/// The state that a message had before remove_message().
enum class Removed : std::uint8_t { kNothing, kPending, kDead };

/// Undelivered messages to webhooks, pending or dead: a part of the Store, with the same thread,
/// transactions and errors. A message is added in the transaction of its event. Functions that take
/// the row and the id of a message do nothing if the message no longer exists.
class Outbox {
public:
    virtual ~Outbox() = default;

    /// Adds a message, under a new row. If it has a `dead_at`, it is a dead letter from the start.
    virtual core::Result<> add_message(const OutboxMessage& message) = 0;
    /// The oldest of the endpoint's pending messages that are due at `now`.
    virtual core::Result<std::optional<OutboxMessage>> next_message(std::string_view endpoint,
                                                                    core::Timestamp now) = 0;
    /// Messages that may be sent together as one: those due by `until`, oldest first, at most
    /// `limit` and about `bytes_max` bytes of bodies.
    virtual core::Result<std::vector<OutboxMessage>> due_messages(std::string_view endpoint,
                                                                  core::Timestamp until,
                                                                  std::size_t limit,
                                                                  std::size_t bytes_max) = 0;
    /// The endpoint's pending message that was tried last, of those whose last try failed because
    /// of the endpoint; without its body.
    virtual core::Result<std::optional<OutboxMessage>> last_away(std::string_view endpoint) = 0;
    /// When the first pending message is due; kNever if there are none.
    virtual core::Result<core::Timestamp> next_due(std::string_view endpoint) = 0;
    /// Like next_due(), for requests for approval and alarms only.
    virtual core::Result<core::Timestamp> next_urgent_due(std::string_view endpoint) = 0;
    /// Deletes the message, for example after its delivery.
    virtual core::Result<Removed> remove_message(std::int64_t row, std::string_view id) = 0;
    /// Records a failed try of a pending message; its next try is due at `due_at`.
    virtual core::Result<> delay_message(std::int64_t row, std::string_view id,
                                         const OutboxFailure& failure, core::Timestamp due_at) = 0;
    /// Makes the message a dead letter; true if it was pending.
    virtual core::Result<bool> bury_message(std::int64_t row, std::string_view id,
                                            const OutboxFailure& failure) = 0;
    /// Makes up to `count` pending messages dead letters. The oldest messages come first, but
    /// approval requests come after all other messages, and alarms after these. Returns the number
    /// of new dead letters.
    virtual core::Result<std::uint64_t> bury_oldest(std::string_view endpoint, std::uint64_t count,
                                                    core::Timestamp at,
                                                    std::string_view reason) = 0;
    /// Drops dead letters, in the order of bury_oldest(), until `keep` remain. Returns the number
    /// of dropped ones.
    virtual core::Result<std::uint64_t> drop_dead(std::string_view endpoint,
                                                  std::uint64_t keep) = 0;
    /// Makes messages due now if they were delayed because the endpoint was unavailable.
    virtual core::Result<> hurry_messages(std::string_view endpoint, core::Timestamp now) = 0;
    /// Makes up to `count` of the oldest dead letters pending again, like new messages. Returns
    /// their number.
    virtual core::Result<std::uint64_t> revive_oldest(std::string_view endpoint,
                                                      std::uint64_t count, core::Timestamp now) = 0;
    /// Makes one dead letter pending again; false if no such dead letter exists.
    virtual core::Result<bool> revive_message(std::string_view endpoint, std::string_view id,
                                              core::Timestamp now) = 0;
    /// Messages after row `after`, oldest first, without their bodies.
    virtual core::Result<std::vector<OutboxMessage>> list_messages(std::string_view endpoint,
                                                                   bool dead, std::int64_t after,
                                                                   std::size_t limit) = 0;
    /// All known endpoints, sorted by name.
    virtual core::Result<std::vector<OutboxEndpoint>> outbox_endpoints() = 0;
    /// In a shared store: the stored state of the endpoint, which is locked against other daemons
    /// until the end of the transaction. Nothing if the store is not shared.
    virtual core::Result<std::optional<OutboxEndpoint>> lock_outbox_endpoint(
        std::string_view /*name*/) {
        return std::optional<OutboxEndpoint>{};
    }
    /// Claims the endpoint for this daemon: true if this daemon, and no other, may send to the
    /// endpoint for the next minute.
    virtual core::Result<bool> claim_outbox_endpoint(std::string_view /*name*/) { return true; }
    /// Writes the endpoint's state, except the numbers of messages.
    virtual core::Result<> save_outbox_endpoint(const OutboxEndpoint& endpoint) = 0;
    /// Deletes the endpoint and its messages.
    virtual core::Result<> forget_outbox_endpoint(std::string_view name) = 0;
};

}  // namespace headway::storage
