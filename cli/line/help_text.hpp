// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::cli {

/// `help` of a verb in lines of at most `columns` (20 or more): a description continues below its
/// start; an example continues after a backslash, indented by four columns, so that it can be
/// copied. Paragraphs are filled again, and several empty lines become one. A word that is too long
/// stays whole. Pure.
std::string wrap_help(std::string_view help, std::size_t columns);

}  // namespace headway::cli
