// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::cli {

/// The `help` of a verb, wrapped to lines of at most `columns` (20 or more). A wrapped description
/// continues below its start. A wrapped example has a backslash at the end of the line and
/// continues with an indent of four columns, so that it can be copied. Paragraphs are filled again,
/// and several empty lines become one. A word that is too long stays whole. Pure.
std::string wrap_help(std::string_view help, std::size_t columns);

}  // namespace headway::cli
