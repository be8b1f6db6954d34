// SPDX-License-Identifier: Apache-2.0
#include "server/access/logins.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/base/limits.hpp"
#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

using core::Result;
namespace limits = core::limits;

constexpr std::size_t kCodeCharacters = 32;  // 190 bits
// One that is shared: its expiry in milliseconds, random letters, and a proof in hexadecimal.
constexpr char kBetween = '_';
constexpr std::size_t kProofCharacters = 64;
constexpr std::string_view kCode = "code ";
constexpr std::string_view kLogin = "login ";

std::string proof_of(std::string_view key, std::string_view kind, std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string proof;
    for (const char c : keyed_hash(key, std::string{kind} + std::string{text})) {
        const auto byte = static_cast<unsigned char>(c);
        proof += kDigits[byte >> 4U];
        proof += kDigits[byte & 15U];
    }
    return proof;
}

/// The public part of a shared code or login, without its proof.
std::string_view claim_of(std::string_view secret) {
    const std::size_t proof = kProofCharacters + 1;
    return secret.size() <= proof ? std::string_view{} : secret.substr(0, secret.size() - proof);
}

core::Timestamp expiry_of(std::string_view claim) {
    std::int64_t ms = 0;
    const auto [end, failed] = std::from_chars(claim.data(), claim.data() + claim.size(), ms);
    const bool good =
        failed == std::errc{} && ms > 0 && end != claim.data() + claim.size() && *end == kBetween;
    return good ? core::Timestamp{core::Millis{ms}} : core::kNever;
}

}  // namespace

Result<std::string> Logins::sign(std::string_view kind, core::Timestamp expires_at) const {
    HEADWAY_TRY(const std::string random, random_letters(kCodeCharacters));
    std::string text = std::to_string(expires_at.time_since_epoch().count()) + kBetween + random;
    const std::string proof = proof_of(key_, kind, text);
    return text + kBetween + proof;
}

core::Timestamp Logins::proven(std::string_view kind, std::string_view secret,
                               core::Timestamp now) const {
    const std::string_view claim = claim_of(secret);
    if (claim.empty() || secret.size() > limits::kLoginBytesMax) return core::kNever;
    const bool ours = same_hash(secret.substr(claim.size() + 1), proof_of(key_, kind, claim));
    const core::Timestamp expires_at = expiry_of(claim);
    return ours && expires_at != core::kNever && now < expires_at ? expires_at : core::kNever;
}

Result<LoginCode> Logins::make_code(core::Timestamp now) {
    LoginCode code;
    HEADWAY_TRY(code.code, random_letters(kCodeCharacters));
    code.expires_at = now + limits::kLoginCodeFor;
    if (!key_.empty()) {
        HEADWAY_TRY(code.code, sign(kCode, code.expires_at));
        return code;
    }
    keep(codes_, {token_hash(code.code), code.expires_at}, limits::kLoginCodesMax, now);
    return code;
}

Result<Login> Logins::log_in(std::string_view code, core::Timestamp now, core::Millis lasts) {
    Login login;
    if (!key_.empty()) {
        const core::Timestamp until = proven(kCode, code, now);
        const std::string hash = token_hash(code);
        if (until == core::kNever || is_in(used_, hash, now)) return login;
        login.expires_at = now + lasts;
        HEADWAY_TRY(login.secret, sign(kLogin, login.expires_at));
        keep(used_, {hash, until}, limits::kEndedLoginsMax, now);
        return login;
    }
    if (!take(codes_, token_hash(code), now)) return login;
    HEADWAY_TRY(login.secret, random_letters(kCodeCharacters));
    login.expires_at = now + lasts;
    keep(logins_, {token_hash(login.secret), login.expires_at}, limits::kLoginsMax, now);
    return login;
}

bool Logins::logged_in(std::string_view secret, core::Timestamp now) const {
    if (!key_.empty())
        return proven(kLogin, secret, now) != core::kNever && counts(mark_of(secret), now);
    if (logins_.empty() || secret.empty() || secret.size() > limits::kLoginBytesMax) return false;
    return counts(mark_of(secret), now);
}

std::string Logins::mark_of(std::string_view secret) const {
    return key_.empty() ? token_hash(secret) : std::string{claim_of(secret)};
}

bool Logins::counts(std::string_view mark, core::Timestamp now) const {
    if (key_.empty()) return is_in(logins_, mark, now);
    const core::Timestamp until = expiry_of(mark);
    return until != core::kNever && now < until && !is_in(ended_, mark, now);
}

bool Logins::is_in(const std::vector<Known>& list, std::string_view hash, core::Timestamp now) {
    bool good = false;
    for (const Known& known : list)
        good = (same_hash(known.hash, hash) && now < known.expires_at) || good;
    return good;
}

bool Logins::log_out(std::string_view secret, core::Timestamp now) {
    if (key_.empty()) return take(logins_, token_hash(secret), now);
    if (!logged_in(secret, now)) return false;
    keep(ended_, {mark_of(secret), proven(kLogin, secret, now)}, limits::kEndedLoginsMax, now);
    return true;
}

void Logins::forget_all() {
    codes_.clear();
    logins_.clear();
}

void Logins::keep(std::vector<Known>& list, Known known, std::size_t max, core::Timestamp now) {
    std::erase_if(list, [now](const Known& old) { return old.expires_at <= now; });
    if (list.size() >= max) list.erase(list.begin());
    list.push_back(std::move(known));
}

bool Logins::take(std::vector<Known>& list, std::string_view hash, core::Timestamp now) {
    bool good = false;
    std::erase_if(list, [&](const Known& known) {
        const bool same = same_hash(known.hash, hash);
        good = good || (same && now < known.expires_at);
        return same;
    });
    return good;
}

}  // namespace headway::server
