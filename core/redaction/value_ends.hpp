// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Where the value of a secret begins and ends. All functions are pure.

namespace headway::core {

inline constexpr std::size_t kGapMax = 64;  ///< blanks that align a column of values

constexpr bool is_gap(char c) {
    return c == ' ' || c == '\t';
}
constexpr bool is_quote(char c) {
    return c == '"' || c == '\'' || c == '`';
}

/// End of the colour code that begins at `at`, else `at`.
std::size_t after_colour(std::string_view text, std::size_t at);
/// Start of the colour code that ends before `end`, else `end`.
std::size_t before_colour(std::string_view text, std::size_t end);

/// A placeholder, or an expression that looks the value up.
bool stands_for_one(std::string_view value);

/// End of the run of backslashes at `at`.
std::size_t behind_backslashes(std::string_view text, std::size_t at);

/// End of a quoted value, whose quotes have so many backslashes themselves. Shell text behind the
/// value is not part of it: the approver must see it. So a quote of another kind, or a doubled one,
/// is part of it only up to the next blank.
std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote,
                          std::size_t backslashes);

/// Size of the value of a header, up to what a shell would run: `$(`, or a `;` behind which not
/// only cookies and their attributes follow. The work is linear in the returned size and what it
/// looked at is not looked at again.
std::size_t size_of_header(std::string_view line);

/// True if an unquoted value does not end at `c`, before `next`. A shell takes a variable apart at
/// its blanks, so a command may stand behind it. Letters, quotes and backslashes behind a backslash
/// are escapes of JSON.
bool goes_on(char c, char next);

/// True for a word that reads like a password or a key: letters and digits, and no measure
/// (`12ms`), method (`sha256`), path or file. For places where words of any meaning stand.
bool looks_secret(std::string_view word);

/// True if a shell that runs `words`, which stand between backticks, would run a program. Markdown
/// puts a secret between such quotes, too. `assigned`: behind a `=`.
bool is_run_by_backticks(std::string_view words, bool assigned);

/// False for a word with capitals, small letters and digits, as no program is named.
bool is_program_name(std::string_view word);

/// The value on the line below `at`, where a text of several lines begins: `"""` of TOML, `>-` and
/// `|` of YAML. A shell would run it, so it must look like a secret and like no program: a value
/// without capitals, small letters and digits, or with `/` or `.`, stays.
std::optional<SecretSpan> value_below(std::string_view text, std::size_t at);
/// True if another program may read the same input: the command at `at` has a substitution, or its
/// end is not seen. `begin` is behind the first word of the command before the bar: where both
/// stand in backticks of Markdown, the closing one begins no substitution.
bool runs_another(std::string_view text, std::size_t begin, std::size_t at);
/// Behind the anchor of YAML that begins at `at`, as in `password: &db x`, else `at`.
std::size_t behind_anchor(std::string_view text, std::size_t at);

}  // namespace headway::core
