// SPDX-License-Identifier: Apache-2.0
#include "server/logins.hpp"

#include <algorithm>

#include "core/limits.hpp"
#include "server/token_text.hpp"

namespace headway::server {
namespace {

using core::Result;
namespace limits = core::limits;

constexpr std::size_t kCodeCharacters = 32;  // 190 bits

}  // namespace

Result<LoginCode> Logins::make_code(core::Timestamp now) {
    LoginCode made;
    HEADWAY_TRY(made.code, random_letters(kCodeCharacters));
    made.expires_at = now + limits::kLoginCodeFor;
    keep(codes_, {token_hash(made.code), made.expires_at}, limits::kLoginCodesMax, now);
    return made;
}

Result<Login> Logins::log_in(std::string_view code, core::Timestamp now, core::Millis lasts) {
    if (!take(codes_, token_hash(code), now)) return Login{};
    Login made;
    HEADWAY_TRY(made.secret, random_letters(kCodeCharacters));
    made.expires_at = now + lasts;
    keep(logins_, {token_hash(made.secret), made.expires_at}, limits::kLoginsMax, now);
    return made;
}

bool Logins::logged_in(std::string_view secret, core::Timestamp now) const {
    if (logins_.empty() || secret.empty() || secret.size() > limits::kLoginBytesMax) return false;
    return counts(mark_of(secret), now);
}

std::string Logins::mark_of(std::string_view secret) {
    return token_hash(secret);
}

bool Logins::counts(std::string_view mark, core::Timestamp now) const {
    bool good = false;
    for (const Known& known : logins_)
        good = (same_hash(known.hash, mark) && now < known.expires_at) || good;
    return good;
}

bool Logins::log_out(std::string_view secret, core::Timestamp now) {
    return take(logins_, token_hash(secret), now);
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
