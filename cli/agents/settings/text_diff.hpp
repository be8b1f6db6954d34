// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::cli {

/// Changes from one text to another, as `diff -u` prints them, with this name; empty: none. Lines
/// are cleaned for a terminal and cut at 300 columns. Texts that differ in more than 2,000 lines
/// get one sentence. Where `diff` cannot be run, a sentence says so, and the new text follows.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace headway::cli
