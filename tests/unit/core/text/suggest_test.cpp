// SPDX-License-Identifier: Apache-2.0
#include "core/text/suggest.hpp"

#include <array>
#include <catch2/catch.hpp>

using headway::core::did_you_mean;
using headway::core::nearest;

namespace {

constexpr std::array<std::string_view, 3> kKnown{"server.listen", "server.idle_timeout",
                                                 "log.level"};

}  // namespace

TEST_CASE("suggest: the nearest name is found", "[core]") {
    CHECK(nearest("server.lisen", kKnown) == "server.listen");
    CHECK(nearest("server.lsiten", kKnown) == "server.listen");
    CHECK(nearest("server.idle-timeout", kKnown) == "server.idle_timeout");
    CHECK(nearest("log.levl", kKnown) == "log.level");
    CHECK(nearest("listen", kKnown) == "server.listen");
}

TEST_CASE("suggest: nothing is offered when nothing is near", "[core]") {
    CHECK(nearest("database.url", kKnown).empty());
    CHECK(nearest("", kKnown).empty());
    CHECK(did_you_mean("colour", kKnown).empty());
    CHECK(did_you_mean("log.leevl", kKnown) == "; did you mean `log.level`?");
}
