// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <ostream>
#include <string>

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "core/events/event_type.hpp"
#include "core/values/verdict.hpp"

// How Catch2 prints our values: names instead of "{?}".

namespace Catch {

template <headway::core::NamedEnum E>
struct StringMaker<E> {
    static std::string convert(E value) { return std::string{headway::core::name_of(value)}; }
};

template <>
struct StringMaker<headway::core::ErrorCode> {
    static std::string convert(headway::core::ErrorCode code) {
        return "ErrorCode " + std::to_string(static_cast<int>(code));
    }
};

}  // namespace Catch

namespace headway::tests {

/// The code of a failed result; a success is reported as a failure of the test.
template <class R>
core::ErrorCode code_of(const R& result) {
    REQUIRE_FALSE(result.has_value());
    return result.error().code;
}

/// For REQUIRE_NOTHROW-free use: the value, or the error's text as the failure.
template <class R>
void require_ok(const R& result) {
    INFO((result.has_value() ? std::string{} : result.error().detail));
    REQUIRE(result.has_value());
}

}  // namespace headway::tests
