// SPDX-License-Identifier: Apache-2.0
#include "server/access/logins.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr Millis kHour{3'600'000};

std::string log_in(Logins& logins, Millis lasts = kHour, std::int64_t ms = 0) {
    return logins.log_in(logins.make_code(at(ms)).value().code, at(ms), lasts).value().secret;
}

}  // namespace

TEST_CASE("logins: a code is valid once and for a limited time", "[server]") {
    Logins logins;
    const auto use = [&](const std::string& code, Timestamp now) {
        return !logins.log_in(code, now, kHour).value().secret.empty();
    };
    const LoginCode first = logins.make_code(at(0)).value();
    CHECK(first.expires_at == at(0) + limits::kLoginCodeFor);
    CHECK_FALSE(use("", at(1)));
    CHECK_FALSE(use(first.code + "x", at(1)));
    CHECK(use(first.code, at(1)));
    CHECK_FALSE(use(first.code, at(2)));
    const LoginCode second = logins.make_code(at(0)).value();
    CHECK(second.code != first.code);
    CHECK_FALSE(use(second.code, second.expires_at));
}

TEST_CASE("logins: codes and logins are bounded, the oldest are dropped", "[server]") {
    Logins logins;
    std::vector<std::string> secrets;
    for (std::size_t i = 0; i <= limits::kLoginsMax; ++i)
        secrets.push_back(log_in(logins));
    CHECK_FALSE(logins.logged_in(secrets[0], at(1)));
    CHECK(logins.logged_in(secrets[1], at(1)));
    CHECK(logins.logged_in(secrets.back(), at(1)));
    std::vector<std::string> codes;
    for (std::size_t i = 0; i <= limits::kLoginCodesMax; ++i)
        codes.push_back(logins.make_code(at(0)).value().code);
    CHECK(logins.log_in(codes[0], at(1), kHour).value().secret.empty());
    CHECK_FALSE(logins.log_in(codes[1], at(1), kHour).value().secret.empty());
}

TEST_CASE("logins: only the exact secret is valid, until it expires", "[server]") {
    Logins logins;
    const std::string one = log_in(logins);
    const std::string other = log_in(logins);
    CHECK(one != other);
    CHECK(logins.logged_in(one, at(kHour.count() - 1)));
    CHECK_FALSE(logins.logged_in(one, at(kHour.count())));
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::string changed = one;
        changed[i] = changed[i] == 'a' ? 'b' : 'a';
        CHECK_FALSE(logins.logged_in(changed, at(0)));
    }
    for (const std::string& rubbish :
         {std::string{}, one + " ", one.substr(1), std::string(100'000, 'a')})
        CHECK_FALSE(logins.logged_in(rubbish, at(0)));
}

TEST_CASE("logins: a logout ends one login at once, and no other", "[server]") {
    Logins logins;
    const std::string one = log_in(logins);
    const std::string other = log_in(logins);
    CHECK(logins.log_out(one, at(1)));
    CHECK_FALSE(logins.logged_in(one, at(1)));
    CHECK(logins.logged_in(other, at(1)));
    CHECK_FALSE(logins.log_out(one, at(1)));
}

TEST_CASE("logins: they end with the process and with the operator's token", "[server]") {
    Logins before;
    const std::string one = log_in(before);
    CHECK_FALSE(Logins{}.logged_in(one, at(0)));
    const LoginCode code = before.make_code(at(0)).value();
    before.forget_all();
    CHECK_FALSE(before.logged_in(one, at(0)));
    CHECK(before.log_in(code.code, at(1), kHour).value().secret.empty());
}

TEST_CASE("logins: with a shared key they are known to all that have it", "[server]") {
    Logins one;
    Logins two;
    Logins stranger;
    one.share("key");
    two.share("key");
    stranger.share("another");
    const LoginCode code = one.make_code(at(0)).value();
    CHECK(stranger.log_in(code.code, at(1), kHour).value().secret.empty());
    CHECK(two.log_in(code.code, code.expires_at, kHour).value().secret.empty());
    const std::string secret = two.log_in(code.code, at(1), kHour).value().secret;
    REQUIRE_FALSE(secret.empty());
    CHECK(secret.size() <= limits::kLoginBytesMax);
    CHECK(two.log_in(code.code, at(2), kHour).value().secret.empty());
    CHECK(one.logged_in(secret, at(2)));
    CHECK(one.counts(one.mark_of(secret), at(2)));
    CHECK(secret.find(one.mark_of(secret)) == 0);
    CHECK(secret.size() > one.mark_of(secret).size() + 60);
    CHECK_FALSE(one.logged_in(secret, at(1) + kHour));
    CHECK_FALSE(stranger.logged_in(secret, at(2)));
    CHECK_FALSE(one.logged_in(code.code, at(2)));  // a code is no login
    CHECK(one.log_in(secret, at(2), kHour).value().secret.empty());
    std::string later = secret;
    later.front() = '9';  // of its expiry
    CHECK_FALSE(one.logged_in(later, at(2)));
    CHECK_FALSE(one.logged_in("", at(2)));
    CHECK_FALSE(one.logged_in(secret.substr(1), at(2)));
    CHECK(one.log_out(secret, at(3)));
    CHECK_FALSE(one.logged_in(secret, at(3)));
    CHECK_FALSE(one.counts(one.mark_of(secret), at(3)));
}
