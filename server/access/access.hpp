// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings/settings.hpp"
#include "core/approvals/access.hpp"
#include "server/access/auth_failures.hpp"
#include "server/access/decision_links.hpp"
#include "server/access/logins.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/http/message/request_head.hpp"
#include "server/http/sockets/peer.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// The authenticated caller of a request.
struct Principal {
    std::string id;    ///< the token's id; empty if there is no token
    std::string name;  ///< the token's name
    core::Grants grants;
    /// Connected through the report socket: may report for any session and read it, but may not
    /// list sessions.
    bool only_reports = false;

    bool anonymous() const noexcept { return id.empty(); }
};

/// Checks that the caller may report for `session`, which the path of the route does not name.
/// Error: kForbidden, which names the scope. Pure.
core::Result<> require_report(const Principal& caller, std::string_view session);
/// Checks that the caller may read `session`, which the path of the route does not name. Error:
/// kForbidden, which names the scope. Pure.
core::Result<> require_read(const Principal& caller, std::string_view session);

/// An Idempotency-Key as it is stored. A token that may not report for all sessions has its own
/// space of keys; otherwise it could use a key of another token to read that token's session. Pure.
std::string own_key(const Principal& caller, std::string_view key);

/// The value of `by` in a command: the name that the client claims, with the name of its token.
/// Pure.
std::string signed_by(const Principal& caller, std::string claimed);

/// Authenticates and authorizes requests (api/API.md "Access"). An invalid token is refused even on
/// routes that need no token. I/O thread only.
class Access {
public:
    explicit Access(const Clock& clock);

    void configure(const config::AccessSettings& settings);
    /// Replaces all tokens with those that the engine has committed.
    void set_tokens(std::vector<core::TokenRecord> tokens);
    /// Reads the operator's token from `file`, or creates that file. True if other users could read
    /// the file. Error: kInvalidConfig.
    core::Result<bool> adopt_operator(std::filesystem::path file);
    /// Derives the operator's token and the key of logins from `secret_file`, which the daemons
    /// have in common, and stores the token in `file`. Error: kInvalidConfig.
    core::Result<> share(std::filesystem::path file, const std::filesystem::path& secret_file);
    /// Replaces the operator's token at once and returns the new one. Errors: kInternal; kForbidden
    /// if the token is shared.
    core::Result<std::string> rotate_operator();
    /// The key that hides digests of secrets in exports, see api::Fingerprints. It is the same at
    /// all daemons that share the operator's token, and changes with this token. Empty if there is
    /// no such token.
    std::string fingerprint_key() const;
    /// Links with which people decide requests. Any thread.
    const DecisionLinks& decision_links() const noexcept { return decision_links_; }
    DecisionLinks& decision_links() noexcept { return decision_links_; }
    const std::filesystem::path& operator_file() const noexcept { return operator_file_; }

    /// The code for a login link. Error: kInternal.
    core::Result<LoginCode> make_login_code() { return logins_.make_code(clock_.earliest()); }
    /// Exchanges a code for a login; Login::secret is empty if the code is invalid. Error:
    /// kInternal.
    core::Result<Login> log_in(std::string_view code);
    /// Ends at once the login whose secret the request has sent. True if the request had a valid
    /// login.
    bool log_out(const RequestHead& head);

    const std::string& mode() const noexcept { return settings_.mode; }
    /// True if check() would accept this caller on all routes with this guard, for all sessions.
    bool may(const Principal& caller, const RequestHead& head, Guard guard) const;

    /// True if the caller may control sessions: the caller has the scope `control`, or is anonymous
    /// while control needs no token. Called for every report, so it must be cheap.
    bool may_control(const Principal& caller, const RequestHead& head) const noexcept {
        if (!caller.anonymous()) return caller.grants.has(core::Scope::kControl);
        return !head.from_browser() && open_.test(static_cast<std::size_t>(Guard::kControl));
    }

