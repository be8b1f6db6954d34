// SPDX-License-Identifier: Apache-2.0
#include "config/load/long_keys.hpp"

#include <algorithm>

namespace headway::config {
namespace {

/// The place behind the string that begins at `at`; a string of one line ends with its line.
std::size_t behind_string(std::string_view toml, std::size_t at) {
    const char quote = toml[at];
    const std::string_view rest = toml.substr(at);
    const bool many_lines = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    std::size_t quotes = 0;  // in a row
    for (at += many_lines ? 3 : 1; at < toml.size(); ++at) {
        const char c = toml[at];
        // Two quotes may precede the three of the end.
        if (many_lines && quotes >= 3 && (c != quote || quotes == 5)) return at;
        if (!many_lines && c == '\n') return at;
        quotes = c == quote ? quotes + 1 : 0;
        if (!many_lines && quotes > 0) return at + 1;
        if (quote == '"' && c == '\\') ++at;
    }
    return toml.size();
}

}  // namespace

std::optional<std::size_t> line_of_long_key(std::string_view toml) {
    std::size_t line = 1;
    std::size_t dots = 0;
    for (std::size_t at = 0; at < toml.size();) {
        const char c = toml[at];
        std::size_t next = at + 1;
        if (c == '"' || c == '\'') next = behind_string(toml, at);
        if (c == '#') next = std::min(toml.find('\n', at), toml.size());
        if (c == '.' && ++dots >= kKeyPartsMax) return line;
        if (std::string_view{"\n=,[]{}"}.find(c) != std::string_view::npos) dots = 0;
        const std::string_view passed = toml.substr(at, next - at);
        line += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
        at = next;
    }
    return std::nullopt;
}

}  // namespace headway::config
