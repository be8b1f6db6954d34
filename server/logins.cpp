#include "server/logins.hpp"

#include <algorithm>
#include <charconv>

#include "core/limits.hpp"
#include "core/words.hpp"
#include "server/token_text.hpp"

namespace headway::server {
namespace {

using core::Result;
namespace limits = core::limits;

constexpr std::string_view kVersion = "v1.";
constexpr std::size_t kCodeCharacters = 32;   // 190 bits
constexpr std::size_t kNonceCharacters = 16;  // so that no two logins are alike

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto bits = static_cast<unsigned char>(byte);
        text.push_back(kDigits[bits >> 4U]);
        text.push_back(kDigits[bits & 0xFU]);
    }
    return text;
}

std::int64_t seconds_of(core::Timestamp at) {
    return at.time_since_epoch().count() / 1000;
}

/// The value of a cookie in a `Cookie` header; empty without one.
std::string_view cookie_value(std::string_view cookies, std::string_view name) {
    while (!cookies.empty()) {
        const std::string_view pair = core::trimmed(cookies.substr(0, cookies.find(';')));
        cookies.remove_prefix(std::min(cookies.find(';'), cookies.size() - 1) + 1);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
        return pair.substr(equals + 1);
    }
    return {};
}

}  // namespace

void Logins::set_secret(std::string_view secret) {
    key_ = secret.empty() ? std::string{} : keyed_hash(secret, "headway login v1");
    codes_.clear();
}

void Logins::set_port(std::uint16_t port) {
    name_ = "headway_login_" + std::to_string(port);
}

Result<LoginCode> Logins::make_code(core::Timestamp now) {
    LoginCode made;
    HEADWAY_TRY(made.code, random_letters(kCodeCharacters));
    made.expires_at = now + limits::kLoginCodeFor;
    std::erase_if(codes_, [now](const Code& code) { return code.expires_at <= now; });
    if (codes_.size() >= limits::kLoginCodesMax) codes_.erase(codes_.begin());
    codes_.push_back({token_hash(made.code), made.expires_at});
    return made;
}

bool Logins::use_code(std::string_view code, core::Timestamp now) {
    const std::string hash = token_hash(code);
    bool good = false;
    std::erase_if(codes_, [&](const Code& known) {
        const bool same = same_hash(known.hash, hash);
        good = good || (same && now < known.expires_at);
        return same;
    });
    return good;
}

std::string Logins::line(std::string_view value, std::int64_t max_age) const {
    return "Set-Cookie: " + name_ + "=" + std::string{value} + (secure_ ? "; Secure" : "") +
           "; HttpOnly; SameSite=Strict; Path=/; Max-Age=" + std::to_string(max_age) + "\r\n";
}

std::string Logins::signature_of(std::string_view text) const {
    return hex_of(keyed_hash(key_, text));
}

Result<std::string> Logins::cookie_line(core::Timestamp now, core::Millis lasts) const {
    HEADWAY_TRY(const std::string nonce, random_letters(kNonceCharacters));
    const std::string text =
        std::string{kVersion} + std::to_string(seconds_of(now + lasts)) + "." + nonce;
    return line(text + "." + signature_of(text), lasts.count() / 1000);
}

std::string Logins::forget_line() const {
    return line("", 0);
}

bool Logins::logged_in(std::string_view cookies, core::Timestamp now) const {
    const std::string_view value = cookie_value(cookies, name_);
    const std::size_t dot = value.rfind('.');
    const bool framed = value.size() <= limits::kLoginBytesMax && value.starts_with(kVersion) &&
                        dot != std::string_view::npos && dot >= kVersion.size();
    if (!framed || key_.empty()) return false;
    if (!same_hash(value.substr(dot + 1), signature_of(value.substr(0, dot)))) return false;
    const std::string_view rest = value.substr(kVersion.size());
    std::int64_t expiry = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), expiry);
    return error == std::errc{} && *end == '.' && seconds_of(now) < expiry;
}

}  // namespace headway::server