    /// Authenticates a request and checks it against the guard of its route, before the rest of the
    /// request is read. The principal is valid until the tokens change, and at least while the
    /// request is handled. A caller on the Unix socket is the operator unless it sends a token; a
    /// caller on the report socket may only report, whatever it sends. A web page may send a login
    /// in place of a token; a page that sends neither may only read, in any mode. Errors:
    /// kUnauthorized (token missing or invalid), kTooManyFailures (token invalid, and this peer has
    /// failed too often; see pause()), kForbidden (scope missing; the message names it).
    core::Result<const Principal*> check(const Target& target, const RequestHead& head,
                                         const Peer& peer = {}) {
        const bool open = open_.test(static_cast<std::size_t>(target.endpoint->guard));
        const bool plain = head.authorizations == 0 && head.login.empty() && target.key.empty() &&
                           !head.from_browser();
        if (open && plain && !peer.on_socket()) return &anonymous_;
        return check_token(target, head, peer);
    }

    /// The id of the caller's token or login; empty for an anonymous caller. A long-lived request,
    /// such as a stream, passes it to counts() from time to time.
    std::string stays_as(const Principal& caller, const RequestHead& head) const;
    /// True if the credential for which stays_as() returned `who` is still valid.
    bool counts(std::string_view who);
    /// True for the id of the operator's token and the common id of logins.
    bool is_operator(std::string_view id) const noexcept {
        return id == operator_.id || id == dashboard_.id;
    }

    /// Number of requests that check() refused.
    std::uint64_t refused() const noexcept { return refused_; }
    /// Number of failed authentications; paused() is the number of those that were rate-limited.
    std::uint64_t failures() const noexcept { return failures_; }
    std::uint64_t paused() const noexcept { return paused_; }
    /// Number of client addresses with recorded failures.
    std::size_t failing_addresses() const noexcept { return auth_failures_.size(); }
    /// The Retry-After of the last error kTooManyFailures.
    core::Millis pause() const noexcept { return pause_; }
    /// A line for the log about an address that fails too often, a token whose scopes cannot be
    /// read, or (at most once an hour) a refused reporter. Empty if there is none.
    std::string take_alarm() { return std::exchange(alarm_, {}); }

    /// All tokens, newest first, with the current `used_at`.
    std::vector<const core::TokenRecord*> tokens() const;
    /// The uses of tokens since the last call of take_uses().
    std::vector<core::TokenUse> take_uses();

private:
    struct Known {
        core::TokenRecord record;
        Principal principal;
        bool used = false;  ///< used since the last take_uses()
    };

    core::Result<const Principal*> check_token(const Target& target, const RequestHead& head,
                                               const Peer& peer);
    core::Result<const Principal*> authenticate(std::string_view token);
    core::Result<const Principal*> authenticate_key(std::string_view key);
    core::Result<const Principal*> identify(const Target& target, const RequestHead& head,
                                            const Peer& peer);
    core::Error failed(core::Error why, const Peer& peer);
    core::Result<const Principal*> check_reporter(const Target& target, const Peer& peer);
    bool closed_to_anonymous(const RequestHead& head, Guard guard) const;
    Known* find(std::string_view id);

    const Clock& clock_;
    std::bitset<kGuardCount> open_;  ///< the guards that need no token
    const Principal anonymous_;
    Principal operator_;
    Principal dashboard_;  ///< any logged-in browser
    Principal reporter_;   ///< any caller on the report socket
    Logins logins_;
    config::AccessSettings settings_;
    std::string operator_hash_;  ///< hash of the operator's token; empty: no such token
    DecisionLinks decision_links_;
    std::filesystem::path operator_file_;
    bool shared_ = false;       ///< see share()
    std::vector<Known> known_;  ///< sorted by id
    AuthFailures auth_failures_;
    std::uint64_t refused_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t paused_ = 0;
    core::Millis pause_{0};
    core::Timestamp reporter_alarm_ = core::kNever;  ///< time of the last line about a reporter
    std::string alarm_;
};

}  // namespace headway::server
