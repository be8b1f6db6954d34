// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::cli {

/// `help` of a verb in lines of at most `columns` (20 or more): descriptions continue below their
/// start, examples four columns in and after a backslash, so that they can be copied. Paragraphs
/// are filled again, and empty lines in a row are one. A longer word stays whole. Pure.
std::string wrap_help(std::string_view help, std::size_t columns);

}  // namespace headway::cli
