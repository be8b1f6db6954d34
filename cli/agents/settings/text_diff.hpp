// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::cli {

/// The changes from one text to the other, as `diff -u` prints them for a file of this name; empty
/// if there are none. Lines are cleaned for a terminal and cut at 300 columns. For texts that
/// differ in more than 2,000 lines, the result is one sentence. If `diff` cannot run, the result is
/// a sentence about this failure, followed by the new text.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace headway::cli
