// SPDX-License-Identifier: Apache-2.0
#include "api/canonical.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway;

namespace {

std::string canonical(const std::string& args) {
    api::JsonTape tape;
    REQUIRE(tape.parse(args).has_value());
    return api::canonical_arguments(tape.root());
}

}  // namespace

TEST_CASE("canonical: a number is one text however it is written", "[api]") {
    CHECK(canonical("[1.0]") == canonical("[1]"));
    CHECK(canonical("[1e2]") == canonical("[100]"));
    CHECK(canonical("[-0.0]") == canonical("[0]"));
    CHECK(canonical("[1.5]") != canonical("[1]"));
}

TEST_CASE("canonical: numbers beyond every integer are told apart", "[api]") {
    CHECK(canonical("[1e300]") == canonical("[10e299]"));
    CHECK(canonical("[1e300]") != canonical("[-1e300]"));
    CHECK(canonical("[1e300]") != canonical("[2e300]"));
    CHECK(canonical("[9223372036854775808.0]") != canonical("[-9223372036854775808.0]"));
    CHECK(canonical("[1.5e19]") != canonical("[1.6e19]"));
}
