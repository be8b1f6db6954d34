#include "server/logins.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "core/limits.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr Millis kHour{3'600'000};

Logins logins(std::string_view secret = "secret", std::uint16_t port = 7717) {
    Logins made;
    made.set_secret(secret);
    made.set_port(port);
    return made;
}

/// What a browser sends back of a Set-Cookie line.
std::string shown(const std::string& line) {
    const std::size_t begin = line.find(": ") + 2;
    return line.substr(begin, line.find(';') - begin);
}

std::string cookie(const Logins& from, Millis lasts = kHour) {
    return shown(from.cookie_line(at(0), lasts).value());
}

}  // namespace

TEST_CASE("logins: a code counts once, and not for ever", "[server]") {
    Logins made = logins();
    const LoginCode first = made.make_code(at(0)).value();
    CHECK(first.expires_at == at(0) + limits::kLoginCodeFor);
    CHECK_FALSE(made.use_code("", at(1)));
    CHECK_FALSE(made.use_code(first.code + "x", at(1)));
    CHECK(made.use_code(first.code, at(1)));
    CHECK_FALSE(made.use_code(first.code, at(2)));
    const LoginCode second = made.make_code(at(0)).value();
    CHECK(second.code != first.code);
    CHECK_FALSE(made.use_code(second.code, second.expires_at));
}

TEST_CASE("logins: of more codes than are kept the oldest give way", "[server]") {
    Logins made = logins();
    std::vector<std::string> codes;
    for (std::size_t i = 0; i <= limits::kLoginCodesMax; ++i)
        codes.push_back(made.make_code(at(0)).value().code);
    CHECK_FALSE(made.use_code(codes[0], at(1)));
    CHECK(made.use_code(codes[1], at(1)));
    CHECK(made.use_code(codes.back(), at(1)));
}

TEST_CASE("logins: a cookie counts for whoever has the same secret, until it expires", "[server]") {
    const std::string one = cookie(logins());
    CHECK(logins().logged_in(one, at(0)));
    CHECK(logins().logged_in("theme=dark; " + one + ";x=y", at(kHour.count() - 1000)));
    CHECK_FALSE(logins().logged_in(one, at(kHour.count())));
    CHECK_FALSE(logins("another").logged_in(one, at(0)));
    CHECK_FALSE(logins("").logged_in(cookie(logins("")), at(0)));
    CHECK_FALSE(logins("secret", 7718).logged_in(one, at(0)));
}

TEST_CASE("logins: a cookie that was changed anywhere does not count", "[server]") {
    const Logins made = logins();
    const std::string one = cookie(made);
    const std::size_t value = one.find('=') + 1;
    for (std::size_t i = value; i < one.size(); ++i) {
        std::string other = one;
        other[i] = other[i] == '0' ? '1' : '0';
        INFO(other);
        CHECK_FALSE(made.logged_in(other, at(0)));
    }
    const std::string name = one.substr(0, value);
    for (const std::string& rubbish :
         {name, name + "v1", name + "v1.", name + "v1.9999999999", name + "v1.9999999999.n.",
          name + "..", std::string{"="}, std::string{";;;"}, std::string{}, one.substr(0, 40),
          name + std::string(100'000, '.')}) {
        CHECK_FALSE(made.logged_in(rubbish, at(0)));
    }
}

TEST_CASE("logins: the cookie is out of reach of scripts and other sites", "[server]") {
    const std::string line = logins().cookie_line(at(0), kHour).value();
    CHECK_THAT(line, Catch::StartsWith("Set-Cookie: headway_login_7717=v1."));
    CHECK_THAT(line, Catch::EndsWith("; HttpOnly; SameSite=Strict; Path=/; Max-Age=3600\r\n"));
    CHECK(logins().forget_line() ==
          "Set-Cookie: headway_login_7717=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0\r\n");
    CHECK(cookie(logins()) != cookie(logins()));
}

TEST_CASE("logins: another secret takes open codes with it", "[server]") {
    Logins made = logins();
    const LoginCode code = made.make_code(at(0)).value();
    made.set_secret("another");
    CHECK_FALSE(made.use_code(code.code, at(1)));
}

TEST_CASE("logins: with TLS a cookie is sent over TLS only", "[server]") {
    Logins logins;
    logins.set_secret("secret");
    const auto plain = logins.cookie_line(Timestamp{}, Millis{1000});
    CHECK_THAT(*plain, !Catch::Contains("Secure"));
    logins.set_secure(true);
    CHECK_THAT(*logins.cookie_line(Timestamp{}, Millis{1000}), Catch::Contains("; Secure;"));
    CHECK_THAT(logins.forget_line(), Catch::Contains("; Secure;"));
}
