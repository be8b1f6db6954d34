// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Code without its comments. Pure; linear in the text.

namespace headway::core {

/// The content of the file `path` without comments and blank lines, and with one blank where a line
/// has several. Documentation (`/**`, `///`), comments for tools, and everything that may be part
/// of a string are content. If the path's ending names no known language, the content is returned
/// unchanged.
std::string code_of_file(std::string_view path, std::string_view content);

/// True if two pieces of the file `path` differ in comments and white space only.
bool differ_in_looks_only(std::string_view before, std::string_view after, std::string_view path);

}  // namespace headway::core
