// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/time.hpp"

// The outbox's messages for people, not yet in the format of an endpoint. The texts of agents pass
// through core::visible(), which makes them one line of valid UTF-8 and escapes control, bidi and
// invisible characters. Pure.

namespace headway::api::notify {

enum class Urgency : std::uint8_t { kNormal, kHigh, kUrgent };

/// A message as stored in the outbox. Its type, session and number come from Headway. Its body may
/// contain an agent's data, which may be nested too deeply to be parsed.
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
    std::string call;       ///< the call that would run, for a request for approval
    std::string link;       ///< URL of the session or the request; empty if there is no `base`
    std::string sort;       ///< word for counting such events: "stuck", "ended"
    std::string predicate;  ///< the text for several sessions: "are stuck"
    /// Key of the cause: equal for all events with one cause, in any session. Empty: no other event
    /// shares the cause.
    std::string cause;
    std::string session;
    std::vector<std::string> lines;  ///< a digest's lines
    bool asks = false;               ///< a person is to decide; `link` shows the request
    bool decides = false;            ///< `link` leads to a page by which a person decides
    /// The exact tool and arguments of a request that a link may decide, not as shown; else empty.
    std::string tool;
    std::string args_digest;
    std::string asked_at;  ///< time of the request, as in the body
    Urgency urgency = Urgency::kNormal;
};

/// Reads a message. `base` is the dashboard's URL, or empty.
Notice read_notice(const Stored& message, std::string_view base);

/// One message to people, about one event or several.
struct Letter {
    std::string id;  ///< the webhook-id, the same in each attempt
    core::Timestamp at = core::kNever;
    std::string title;
    std::vector<std::pair<std::string_view, std::string>> facts;  ///< label and text
    struct Item {
        std::string text;
        std::string link;
    };
    std::vector<Item> items;  ///< the events, if there are several; requests for approval first
    std::string link;
    std::string_view link_words;
    bool decides = false;  ///< as Notice::decides
    Urgency urgency = Urgency::kNormal;
};

/// A letter about one event or about several with one cause; with `backlog`, about delayed events
/// of any cause. `notices` must not be empty.
Letter compose(std::span<const Notice> notices, bool backlog, std::string_view base);

/// `text` percent-encoded (%41), except for a URL's unreserved characters.
std::string url_encoded(std::string_view text);

/// "and 3 more", or empty for 0.
std::string and_more(std::size_t count);

}  // namespace headway::api::notify
