// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/call_print.hpp"

namespace headway::api {

/// What the rules compare of a call as one word: its fields in order, hexadecimal, with commas.
/// Part of an export, since cut or redacted arguments do not tell it. Pure.
std::string print_text(const core::CallPrint& print);

/// Reads such a word, of an older version too, whose fields were fewer. False for anything else.
/// Pure.
bool parse_print(std::string_view text, core::CallPrint& print);

}  // namespace headway::api
