// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/mutation.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

using headway::api::hooks::add_edited;
using headway::api::hooks::add_written;
using headway::core::Mutation;

TEST_CASE("mutation: an edit of comments leaves a file the digest that it had", "[api]") {
    std::vector<Mutation> mutated;
    add_written(mutated, "a.py", "x = 1\n");
    add_edited(mutated, "a.py", "x = 1  # a\n", {"# a", "# b"});
    add_edited(mutated, "a.py", "x = 1  # a\n", {"x = 1", "x = 2"});
    REQUIRE(mutated.size() == 3);
    CHECK(mutated[0].digest == mutated[1].digest);
    CHECK(mutated[0].digest != mutated[2].digest);
}

TEST_CASE("mutation: an edit of comments in an unknown file leaves no content", "[api]") {
    std::vector<Mutation> mutated;
    add_edited(mutated, "a.py", std::nullopt, {"# a", "# b"});
    CHECK(mutated.empty());
    add_edited(mutated, "a.py", std::nullopt, {"x = 1  # a", "x = 2  # a"});
    add_edited(mutated, "b.py", std::nullopt, {"x = 1  # a", "x = 2  # a"});
    REQUIRE(mutated.size() == 2);
    CHECK(mutated[0].digest != mutated[1].digest);
}
