// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Makes text of an untrusted program harmless in a prompt for a language model, and puts it between
// two lines that the text cannot contain.

namespace headway::api {

/// `text` on one line of at most `bytes_max` bytes of valid UTF-8, without characters that a reader
/// cannot see or that a tokenizer would not take as plain text. Control characters, line
/// separators, bidi overrides, zero-width and tag characters are escaped as in \u{202e}, and
/// invalid bytes as in \x{ff}. A blank is inserted after each `<` or `[` that could begin a token
/// of a chat template (<|im_start|>, </s>, [INST]). Pure; linear in the text.
std::string inert(std::string_view text, std::size_t bytes_max);

/// inert() of a text after its secrets are removed (core::sanitized); paths are kept whole. Reads
/// only the first 4 KB.
std::string inert_clean(std::string_view text, std::size_t bytes_max);

/// inert_clean() of a name, at most kJudgeNameBytesMax bytes.
std::string inert_name(std::string_view name);

/// inert_clean() of the start and the end of a text: at most `end_bytes` bytes of each, counted
/// before escaping.
std::string inert_ends(std::string_view text, std::size_t end_bytes);

/// Sixteen hexadecimal digits that do not occur in `data`, the same for the same data. Pure.
std::string fence_marker(std::string_view data);

/// `frame` with its placeholders {{data}} and {{marker}} filled in; text in `data` that looks like
/// a placeholder stays unchanged. Pure.
std::string fenced(std::string_view frame, std::string_view data);

}  // namespace headway::api
