// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Code without its comments. Pure; linear in the text.

namespace headway::core {

/// True if two pieces of the file `path` differ in comments and white space only. Prose
/// has no comments; where the ending names no known language, those of most languages count.
bool differ_in_looks_only(std::string_view before, std::string_view after, std::string_view path);

/// The content of the file `path` without comments, blank lines and white space, except for the
/// indentation. The content as it is where the ending names no known language.
std::string code_of_file(std::string_view path, std::string_view content);

}  // namespace headway::core
