// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of an untrusted program inside a prompt for a language model: made harmless, and put between
// two lines that it cannot contain.

namespace headway::api {

/// `text` on one line of at most `bytes_max` bytes of valid UTF-8, with nothing in it that a reader
/// cannot see or that a tokenizer would not take as plain text: control characters, line
/// separators, bidi overrides, zero-width and tag characters become \u{202e}, bytes that are no
/// UTF-8 \x{ff}; and a blank comes behind a `<` or `[` that could begin a token of a chat template
/// (<|im_start|>,
/// </s>, [INST]). Pure; linear in the text.
std::string inert(std::string_view text, std::size_t bytes_max);

/// The same without secrets (core::sanitized), paths left whole. Looks at the first 4 KB only.
std::string inert_clean(std::string_view text, std::size_t bytes_max);

/// inert_clean of a name, at most kJudgeNameBytesMax bytes.
std::string inert_name(std::string_view name);

/// The same of the start and the end, at most `end_bytes` of each before anything is escaped.
std::string inert_ends(std::string_view text, std::size_t end_bytes);

/// Sixteen hexadecimal digits that do not occur in `data`, the same for the same data. Pure.
std::string fence_marker(std::string_view data);

/// `frame` with its places {{data}} and {{marker}} filled; what looks like a place in `data` stays
/// as it is. Pure.
std::string fenced(std::string_view frame, std::string_view data);

}  // namespace headway::api
