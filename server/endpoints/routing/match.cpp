// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/decode/decode_checks.hpp"
#include "api/text/query.hpp"
#include "core/approvals/approval_alias.hpp"
#include "core/approvals/approvals.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/tokens/ping_path.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// A row of the table, its pattern cut up once.
struct Pattern {
    const Endpoint* endpoint;
    std::string_view before;  ///< the hole; the whole path of one that has none
    std::string_view after;
    std::uint32_t start = 0;       ///< the first bytes of `before`, by which most rows are passed
    std::uint32_t start_mask = 0;  ///< how many there are
    bool has_hole = false;
    bool with_slashes = false;  ///< the hole may hold some
    bool ping = false;
    bool session = false;
    bool asset = false;
    bool check = false;
    bool approval = false;
};

/// Up to four bytes as a number; the same bytes give the same one.
std::uint32_t prefix_bits(std::string_view text) {
    std::uint32_t start = 0;
    std::memcpy(&start, text.data(), std::min(text.size(), sizeof start));
    return start;
}

Pattern cut_up(const Endpoint& endpoint) {
    const std::string_view path = endpoint.path;
    const auto holds = [path](std::string_view hole) { return path.find(hole) != path.npos; };
    Pattern pattern{&endpoint, path, {}};
    const std::size_t hole = path.find('{');
    pattern.has_hole = hole != path.npos;
    if (pattern.has_hole) {
        pattern.before = path.substr(0, hole);
        pattern.after = path.substr(path.find('}') + 1);
    }
    constexpr std::string_view kAll{"\xff\xff\xff\xff"};
    pattern.start = prefix_bits(pattern.before);
    pattern.start_mask = prefix_bits(kAll.substr(0, pattern.before.size()));
    pattern.with_slashes = path.ends_with("{asset}") || path.ends_with("{ping}");
    pattern.ping = path.starts_with(kPingPrefix);
    pattern.session = !pattern.ping && holds("{id}");
    pattern.asset =
        path.ends_with("{asset}") || path.ends_with("{page}") || path.ends_with("{agent}");
    pattern.check = holds("{check}");
    pattern.approval = holds("{approval}");
    return pattern;
}

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> all = [] {
        std::vector<Pattern> compileds;
        for (const Endpoint& endpoint : route_table())
            compileds.push_back(cut_up(endpoint));
        return compileds;
    }();
    return all;
}

/// Matches `path`, which has this start, against a pattern and sets `id` to what its hole is.
bool fits(const Pattern& pattern, std::string_view path, std::uint32_t start,
          std::string_view& id) {
    if ((start & pattern.start_mask) != pattern.start) return false;
    if (!pattern.has_hole) return pattern.before == path;
    if (path.size() < pattern.before.size() + pattern.after.size()) return false;
    if (!path.starts_with(pattern.before) || !path.ends_with(pattern.after)) return false;
    id = path.substr(pattern.before.size(),
                     path.size() - pattern.before.size() - pattern.after.size());
    return pattern.with_slashes || id.find('/') == std::string_view::npos;
}

std::string_view method_name(Method method) {
    constexpr std::string_view kNames[] = {"GET",    "HEAD",  "POST",    "PUT",
                                           "DELETE", "PATCH", "OPTIONS", "OTHER"};
    return kNames[static_cast<std::size_t>(method)];
}

/// A stream has no reply to HEAD.
bool is_endless(const Endpoint& endpoint) {
    return endpoint.reply == ReplyKind::kStream;
}

Result<std::string> session_id(std::string_view raw) {
    if (api::valid_id(raw)) return std::string{raw};  // it has no percent sign
    auto id = api::percent_decoded(raw, false);
    if (id && api::valid_id(*id)) return *std::move(id);
    return Error{ErrorCode::kInvalidId,
                 "an id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..", "id"};
}

/// Parses an approval's id into session and number.
Result<> read_approval(std::string_view raw, Target& found) {
    const auto id = api::percent_decoded(raw, false);
    if (id && core::is_uuid(*id)) {
        found.alias = *id;
        return {};
    }
    const auto ref = id ? core::parse_approval_id(*id) : std::nullopt;
    if (!ref || !api::valid_id(ref->session)) {
        return Error{ErrorCode::kInvalidId,
                     "an approval's id is the session's, then .a and a number (session-1.a7), or "
                     "its request_id, a UUID",
                     "id"};
    }
    found.session = ref->session;
    found.approval = ref->n;
    return {};
}

Result<> read_ping(std::string_view path, Target& found) {
    HEADWAY_TRY(PingPath ping, parse_ping_path(path.substr(kPingPrefix.size())));
    HEADWAY_TRY(found.session, session_id(ping.id));
    if (looks_like_token(found.session)) {  // with a letter of it encoded
        return Error{ErrorCode::kInvalidId, "this is a token, which is no id of a job", "id"};
    }
    found.key = std::move(ping.key);
    found.asset = std::move(ping.action);
    return {};
}

Result<std::string> check_id(std::string_view raw) {
    const auto id = api::percent_decoded(raw, false);
    if (id && api::valid_check_id(*id)) return *id;
    return Error{ErrorCode::kInvalidId, "a check's id is 1 to 192 of A-Z a-z 0-9 . _ : -", "id"};
}

/// Two routes of one path may take the same.
void allow(std::string& allowed, std::string_view method) {
    const bool known =
        (", " + allowed + ",").find(", " + std::string{method} + ",") != allowed.npos;
    if (!known) allowed.append(allowed.empty() ? "" : ", ").append(method);
}

}  // namespace

Result<> find_route(Method method, std::string_view target, Target& found) {
    const std::size_t question = target.find('?');
    const std::string_view path = target.substr(0, question);
    const std::uint32_t start = prefix_bits(path);
    std::string allowed;
    for (const Pattern& pattern : patterns()) {
        std::string_view raw_id;
        if (!fits(pattern, path, start, raw_id)) continue;
        const Endpoint& entry = *pattern.endpoint;
        const bool has_head = entry.method == Method::kGet && !is_endless(entry);
        const bool same = entry.method == method || (has_head && method == Method::kHead);
        if (!same) {
            allow(allowed, method_name(entry.method));
            if (has_head) allow(allowed, "HEAD");
            continue;
        }
        found = Target{};
        found.endpoint = &entry;
        if (pattern.ping) HEADWAY_CHECK(read_ping(path, found));
        if (pattern.session) {
            HEADWAY_TRY(found.session, session_id(raw_id));
        }
        if (pattern.asset) found.asset = raw_id;
        if (pattern.check) {
            HEADWAY_TRY(found.check, check_id(raw_id));
        }
        if (pattern.approval) HEADWAY_CHECK(read_approval(raw_id, found));
        if (question != std::string_view::npos) found.query = target.substr(question + 1);
        return {};
    }
    if (!allowed.empty()) {
        return Error{ErrorCode::kMethodNotAllowed, "this route takes " + allowed, allowed};
    }
    return Error{
        ErrorCode::kUnknownRoute, "there is no such route; they are listed in api/API.md", {}};
}

Result<Target> match(Method method, std::string_view target) {
    Target found;
    HEADWAY_CHECK(find_route(method, target, found));
    return found;
}

}  // namespace headway::server
