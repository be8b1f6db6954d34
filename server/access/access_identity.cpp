// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/limits.hpp"
#include "core/text/words.hpp"
#include "server/access/access.hpp"
#include "server/access/operator_token.hpp"
#include "server/tokens/token_text.hpp"

// The part of Access that authenticates callers by token or login.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

Error not_counted(std::string detail) {
    return {ErrorCode::kUnauthorized, std::move(detail), "Authorization"};
}

/// The token in `Authorization: Bearer <token>`.
Result<std::string_view> bearer(const RequestHead& head) {
    constexpr std::string_view kScheme = "bearer ";
    const std::string_view value = head.authorization;
    if (head.authorizations > 1) return not_counted("send one Authorization header, not several");
    if (core::lower(value.substr(0, kScheme.size())) != kScheme) {
        return not_counted("send `Authorization: Bearer <token>`; other schemes are not known");
    }
    const std::size_t begin = value.find_first_not_of(' ', kScheme.size());
    return begin == std::string_view::npos ? std::string_view{} : value.substr(begin);
}

}  // namespace

/// By token, else by login, else by the Unix socket. An invalid login is ignored, unlike an invalid
/// token: a page sends the login that it has stored, valid or not.
Result<const Principal*> Access::identify(const Target& target, const RequestHead& head,
                                          const Peer& peer) {
    if (!target.key.empty()) return authenticate_key(target.key);
    if (head.authorizations > 0) {
        HEADWAY_TRY(const std::string_view text, bearer(head));
        return authenticate(text);
    }
    const bool logged_in = !head.login.empty() && logins_.logged_in(head.login, clock_.earliest());
    if (logged_in) return &std::as_const(dashboard_);
    return peer.local ? &std::as_const(operator_) : &anonymous_;
}

/// Called after the token was checked in constant time, so a pause reveals nothing about it.
Error Access::failed(Error why, const Peer& peer) {
    ++failures_;
    const AuthFailures::Outcome outcome = auth_failures_.note(peer, clock_.now());
    if (outcome.first) {
        alarm_ = shown(peer) + ": " + std::to_string(limits::kAuthFailuresFree + 1) +
                 " failed authentications in a row; this address is rate-limited, others are not";
    }
    pause_ = outcome.pause;
    if (pause_.count() == 0) return why;
    ++paused_;
    return {ErrorCode::kTooManyFailures,
            "invalid token; too many failed authentications from this address: retry after the "
            "Retry-After delay; a valid token is accepted at once",
            "Authorization"};
}

/// A key stands in an URL, and so in logs, histories and crontabs: it may only report.
Result<const Principal*> Access::authenticate_key(std::string_view key) {
    HEADWAY_TRY(const Principal* caller, authenticate(key));
    const core::Grants& grants = caller->grants;
    const bool more = grants.has(core::Scope::kRead) || grants.has(core::Scope::kApprove) ||
                      grants.has(core::Scope::kControl) || grants.has(core::Scope::kAdmin);
    if (!more) return caller;
    return Error{ErrorCode::kForbidden,
                 "the token \"" + caller->name + "\" (" + caller->id +
                     ") may do more than report, so it does not belong in a URL, which ends up in "
                     "logs; make one that only reports: headway token create NAME --scope "
                     "report:ID",
                 "key"};
}

/// Hashes and compares also for an unknown id, so that the duration reveals nothing.
Result<const Principal*> Access::authenticate(std::string_view text) {
    HEADWAY_TRY(const std::string_view id, token_id(text));
    const std::string hash = token_hash(text);
    if (id == kOperatorId) {
        if (!operator_hash_.empty() && same_hash(hash, operator_hash_))
            return &std::as_const(operator_);
        return not_counted("this is not the operator's token any more; read operator.token again");
    }
    Known* known = find(id);
    const std::string nobody(hash.size(), '\0');
    if (!same_hash(hash, known != nullptr ? known->record.hash : nobody) || known == nullptr) {
        return not_counted("unknown token; ask the operator for another");
    }
    const core::Timestamp now = clock_.now();
    if (known->record.revoked_at != core::kNever) {
        return not_counted("the token \"" + known->record.name + "\" (" + known->record.id +
                           ") was revoked; ask the operator for another");
    }
    if (!known->record.live(clock_.earliest())) {
        return not_counted("the token \"" + known->record.name + "\" (" + known->record.id +
                           ") has expired; ask the operator for another");
    }
    known->record.used_at = now;
    known->used = true;
    return &std::as_const(known->principal);
}

}  // namespace headway::server
