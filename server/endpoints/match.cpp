// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "api/decode.hpp"
#include "api/decode_checks.hpp"
#include "api/query.hpp"
#include "core/approval_alias.hpp"
#include "core/approvals.hpp"
#include "server/endpoints/endpoint.hpp"
#include "server/endpoints/ping_path.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Matches `path` against a pattern and sets `id` to the id in it.
bool fits(std::string_view pattern, std::string_view path, std::string_view& id) {
    const std::size_t hole = pattern.find('{');
    if (hole == std::string_view::npos) return pattern == path;
    const std::string_view before = pattern.substr(0, hole);
    const std::string_view after = pattern.substr(pattern.find('}') + 1);
    if (path.size() < before.size() + after.size()) return false;
    if (!path.starts_with(before) || !path.ends_with(after)) return false;
    id = path.substr(before.size(), path.size() - before.size() - after.size());
    return id.find('/') == std::string_view::npos || pattern.ends_with("{asset}") ||
           pattern.ends_with("{ping}");
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
    const auto id = api::percent_decoded(raw, false);
    if (id && api::valid_id(*id)) return *id;
    return Error{ErrorCode::kInvalidId,
                 "an id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..", "id"};
}

/// Parses an approval's id into session and number.
Result<> read_approval(std::string_view raw, Target& found) {
    const auto id = api::percent_decoded(raw, false);
    if (id && core::cursor_of_alias(*id)) {
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

Result<Target> match(Method method, std::string_view target) {
    const std::size_t question = target.find('?');
    const std::string_view path = target.substr(0, question);
    std::string allowed;
    for (const Endpoint& entry : route_table()) {
        std::string_view raw_id;
        if (!fits(entry.path, path, raw_id)) continue;
        const bool has_head = entry.method == Method::kGet && !is_endless(entry);
        const bool same = entry.method == method || (has_head && method == Method::kHead);
        if (!same) {
            allow(allowed, method_name(entry.method));
            if (has_head) allow(allowed, "HEAD");
            continue;
        }
        Target found;
        found.endpoint = &entry;
        if (entry.path.starts_with(kPingPrefix)) {
            HEADWAY_CHECK(read_ping(path, found));
        } else if (entry.path.find("{id}") != std::string_view::npos) {
            HEADWAY_TRY(found.session, session_id(raw_id));
        }
        if (entry.path.ends_with("{asset}") || entry.path.ends_with("{page}") ||
            entry.path.ends_with("{agent}")) {
            found.asset = raw_id;
        }
        if (entry.path.find("{check}") != std::string_view::npos) {
            HEADWAY_TRY(found.check, check_id(raw_id));
        }
        if (entry.path.find("{approval}") != std::string_view::npos) {
            HEADWAY_CHECK(read_approval(raw_id, found));
        }
        if (question != std::string_view::npos) found.query = target.substr(question + 1);
        return found;
    }
    if (!allowed.empty()) {
        return Error{ErrorCode::kMethodNotAllowed, "this route takes " + allowed, allowed};
    }
    return Error{
        ErrorCode::kUnknownRoute, "there is no such route; they are listed in api/API.md", {}};
}

}  // namespace headway::server
