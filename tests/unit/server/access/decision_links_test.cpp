// SPDX-License-Identifier: Apache-2.0
#include "server/access/decision_links.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway::server;

namespace {

constexpr DecidedByLink kLinkedRequest{"team", "s.a3", "bash", "sha256:00", "09:00"};

}  // namespace

TEST_CASE("decision links: a code proves one request of one call, sent to one endpoint",
          "[server]") {
    DecisionLinks links;
    links.key_from("hash of a token");
    links.allow({"team", "phone"});
    const std::string code = links.code_of(kLinkedRequest);
    CHECK(code.size() == 32);
    CHECK(links.code_of(kLinkedRequest) == code);
    CHECK(links.proves(code, kLinkedRequest));
    for (const DecidedByLink& other : {DecidedByLink{"phone", "s.a3", "bash", "sha256:00", "09:00"},
                                       {"team", "s.a4", "bash", "sha256:00", "09:00"},
                                       {"team", "s.a3", "sh", "sha256:00", "09:00"},
                                       {"team", "s.a3", "bash", "sha256:01", "09:00"},
                                       {"team", "s.a3", "bash", "sha256:00", "09:01"},
                                       {"team", "s.a3bash", "", "sha256:00", "09:00"}})
        CHECK_FALSE(links.proves(code, other));
    for (const std::string& wrong :
         {std::string{}, code.substr(1), code + "0", std::string(32, '0')})
        CHECK_FALSE(links.proves(wrong, kLinkedRequest));
}

TEST_CASE("decision links: none without a key, an endpoint that may, and a fingerprint",
          "[server]") {
    DecisionLinks links;
    links.allow({"team"});
    CHECK(links.code_of(kLinkedRequest).empty());
    CHECK_FALSE(links.proves("", kLinkedRequest));
    links.key_from("hash of a token");
    const std::string code = links.code_of(kLinkedRequest);
    CHECK(links.code_of({"other", "s.a3", "bash", "sha256:00", "09:00"}).empty());
    CHECK(links.code_of({"team", "s.a3", "bash", "", "09:00"}).empty());
    CHECK(links.code_of({"team", "s.a3", "bash", "sha256:00", ""}).empty());
    links.key_from("hash of another token");
    CHECK_FALSE(links.proves(code, kLinkedRequest));
    links.key_from("hash of a token");
    links.allow({});
    CHECK_FALSE(links.proves(code, kLinkedRequest));
}
