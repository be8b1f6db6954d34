// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

// /v1/webhooks as JSON. Functions change only arguments; shapes as in API.md.

namespace headway::api {

/// An endpoint and its deliveries.
struct WebhookDocument {
    std::string name;
    std::string url;  ///< the URL without parts that may be secret; empty for a removed endpoint
    std::string_view format;  ///< the format's name; empty for a removed endpoint
    std::string_view state;   ///< active, failing, disabled, misconfigured, removed
    std::string problem;      ///< why no message is sent, and how to fix this; empty: no problem
    std::vector<std::string> events;
    std::vector<std::string> verdicts;
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;  ///< dead letters now
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;
    std::uint64_t died = 0;  ///< all messages that have ever become dead letters
    std::uint64_t dropped = 0;
    core::Timestamp succeeded_at = core::kNever;
    core::Timestamp failed_at = core::kNever;
    std::string failure;
    core::Timestamp next_at = core::kNever;
};
void append_webhooks(std::string& out, std::span<const WebhookDocument> webhooks);

/// A message that is not delivered yet.
struct DeliveryDocument {
    std::int64_t cursor = 0;
    std::string id;
    std::string type;
    std::string session;
    std::uint64_t n = 0;
    core::Timestamp at = core::kNever;
    std::uint32_t tries = 0;
    core::Timestamp tried_at = core::kNever;
    core::Timestamp due_at = core::kNever;  ///< next automatic try; kNever: none
    /// When it became a dead letter; kNever: it is still pending.
    core::Timestamp dead_at = core::kNever;
    std::string reason;
};
/// `more`: further deliveries follow.
void append_deliveries(std::string& out, std::span<const DeliveryDocument> deliveries, bool more);

struct ReplayBody {
    std::vector<std::string> ids;
    bool all = false;
    static constexpr auto fields() {
        return field_list(core::field("ids", &ReplayBody::ids),
                          core::field("all", &ReplayBody::all));
    }
};

/// The dead letters to send again.
struct DecodedReplay {
    std::vector<std::string> ids;  ///< ids of the dead letters; empty: all
};
/// Decodes `{"ids":[...]}` or `{"all":true}`. Errors: kInvalidJson, kUnknownField, kInvalidField,
/// kMissingField.
core::Result<DecodedReplay> decode_replay(JsonDocument& document, std::string_view body);

}  // namespace headway::api
