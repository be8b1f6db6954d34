// SPDX-License-Identifier: Apache-2.0
#include "core/text/bare_code.hpp"

#include <string>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// The code of a file without comments (`#`, `//` to the line's end, `/* */` within a line) and
/// white space. Quotes keep both.
std::string bare_code(std::string_view text) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote || c == '\n') quote = 0;
            out.push_back(c);
            continue;
        }
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        // `#include`, `#!` and `#fff` are no comments; `http://` is none either.
        const bool hash =
            c == '#' && (next == ' ' || next == '\0' || is_digit(next) || next == '\n');
        const bool slashes = c == '/' && next == '/' && (i == 0 || text[i - 1] != ':');
        if (hash || slashes) {
            while (i + 1 < text.size() && text[i + 1] != '\n')
                ++i;
            continue;
        }
        if (c == '/' && next == '*') {
            const std::size_t end = text.find("*/", i + 2);
            if (end == std::string_view::npos) break;
            i = end + 1;
            continue;
        }
        // The indentation of a line may be code.
        const bool indents = out.empty() || out.back() == '\n' || out.back() == ' ';
        if (c == '\n' || (c == ' ' && indents)) {
            out.push_back(c);
            continue;
        }
        if (is_space(c)) continue;
        if (c == '"' || c == '\'') quote = c;
        out.push_back(c);
    }
    HEADWAY_ASSERT(out.size() <= text.size());
    return out;
}

}  // namespace

bool differ_in_looks_only(std::string_view before, std::string_view after) {
    return before != after && bare_code(before) == bare_code(after);
}

}  // namespace headway::core
