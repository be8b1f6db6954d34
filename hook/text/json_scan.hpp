// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Members of JSON without a parser: a quote inside of a string is escaped, so brackets outside of
// strings tell the depth. All of it is linear in its input and pure; what is no JSON gives anything
// that is in it, or nothing.

namespace headway::hook {

/// The value of the first member `name` of the outermost object, as it stands there; empty without
/// one, and of a value that is cut off.
std::string_view member(std::string_view json, std::string_view name) noexcept;

/// The text of such a member, without its quotes; empty if it is no string, or has an escape.
std::string_view text_member(std::string_view json, std::string_view name) noexcept;

/// A member that is a whole number of at most 12 digits; 0 otherwise.
unsigned long long count_member(std::string_view json, std::string_view name) noexcept;

}  // namespace headway::hook
