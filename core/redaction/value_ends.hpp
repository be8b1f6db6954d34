// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/redaction/secrets.hpp"

// Functions that find the beginning and the end of a secret's value. All are pure.

namespace headway::core {

inline constexpr std::size_t kGapMax = 64;  ///< maximum number of blanks before a value

constexpr bool is_gap(char c) {
    return c == ' ' || c == '\t';
}
constexpr bool is_quote(char c) {
    return c == '"' || c == '\'' || c == '`';
}

/// End of the colour code that begins at `at`; `at` if there is none.
std::size_t after_colour(std::string_view text, std::size_t at);
/// Start of the colour code that ends at `end`; `end` if there is none.
std::size_t before_colour(std::string_view text, std::size_t end);

/// True for an empty value, a placeholder, or an expression that looks the value up.
bool stands_for_one(std::string_view value);

/// End of the run of backslashes at `at`.
std::size_t behind_backslashes(std::string_view text, std::size_t at);

/// End of a quoted value that begins at `at`. Each of its quotes has `backslashes` backslashes
/// before it. Shell text after the value is not part of the value, because the approver must see
/// it. Therefore, after a quote of another kind or a doubled quote, the value ends at the next
/// blank.
std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote,
                          std::size_t backslashes);

/// Size of the value of a header, up to the text that a shell would run: `$(`, or a `;` that is
/// followed by anything except cookies and their attributes.
std::size_t size_of_header(std::string_view line);

/// True if an unquoted value continues at `c`, a `$` or a backslash before `next`; false for every
/// other `c`. A `$` that begins a variable ends the value, because a shell may run the words of the
/// variable. So does a backslash before a letter, a quote or a backslash, which is an escape of
/// JSON.
bool goes_on(char c, char next);

/// True for a word that looks like a password or a key: it has letters and digits, and is not a
/// measure (`12ms`), a method (`sha256`), a path or a file. For places where words of any meaning
/// occur.
bool looks_secret(std::string_view word);

/// True if `words`, which stand between backticks, would make a shell run a program. Markdown also
/// puts secrets between backticks. `assigned`: the backticks follow a `=`.
bool is_run_by_backticks(std::string_view words, bool assigned);

/// False for a word with upper-case letters, lower-case letters and digits but without `/` and `.`:
/// no program has such a name.
bool is_program_name(std::string_view word);

/// The value on the line after `at`, if a text of several lines begins at `at`: `"""` of TOML, `>-`
/// and `|` of YAML. A shell would run such a line, so the value must look like a secret and not
/// like a program (is_program_name()).
std::optional<SecretSpan> value_below(std::string_view text, std::size_t at);
/// True if another program may read the same input, because the command at `at` has a substitution,
/// or because its end is too far away. `begin` is the end of the first word of the command before
/// the bar. If both commands stand between backticks of Markdown, the closing backtick does not
/// begin a substitution.
bool runs_another(std::string_view text, std::size_t begin, std::size_t at);
/// The end of the YAML anchor that begins at `at`, as in `password: &db x`; `at` if there is none.
std::size_t behind_anchor(std::string_view text, std::size_t at);

}  // namespace headway::core
