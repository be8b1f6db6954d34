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

/// Logs browsers in: a code in a link is changed for a cookie. Codes live in memory; cookies need
/// nothing kept, since they are signed with a key that comes from the operator's token. So they
/// outlive a restart, and a new operator's token ends them all. I/O thread only.
class Logins {
public:
    /// From now on only cookies made with this secret count. Empty: none does.
    void set_secret(std::string_view secret);
    /// Cookies are told apart by port, which browsers do not.
    void set_port(std::uint16_t port);
    /// Whether browsers may send cookies over TLS only.
    void set_secure(bool secure) { secure_ = secure; }

    /// Error: kInternal.
    core::Result<LoginCode> make_code(core::Timestamp now);
    /// Whether the code counts; it does not a second time.
    bool use_code(std::string_view code, core::Timestamp now);

    /// The `Set-Cookie` line of a login that lasts so long. Error: kInternal.
    core::Result<std::string> cookie_line(core::Timestamp now, core::Millis lasts) const;
    /// The one that takes it away.
    std::string forget_line() const;
    /// Whether a `Cookie` header shows a login that counts.
    bool logged_in(std::string_view cookies, core::Timestamp now) const;

private:
    struct Code {
        std::string hash;
        core::Timestamp expires_at;
    };

    std::string line(std::string_view value, std::int64_t max_age) const;
    std::string signature_of(std::string_view text) const;

    std::string key_;
    bool secure_ = false;
    std::string name_ = "headway_login";
    std::vector<Code> codes_;  ///< at most limits::kLoginCodesMax, oldest first
};

}  // namespace headway::server
