// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/access.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

using Words = std::vector<std::string>;

Grants grants(const Words& scopes) {
    auto parsed = Grants::parse(scopes);
    require_ok(parsed);
    return *parsed;
}

}  // namespace

TEST_CASE("access: no scope includes another", "[core]") {
    for (const char* name : {"read", "approve", "control", "admin"}) {
        const Grants one = grants({name});
        for (const Scope scope :
             {Scope::kReport, Scope::kRead, Scope::kApprove, Scope::kControl, Scope::kAdmin}) {
            INFO(name << " has " << name_of(scope));
            CHECK(one.has(scope) == (name_of(scope) == name));
        }
        CHECK_FALSE(one.may_report("a"));
        CHECK(one.may_read("a") == (std::string{name} == "read"));
    }
}

TEST_CASE("access: a report scope is for the sessions that begin with its prefix", "[core]") {
    const Grants one = grants({"report:ci-"});
    CHECK(one.may_report("ci-"));
    CHECK(one.may_report("ci-1"));
    for (const char* other : {"", "c", "ci", "CI-1", "xci-1", "nightly"}) {
        INFO(other);
        CHECK_FALSE(one.may_report(other));
        CHECK_FALSE(one.may_read(other));
    }
    CHECK(one.may_read("ci-1"));
    CHECK_FALSE(one.has(Scope::kRead));
}

TEST_CASE("access: an empty prefix fits every session, and all of them at once", "[core]") {
    for (const char* name : {"report:", "report"}) {
        const Grants one = grants({name});
        CHECK(one.may_report("anything"));
        CHECK(one.may_report(""));
        CHECK(one.may_read(""));
        CHECK(one.scopes() == Words{"report:"});
    }
}

TEST_CASE("access: several prefixes add up", "[core]") {
    const Grants two = grants({"report:b", "control", "report:a", "report:b"});
    CHECK(two.may_report("a1"));
    CHECK(two.may_report("b1"));
    CHECK_FALSE(two.may_report("c1"));
    CHECK(two.scopes() == Words{"report:a", "report:b", "control"});
    CHECK(grants(two.scopes()) == two);
}

TEST_CASE("access: a reporting token neither approves nor administers", "[core]") {
    for (const char* other : {"approve", "admin"}) {
        const auto parsed = Grants::parse(Words{"report:a", other});
        CHECK(code_of(parsed) == ErrorCode::kInvalidField);
        CHECK_THAT(parsed.error().detail, Catch::Contains("make two tokens"));
    }
    CHECK(Grants::parse(Words{"report:a", "read", "control"}).has_value());
    CHECK(Grants::parse(Words{"read", "approve", "admin"}).has_value());
}

TEST_CASE("access: an unknown scope is named by its position", "[core]") {
    for (const char* text : {"", "Read", "write", "read ", "report:a b", "report:a/b", "report:é",
                             "reports:", "admin:"}) {
        INFO(text);
        const auto parsed = Grants::parse(Words{"read", text});
        CHECK(code_of(parsed) == ErrorCode::kInvalidField);
        CHECK(parsed.error().field == "/1");
    }
    CHECK(Grants::parse(Words{"report:" + std::string(limits::kIdBytesMax, 'a')}).has_value());
    CHECK_FALSE(
        Grants::parse(Words{"report:" + std::string(limits::kIdBytesMax + 1, 'a')}).has_value());
}

TEST_CASE("access: a token has at least one scope and a bounded number of them", "[core]") {
    CHECK_FALSE(Grants::parse(Words{}).has_value());
    CHECK(Grants::parse(Words(limits::kTokenScopesMax, "read")).has_value());
    CHECK_FALSE(Grants::parse(Words(limits::kTokenScopesMax + 1, "read")).has_value());
}

TEST_CASE("access: the operator may do everything, a client without a token reports and reads",
          "[core]") {
    const Grants all = Grants::all();
    for (const Scope scope :
         {Scope::kReport, Scope::kRead, Scope::kApprove, Scope::kControl, Scope::kAdmin})
        CHECK(all.has(scope));
    CHECK(all.may_report("x"));
    CHECK(Grants::anonymous().scopes() == Words{"report:", "read"});
    CHECK_FALSE(Grants{}.may_read("x"));
    CHECK(Grants{}.scopes().empty());
}

TEST_CASE("access: a token is dead from the moment it expires, or is revoked", "[core]") {
    TokenRecord token;
    const Timestamp now{Millis{1'000}};
    CHECK(token.live(now));
    token.expires_at = Timestamp{Millis{1'001}};
    CHECK(token.live(now));
    token.expires_at = now;
    CHECK_FALSE(token.live(now));
    token.expires_at = kNever;
    token.revoked_at = Timestamp{Millis{1}};
    CHECK_FALSE(token.live(now));
}
