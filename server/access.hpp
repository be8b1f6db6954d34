// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "core/access.hpp"
#include "server/auth_failures.hpp"
#include "server/clock.hpp"
#include "server/endpoints/endpoint.hpp"
#include "server/logins.hpp"
#include "server/peer.hpp"
#include "server/request_head.hpp"

namespace headway::server {

/// Who called.
struct Principal {
    std::string id;    ///< of the token; empty: none was shown
    std::string name;  ///< of the token
    core::Grants grants;

    bool anonymous() const noexcept { return id.empty(); }
};

/// For routes whose path does not name the session: whether the caller may report for it. Error:
/// kForbidden, naming the scope. Pure.
core::Result<> require_report(const Principal& caller, std::string_view session);
/// The same for reading. Pure.
core::Result<> require_read(const Principal& caller, std::string_view session);

/// An Idempotency-Key as it is kept. That of a token that may not speak for all sessions is its
/// own: by the key of another it would be shown a session of that one. Pure.
std::string own_key(const Principal& caller, std::string_view key);

/// What goes to `by` of a command: what the client says, backed by the name of its token. Pure.
std::string signed_by(const Principal& caller, std::string claimed);

/// Lets requests in or not (DESIGN 8, API.md "Access"). A token that is shown counts everywhere: a
/// wrong one is never taken for none. I/O thread only.
class Access {
public:
    explicit Access(const Clock& clock);

    void configure(const config::AccessSettings& settings);
    /// All of them, as the supervisor has committed them.
    void set_tokens(std::vector<core::TokenRecord> tokens);
    /// Takes the operator's token from `file`, or makes it. True when others could read the file
    /// until now. Error: kInvalidConfig.
    core::Result<bool> adopt_operator(std::filesystem::path file);
    /// A new token for the operator, at once. Returns it. Error: kInternal.
    core::Result<std::string> rotate_operator();
    const std::filesystem::path& operator_file() const noexcept { return operator_file_; }

    /// What a link logs a browser in with. Error: kInternal.
    core::Result<LoginCode> make_login_code() { return logins_.make_code(clock_.earliest()); }
    /// Logs in whoever shows the code; without a secret when it does not count. Error: kInternal.
    core::Result<Login> log_in(std::string_view code);
    /// Ends the login of a request, at once; whether there was one.
    bool log_out(const RequestHead& head);

    const std::string& mode() const noexcept { return settings_.mode; }
    /// Whether check() would let this caller call routes of this guard, about all sessions.
    bool may(const Principal& caller, const RequestHead& head, Guard guard) const;

    /// Whether the caller may steer sessions: the scope `control`, or where that is open, nobody in
    /// particular. Of every report, so it costs nothing.
    bool may_control(const Principal& caller, const RequestHead& head) const noexcept {
        if (!caller.anonymous()) return caller.grants.has(core::Scope::kControl);
        return !head.from_browser() && open_.test(static_cast<std::size_t>(Guard::kControl));
    }

    /// Before anything else of a request is looked at. The principal lives until the next change of
    /// tokens, and thus as long as the request is handled. Errors: kUnauthorized (no token where
    /// one is needed, or one that does not count), kTooManyFailures (it does not count, and so many
    /// of them came from this peer that it should wait, see pause()), kForbidden (it lacks the
    /// scope, which the sentence names). Whoever comes over the Unix socket is the operator, unless
    /// a token says otherwise. A web page may show a login in place of a token; without either it
    /// may only read, whatever the mode: whoever opens a page does not mean to steer.
    core::Result<const Principal*> check(const Target& target, const RequestHead& head,
                                         const Peer& peer = {}) {
        const bool open = open_.test(static_cast<std::size_t>(target.endpoint->guard));
        const bool plain = head.authorizations == 0 && head.login.empty() && !head.from_browser();
        if (open && plain && !peer.local) return &anonymous_;
        return check_token(target, head, peer);
    }

    /// Who it is that stays, as in a stream: the id of his token, or that of his one login.
    std::string stays_as(const Principal& caller, const RequestHead& head) const;
    /// Whether whoever was let in and stays_as() this would be let in now.
    bool counts(std::string_view who);
    /// Whether this is the id of the operator, or of his logins.
    bool is_operator(std::string_view id) const noexcept {
        return id == operator_.id || id == dashboard_.id;
    }

    /// How many requests check() has turned away.
    std::uint64_t refused() const noexcept { return refused_; }
    /// How many tokens were shown that do not count, and to how many of them the answer was to
    /// wait.
    std::uint64_t failures() const noexcept { return failures_; }
    std::uint64_t paused() const noexcept { return paused_; }
    /// Addresses whose failures are remembered.
    std::size_t failing_addresses() const noexcept { return auth_failures_.size(); }
    /// How long whoever was answered kTooManyFailures last should wait.
    core::Millis pause() const noexcept { return pause_; }
    /// A line for the log about an address that has begun to fail too often, or an empty one.
    std::string take_alarm() { return std::exchange(alarm_, {}); }

    /// Newest first; `used_at` is that of a moment ago.
    std::vector<const core::TokenRecord*> tokens() const;
    /// The uses that nobody was told of yet.
    std::vector<core::TokenUse> take_uses();

private:
    struct Known {
        core::TokenRecord record;
        Principal principal;
        bool used = false;  ///< since take_uses()
    };

    core::Result<const Principal*> check_token(const Target& target, const RequestHead& head,
                                               const Peer& peer);
    core::Result<const Principal*> authenticate(const RequestHead& head);
    core::Result<const Principal*> identify(const RequestHead& head, const Peer& peer);
    core::Error failed(core::Error why, const Peer& peer);
    bool closed_to_anonymous(const RequestHead& head, Guard guard) const;
    Known* find(std::string_view id);

    const Clock& clock_;
    std::bitset<kGuardCount> open_;  ///< guards that ask for no token
    const Principal anonymous_;
    Principal operator_;
    Principal dashboard_;  ///< whoever has logged in
    Logins logins_;
    config::AccessSettings settings_;
    std::string operator_hash_;  ///< empty: none
    std::filesystem::path operator_file_;
    std::vector<Known> known_;  ///< by id
    AuthFailures auth_failures_;
    std::uint64_t refused_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t paused_ = 0;
    core::Millis pause_{0};
    std::string alarm_;
};

}  // namespace headway::server
