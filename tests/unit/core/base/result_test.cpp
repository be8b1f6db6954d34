// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace headway::core {
namespace {

struct Base {
    int number = 0;
};
struct Derived : Base {};

/// Converts from everything, as a JSON value does.
struct Anything {
    Anything() = default;
    template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Anything>) Anything(T&&) {}
};

Result<int> half(int number) {
    if (number % 2 != 0) return Error{ErrorCode::kInvalidField, "must be even", "number"};
    return number / 2;
}

Result<std::string> quarter_text(int number) {
    HEADWAY_TRY(const int once, half(number));
    HEADWAY_TRY(const int twice, half(once));
    return std::to_string(twice);
}

Result<> must_be_even(int number) {
    HEADWAY_CHECK(half(number));
    return {};
}

}  // namespace

TEST_CASE("a result holds a value or an error") {
    const Result<int> four = half(8);
    REQUIRE(four);
    CHECK(four.has_value());
    CHECK(*four == 4);
    const Result<int> none = half(7);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::kInvalidField);
    CHECK(none.error().detail == "must be even");
    CHECK(none.error().field == "number");
}

TEST_CASE("a result without a value is success unless it holds an error") {
    CHECK(Result<>{});
    CHECK(must_be_even(2));
    CHECK(must_be_even(3).error().field == "number");
}

TEST_CASE("the try macros pass an error on and bind a value") {
    CHECK(*quarter_text(8) == "2");
    CHECK(quarter_text(6).error().detail == "must be even");
}

TEST_CASE("a value moves out of a result, and so does an error") {
    Result<std::unique_ptr<int>> owner{std::make_unique<int>(5)};
    const std::unique_ptr<int> taken = *std::move(owner);
    CHECK(*taken == 5);
    // A range of a temporary lives as long as the loop.
    int sum = 0;
    for (const int number : *Result<std::vector<int>>{std::vector<int>{1, 2, 3}})
        sum += number;
    for (const int number : Result<std::vector<int>>{std::vector<int>{4, 5}}.value())
        sum += number;
    CHECK(sum == 15);
    static_assert(std::is_same_v<decltype(*half(2)), int>);
    Result<> failed{Error{ErrorCode::kInternal, std::string(100, 'x'), {}}};
    const Error error = std::move(failed).error();
    CHECK(error.detail.size() == 100);
}

TEST_CASE("a result is made of what converts to its value, and by name of anything") {
    Derived derived;
    const Result<Base*> pointer = &derived;
    CHECK(*pointer == &derived);
    const Result<std::string> text = "text";
    CHECK(text->size() == 4);
    const Result<std::optional<int>> nothing = std::nullopt;
    REQUIRE(nothing);
    CHECK_FALSE(nothing->has_value());
    CHECK(Result<Anything>(std::in_place, 5));
    CHECK_FALSE(Result<Anything>(Error{}));
    static_assert(!std::is_constructible_v<Result<int>, std::vector<int>>);
    static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);
}

TEST_CASE("only tests ask for a value that may be missing") {
    CHECK(half(2).value() == 1);
    CHECK_THROWS_AS(half(1).value(), ErrorException);
    CHECK_NOTHROW(must_be_even(2).value());
    CHECK_THROWS_WITH(must_be_even(1).value(), "must be even");
}

}  // namespace headway::core
