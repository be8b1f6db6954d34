// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::api {

/// The text of a failure without the places in source files that it names: `a.ts(12,5)`,
/// `a.c:12:5`, "line 12", `l.12` of LaTeX, and the numbers of quoted lines (`12 |`). An edit above
/// an error moves the place of the error, but the error is still the same. Other numbers stay: "2
/// errors". Pure; linear in the text.
std::string without_places(std::string_view failure);

/// Counts the lines of a failure that begin with a place, as each error of a compiler does.
std::optional<std::uint64_t> count_places(std::string_view failure);

/// The text without the words that have a digit, because ids, counters and sizes differ from one
/// try to the next. A number that shows progress stays: "row 12000 of 50000".
std::string without_numbers(std::string_view text);

}  // namespace headway::api
