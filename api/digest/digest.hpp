// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode/system/encode_overview.hpp"
#include "core/views/digest.hpp"

// The digest: what has happened since a given time, and the matters that wait for people now.
// The functions have no side effects except on their reference arguments; shapes as in
// API.md.

namespace headway::api {

/// A session that had events in the digest's period: facts from its opening and its state.
struct DigestRow {
    std::string id;
    core::AgentInfo agent;
    std::vector<core::Label> labels;
    std::string goal;
    std::string parent;  ///< the parent session; empty: none
    bool open = false;
    core::Verdict verdict = core::Verdict::kStarting;
    std::string reason;  ///< the reason of the verdict
    std::string phase;
    core::DigestSession facts;
};

struct DigestDocument {
    core::Timestamp since = core::kNever;
    core::Timestamp until = core::kNever;
    bool partial = false;         ///< `since` is later than requested, or sessions are left out
    std::vector<DigestRow> rows;  ///< sorted by id
    std::vector<Need> needs;      ///< alarms first, then by urgency, then oldest first
    std::uint64_t needs_total = 0;
};

/// The row of a session. `until`: the silence of an open session is measured up to this time.
DigestRow digest_row(const core::Session& session, const core::DigestSession& facts,
                     core::Timestamp until);

void append_digest(std::string& out, const DigestDocument& digest);

enum class DigestFormat : std::uint8_t { kJson, kText, kMarkdown, kHtml };
std::optional<DigestFormat> parse_digest_format(std::string_view name);

/// The digest's texts for people, not yet in a DigestFormat. Each text is on one line, without
/// hidden characters.
struct DigestPage {
    struct Section {
        std::string heading;
        std::vector<std::string> lines;
        std::string empty;  ///< text to show if there are no lines
    };
    std::string title;  ///< "1 needs you, 3 ended (1 not completed), 2 resumes"
    std::string span;   ///< "2026-11-27 22:00 UTC to 2026-11-28 06:00 UTC"
    std::vector<Section> sections;
};
DigestPage digest_page(const DigestDocument& digest);

std::string text_of(const DigestPage& page);
std::string markdown_of(const DigestPage& page);
/// An HTML document without scripts or links, suitable for an e-mail.
std::string html_of(const DigestPage& page);

/// The body that is stored for a message of type "digest" until the message is sent to people. At
/// most limits::kWebhookBodyBytesMax bytes.
std::string digest_message(const DigestPage& page, core::Timestamp at);

}  // namespace headway::api
