// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Finds members of JSON without a parser: quotes inside strings are escaped, so strings can be
// skipped, and the brackets outside of strings show the depth. All functions are linear and pure;
// for text that is not JSON the result is some part of the text, or empty.

namespace headway::hook {

/// The value of the first member `name` of the outermost object, unchanged; empty if there is no
/// such member or its value is cut off.
std::string_view member(std::string_view json, std::string_view name) noexcept;

/// The text of a string member, without its quotes; empty if the member is not a string or has an
/// escape.
std::string_view text_member(std::string_view json, std::string_view name) noexcept;

/// The value of a member that is a whole number of at most 12 digits; 0 otherwise.
unsigned long long count_member(std::string_view json, std::string_view name) noexcept;

}  // namespace headway::hook
