// SPDX-License-Identifier: Apache-2.0
#include "api/canonical.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway;

namespace {

std::string canonical_of(const std::string& args) {
    api::JsonTape tape;
    REQUIRE(tape.parse(args).has_value());
    return api::canonical_arguments(tape.root());
}

}  // namespace

TEST_CASE("canonical: a number is one text however it is written", "[api]") {
    CHECK(canonical_of("[1.0]") == canonical_of("[1]"));
    CHECK(canonical_of("[1e2]") == canonical_of("[100]"));
    CHECK(canonical_of("[-0.0]") == canonical_of("[0]"));
    CHECK(canonical_of("[1.5]") != canonical_of("[1]"));
}

TEST_CASE("canonical: numbers beyond every integer are told apart", "[api]") {
    CHECK(canonical_of("[1e300]") == canonical_of("[10e299]"));
    CHECK(canonical_of("[1e300]") != canonical_of("[-1e300]"));
    CHECK(canonical_of("[1e300]") != canonical_of("[2e300]"));
    CHECK(canonical_of("[9223372036854775808.0]") != canonical_of("[-9223372036854775808.0]"));
    CHECK(canonical_of("[1.5e19]") != canonical_of("[1.6e19]"));
}
