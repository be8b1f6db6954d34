// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace headway::server {

/// The secret part of a login link. It can be used once and expires.
struct LoginCode {
    std::string code;
    core::Timestamp expires_at = core::kNever;
};

/// The link, below the daemon's base URL. Pure.
inline std::string login_url(const std::string& base, const LoginCode& code) {
    return base + "/login?code=" + code.code;
}

/// A login. Pages send its secret in place of a token.
struct Login {
    std::string secret;  ///< the secret of the login; empty: the code was invalid
    core::Timestamp expires_at = core::kNever;
};

/// Browser logins. A page exchanges the code of a link for a secret, keeps it in its own storage
/// and sends it in the header `Headway-Login`. The secret is not a cookie, because browsers send
/// cookies of 127.0.0.1 to every port, whereas a page of another port cannot read this storage.
/// Logins are kept in memory only and end with the process, so another process that uses this port
/// later cannot use a secret that it receives. I/O thread only.
class Logins {
public:
    /// Signs later codes and logins with `key`, so that all daemons with this key, and new
    /// processes, accept them. When a code is used or a login is ended, only the daemon where this
    /// happens knows about it.
    void share(std::string key) { key_ = std::move(key); }
    /// Error: kInternal.
    core::Result<LoginCode> make_code(core::Timestamp now);
    /// Exchanges a valid code, once. Error: kInternal.
    core::Result<Login> log_in(std::string_view code, core::Timestamp now, core::Millis lasts);
    /// True if this secret is valid. Takes the same time for all secrets of one length.
    bool logged_in(std::string_view secret, core::Timestamp now) const;
    /// A text that identifies the login after the request is over, and reveals nothing about the
    /// secret. Pure.
    std::string mark_of(std::string_view secret) const;
    /// True if the login with this mark is still valid.
    bool counts(std::string_view mark, core::Timestamp now) const;
    /// Ends the login. True if it was valid.
    bool log_out(std::string_view secret, core::Timestamp now);
    /// Ends all logins and revokes all codes.
    void forget_all();

private:
    /// A code or a login. Only the hash of its secret is kept.
    struct Known {
        std::string hash;
        core::Timestamp expires_at;
    };

    core::Result<std::string> sign(std::string_view kind, core::Timestamp expires_at) const;
    /// When the secret expires; kNever for a secret that is not signed with key_ or has expired.
    core::Timestamp proven(std::string_view kind, std::string_view secret,
                           core::Timestamp now) const;
    static bool is_in(const std::vector<Known>& list, std::string_view hash, core::Timestamp now);
    static void keep(std::vector<Known>& list, Known known, std::size_t max, core::Timestamp now);
    /// Removes the entry with this hash. True if there was such an entry and it was valid.
    static bool take(std::vector<Known>& list, std::string_view hash, core::Timestamp now);

    std::vector<Known> codes_;   ///< at most limits::kLoginCodesMax, oldest first
    std::vector<Known> logins_;  ///< at most limits::kLoginsMax, oldest first
    std::string key_;            ///< key of shared logins; empty: logins are not shared
    std::vector<Known> used_;    ///< used codes under a shared key, at most limits::kEndedLoginsMax
    std::vector<Known> ended_;   ///< ended logins under a shared key, at most
                                 ///< limits::kEndedLoginsMax
};

}  // namespace headway::server
