// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/time.hpp"

namespace headway::server {

/// A link's secret part, good once and for a while.
struct LoginCode {
    std::string code;
    core::Timestamp expires_at = core::kNever;
};

/// The link, below the address under which we are known. Pure.
inline std::string login_url(const std::string& base, const LoginCode& made) {
    return base + "/login?code=" + made.code;
}

/// What a page shows in place of a token from then on.
struct Login {
    std::string secret;  ///< empty: nobody was logged in
    core::Timestamp expires_at = core::kNever;
};

/// Logs browsers in: a page changes the code of a link for a secret, keeps it in its own storage
/// and sends it as the header `Headway-Login`. Not a cookie: browsers send cookies of 127.0.0.1 to
/// every port of it, and a page of another port cannot read the storage. What counts lives in
/// memory only, so a login ends with us: whoever holds our port next, and is shown the secret, has
/// nothing. I/O thread only.
class Logins {
public:
    /// Error: kInternal.
    core::Result<LoginCode> make_code(core::Timestamp now);
    /// Exchanges a code that counts, which it does not a second time. Error: kInternal.
    core::Result<Login> log_in(std::string_view code, core::Timestamp now, core::Millis lasts);
    /// Whether this secret counts. Looks at all of them alike.
    bool logged_in(std::string_view secret, core::Timestamp now) const;
    /// What to know a login by that lasts longer than the request that showed it; tells nothing of
    /// the secret. Pure.
    static std::string mark_of(std::string_view secret);
    /// Whether the login with this mark still counts.
    bool counts(std::string_view mark, core::Timestamp now) const;
    /// The secret counts no longer; whether it did.
    bool log_out(std::string_view secret, core::Timestamp now);
    /// Ends all logins and takes back all codes.
    void forget_all();

private:
    /// Of a code or a login; what it is itself is not kept.
    struct Known {
        std::string hash;
        core::Timestamp expires_at;
    };

    static void keep(std::vector<Known>& list, Known known, std::size_t max, core::Timestamp now);
    /// Takes the one with that hash out of the list; whether it was there and counted.
    static bool take(std::vector<Known>& list, std::string_view hash, core::Timestamp now);

    std::vector<Known> codes_;   ///< at most limits::kLoginCodesMax, oldest first
    std::vector<Known> logins_;  ///< at most limits::kLoginsMax, oldest first
};

}  // namespace headway::server
