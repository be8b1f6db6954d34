// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of agents as people see it. web/format.js has the same table of hidden characters for the
// page; a test compares the two.

namespace headway::core {

/// One character of UTF-8 (RFC 3629); `bytes` is 0 if no character begins here.
struct Character {
    char32_t point = 0;
    std::size_t bytes = 0;
};

/// The first character of a text that is not empty. Pure.
Character first_character(std::string_view text);

/// True for a character that a reader does not see or takes for a blank, or that changes the order
/// or form of its neighbours: controls, bidirectional marks, fillers, variation selectors, tags,
/// private-use characters. Pure.
bool is_hidden(char32_t point);

/// Appends the escape that visible() writes for the first character of `text`, or for its first
/// byte if no character begins there. Changes only `out`.
void append_escape(std::string& out, std::string_view text);

/// `text` on one line, with nothing left out or hidden: a hidden character becomes \u{202e}, and a
/// byte outside of UTF-8 becomes \x{ff}. A blank at either end is escaped too, and so is a
/// backslash that would otherwise make two texts look the same (\u{5c}u{202e}). The first character
/// of a CI service's command is escaped as well. Different texts stay different. Pure; linear, at
/// most ten bytes for a character.
std::string visible(std::string_view text);

/// `json` with each hidden character replaced by an escape such as \u202e, which means the same in
/// JSON; the first character of a CI service's command is replaced too. Pure.
std::string visible_json(std::string_view json);

}  // namespace headway::core
