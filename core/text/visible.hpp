// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of agents as people see it. web/format.js has the same table for the page, which a test
// compares.

namespace headway::core {

/// One character of UTF-8 (RFC 3629); `bytes` is 0 when none begins here.
struct Character {
    char32_t point = 0;
    std::size_t bytes = 0;
};

/// The first character of a text that is not empty. Pure.
Character first_character(std::string_view text);

/// Whether a reader does not see this character, sees a blank that is none, or sees its neighbours
/// in another order or form because of it: controls, bidirectional marks, fillers, variation
/// selectors, tags, private ones. Pure.
bool is_hidden(char32_t point);

/// Appends the first character of `text` as visible() writes one that is hidden, or its first byte
/// where no character begins. Pure.
void append_escape(std::string& out, std::string_view text);

/// `text` on one line in which nothing is dropped and nothing is hidden: such a character is
/// \u{202e}, a byte that is no UTF-8 \x{ff}, and so is written a blank at either end and a
/// backslash that would make two texts look the same (\u{5c}u{202e}). Different texts stay
/// different. Pure; linear, at most ten bytes for one.
std::string visible(std::string_view text);

/// JSON with each hidden character in it, and the first of a CI service's command, as \u202e, which
/// says the same. Pure.
std::string visible_json(std::string_view json);

}  // namespace headway::core
