// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/time.hpp"

// Messages of the outbox as people get them, whatever the format. An agent's text goes through
// api::inert: one line of valid UTF-8 without control, bidi or invisible characters. Pure.

namespace headway::api::notify {

enum class Urgency : std::uint8_t { kNormal, kHigh, kUrgent };

/// A message as the outbox has it. Type, session and number are Headway's own; the rest of the body
/// may hold what an agent wrote, even so much that it cannot be read.
struct Stored {
    std::string_view type;
    std::string_view session;
    std::uint64_t n = 0;
    std::string_view body;
};

/// One event, for people.
struct Notice {
    std::string headline;  ///< "night-7 is stuck"
    std::string reason;
    std::string agent;
    std::string goal;
    std::string call;       ///< of a request for approval: what would run
    std::string link;       ///< to the session or the request; empty without a base
    std::string sort;       ///< for counts: "stuck", "ended"
    std::string predicate;  ///< of several sessions: "are stuck"
    /// Equal for events of one cause, whichever their sessions; empty: has no like.
    std::string cause;
    std::string session;
    std::vector<std::string> lines;  ///< of a digest
    bool asks = false;               ///< a person is to decide; `link` shows what
    bool decides = false;            ///< `link` leads to a page by which a person decides
    /// Of a request that a link may decide: the call as it is, not as it is shown. Else empty.
    std::string tool;
    std::string args_digest;
    std::string asked_at;  ///< as in the body
    Urgency urgency = Urgency::kNormal;
};

/// `base` is where the dashboard is, or empty.
Notice read_notice(const Stored& message, std::string_view base);

/// One message to people, about one event or several.
struct Letter {
    std::string id;  ///< the webhook-id, the same when it is sent again
    core::Timestamp at = core::kNever;
    std::string title;
    std::vector<std::pair<std::string_view, std::string>> facts;  ///< label and text
    struct Item {
        std::string text;
        std::string link;
    };
    std::vector<Item> items;  ///< of several events, requests for approval first
    std::string link;
    std::string_view link_words;
    bool decides = false;  ///< as Notice::decides
    Urgency urgency = Urgency::kNormal;
};

/// About one event, or several of one cause. With `backlog` about events that had to wait, of any
/// cause. `notices` is not empty.
Letter compose(std::span<const Notice> notices, bool backlog, std::string_view base);

/// `text` with what is no unreserved character of a URL as %41.
std::string url_encoded(std::string_view text);

/// "and 3 more", or empty for 0.
std::string and_more(std::size_t count);

}  // namespace headway::api::notify
