// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/readable.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "api/json_tape.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kUnicodeEscape = 6;  // \ud83d
constexpr std::string_view kNumberStarts = "-0123456789";
constexpr std::string_view kNumberParts = "+-.eE0123456789";

/// The first digit of the surrogate that this escape stands for: 'd', and 8 to b for the first
/// half, c to f for the second; 0 for anything else.
int surrogate_half(std::string_view escape) {
    const bool escaped = escape.size() >= kUnicodeEscape && escape.starts_with("\\u");
    if (!escaped || (escape[2] != 'd' && escape[2] != 'D')) return 0;
    if (std::string_view{"89abAB"}.find(escape[3]) != std::string_view::npos) return 1;
    return std::string_view{"cdefCDEF"}.find(escape[3]) != std::string_view::npos ? 2 : 0;
}

/// Behind the quote that ends the string which begins at `at`, or the end.
std::size_t end_of_string(std::string_view body, std::size_t at) {
    for (++at; at < body.size() && body[at] != '"'; ++at)
        if (body[at] == '\\') ++at;
    return std::min(at + 1, body.size());
}

/// Behind what closes the object or list that begins at `at`, or the end.
std::size_t end_of_container(std::string_view body, std::size_t at) {
    std::size_t open = 0;
    while (at < body.size()) {
        const char c = body[at];
        if (c == '"') {
            at = end_of_string(body, at);
            continue;
        }
        ++at;
        if (c == '{' || c == '[') ++open;
        if ((c == '}' || c == ']') && --open == 0) break;
    }
    return at;
}

/// A string with its quotes.
void append_string(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t escape = std::min(text.find('\\'), text.size());
        out += text.substr(0, escape);
        text.remove_prefix(escape);
        if (text.empty()) return;
        const int half = surrogate_half(text);
        const bool pair = half == 1 && surrogate_half(text.substr(kUnicodeEscape)) == 2;
        if (half != 0 && !pair) out += '\\';  // what follows is a backslash then, and five letters
        const std::size_t size = pair ? 2 * kUnicodeEscape : half != 0 ? kUnicodeEscape : 2;
        out += text.substr(0, size);
        text.remove_prefix(std::min(size, text.size()));
    }
}

void append_number(std::string& out, std::string_view digits) {
    const bool finite = std::isfinite(std::strtod(std::string{digits}.c_str(), nullptr));
    out.append(finite ? "" : "\"").append(digits).append(finite ? "" : "\"");
}

}  // namespace

std::string readable_json(std::string_view body, std::size_t depth_max) {
    std::string out;
    out.reserve(body.size());
    std::size_t depth = 0;
    for (std::size_t at = 0; at < body.size();) {
        const char c = body[at];
        const bool opens = c == '{' || c == '[';
        std::size_t end = at + 1;
        if (c == '"') {
            end = end_of_string(body, at);
            append_string(out, body.substr(at, end - at));
        } else if (opens && depth == depth_max) {
            end = end_of_container(body, at);
            append_json_string(out, body.substr(at, end - at));
        } else if (kNumberStarts.find(c) != std::string_view::npos) {
            end = std::min(body.find_first_not_of(kNumberParts, at), body.size());
            append_number(out, body.substr(at, end - at));
        } else {
            if (opens) ++depth;
            if ((c == '}' || c == ']') && depth > 0) --depth;
            out += c;
        }
        at = end;
    }
    return out;
}

}  // namespace headway::api::hooks
