// SPDX-License-Identifier: Apache-2.0
#include "api/json/readable_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "api/json/json_document.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kUnicodeEscape = 6;  // \ud83d
constexpr std::string_view kNumberStarts = "-0123456789";
constexpr std::string_view kNumberParts = "+-.eE0123456789";

/// U+FDD0, which stands in no text by Unicode: before what was no text, and twice where it does
/// stand in one. So no other call has the digest of a call that was made readable.
constexpr std::string_view kMark = "\xEF\xB7\x90";

/// Bytes of the mark at the start, raw or as an escape; 0: there is none.
std::size_t mark_bytes(std::string_view text) {
    if (text.starts_with(kMark)) return kMark.size();
    if (text.size() < kUnicodeEscape || !text.starts_with("\\u")) return 0;
    return core::lower(text.substr(2, 4)) == "fdd0" ? kUnicodeEscape : 0;
}

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
        const std::size_t escape = std::min(text.find_first_of("\\\xEF"), text.size());
        out += text.substr(0, escape);
        text.remove_prefix(escape);
        if (text.empty()) return;
        if (const std::size_t mark = mark_bytes(text); mark != 0) {
            out.append(kMark).append(kMark);
            text.remove_prefix(mark);
            continue;
        }
        if (text.front() != '\\') {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        const int half = surrogate_half(text);
        const bool pair = half == 1 && surrogate_half(text.substr(kUnicodeEscape)) == 2;
        // A backslash follows then, and five letters.
        if (half != 0 && !pair) out.append(kMark).append("\\");
        const std::size_t size = pair ? 2 * kUnicodeEscape : half != 0 ? kUnicodeEscape : 2;
        out += text.substr(0, size);
        text.remove_prefix(std::min(size, text.size()));
    }
}

void append_number(std::string& out, std::string_view digits) {
    const bool finite = std::isfinite(std::strtod(std::string{digits}.c_str(), nullptr));
    if (finite) {
        out += digits;
    } else {
        out.append("\"").append(kMark).append(digits).append("\"");
    }
}

}  // namespace

bool has_readable_mark(std::string_view body) {
    for (std::size_t at = body.find_first_of("\\\xEF"); at != body.npos;
         at = body.find_first_of("\\\xEF", at + 1))
        if (mark_bytes(body.substr(at, kUnicodeEscape)) != 0) return true;
    return false;
}

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
            append_json_string(out, std::string{kMark}.append(body.substr(at, end - at)));
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

}  // namespace headway::api
