// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/text/words.hpp"

// Ids that a tool or a server invents for each answer: ids of requests, of snapshots of a page, and
// in headers. All functions read a bounded part of the text.

namespace headway::core {

/// True if the characters before `at` allow an id of a tool to begin there; false for nearly all
/// words.
inline bool may_be_tool_id(std::string_view text, std::size_t at) {
    if (text[at] == 'r' && text.substr(at, 4) == "req_") return true;
    if (at < 4 || is_space(text[at])) return false;
    const char before = text[at - 1];
    if (before == '(') return text.substr(0, at).ends_with("@{0} (");  // id of a dropped stash
    if (before == ' ') return text[at - 2] == ':' || lower(text[at - 2]) == 'd';  // "request id x"
    return before == '=' || before == '"' || before == '\'' || before == ':' || before == '-';
}

/// Length of the token at `at`.
inline std::size_t tool_token(std::string_view text, std::size_t at) {
    constexpr std::string_view kMarks = "-+/.~";
    constexpr std::size_t kTokenMax = 128;
    constexpr std::size_t kPaddingMax = 2;
    std::size_t end = at;
    while (end < text.size() && end - at < kTokenMax &&
           (is_word(text[end]) || kMarks.find(text[end]) != kMarks.npos))
        ++end;
    while (end > at && text[end - 1] == '.')
        --end;
    const std::size_t padding = end;
    while (end < text.size() && text[end] == '=' && end - padding < kPaddingMax)
        ++end;  // padding of base64
    return end - at;
}

/// True for a token of at least `bytes_min` bytes with letters and digits. It is not a word, and
/// not a number, which may be the answer.
inline bool is_made_up(std::string_view token, std::size_t bytes_min) {
    return token.size() >= bytes_min && std::any_of(token.begin(), token.end(), is_digit) &&
           std::any_of(token.begin(), token.end(), is_letter);
}

/// The name before the value at `at`, in lower case, with its dashes. Sets `start` to the name's
/// offset.
inline std::string name_of_value(std::string_view text, std::size_t at, std::size_t& start) {
    constexpr std::size_t kSignsMax = 4;
    constexpr std::size_t kNameMax = 40;
    std::size_t end = at;
    if (text.substr(0, at).ends_with("W/\"")) end -= 3;  // mark of a weak ETag
    const std::size_t signs = end;
    while (end > 0 && signs - end < kSignsMax && !is_word(text[end - 1]))
        --end;
    start = end;
    while (start > 0 && end - start < kNameMax &&
           (is_word(text[start - 1]) || text[start - 1] == '-'))
        --start;
    return lower(text.substr(start, end - start));
}

/// True if the name at `start` begins its line, or follows the `< ` with which `curl -v` begins a
/// line.
inline bool is_header_at(std::string_view text, std::size_t start) {
    if (start >= 2 && text[start - 1] == ' ' && text[start - 2] == '<') start -= 2;
    return start == 0 || text[start - 1] == '\n';
}

/// True if a body follows the headers, so that the headers are not the answer itself.
inline bool has_body_behind(std::string_view text, std::size_t at) {
    constexpr std::size_t kHeadersMax = 512;
    const std::string_view rest = text.substr(at, kHeadersMax);
    const std::size_t parting = std::min(rest.find("\n\n"), rest.find("\n\r\n"));
    return parting != rest.npos && rest.find_first_not_of("\r\n ", parting) != rest.npos;
}

/// Length of the value at `at` of the header `name`, if the value is an id; else 0.
inline std::size_t header_id(std::string_view text, std::size_t at, std::string_view name) {
    constexpr std::size_t kIdMin = 8;
    constexpr std::size_t kKeptIdMin = 16;  // a shorter id may be that of a user or an item
    constexpr std::size_t kValueMax = 512;
    const std::string_view value = text.substr(at, kValueMax);
    const std::size_t size = std::min(value.find_first_of(" \t\r\n\"',;"), value.size());
    const std::string_view token = text.substr(at, size);
    const bool of_request = name == "cf-ray" || name == "x-amz-id-2" || name == "traceparent" ||
                            name.ends_with("requestid") || name.ends_with("request-id") ||
                            name.ends_with("trace-id") || name.ends_with("cf-id");
    if (of_request) return is_made_up(token, kIdMin) ? size : 0;
    if (name.starts_with("x-") && name.ends_with("-id"))
        return is_made_up(token, kKeptIdMin) ? size : 0;
    const bool tag = name == "etag" && is_made_up(token, kIdMin) && has_body_behind(text, at);
    return tag ? size : 0;
}

/// Length of the value at `at` of a cookie that a server sets, if the value is an id; else 0.
inline std::size_t cookie_value(std::string_view text, std::size_t at, std::size_t start) {
    constexpr std::string_view kHeader = "set-cookie: ";
    constexpr std::size_t kValueMin = 16;
    if (text[at - 1] != '=' || start < kHeader.size()) return 0;
    if (lower(text.substr(start - kHeader.size(), kHeader.size())) != kHeader) return 0;
    const std::size_t size = tool_token(text, at);
    return is_made_up(text.substr(at, size), kValueMin) ? size : 0;
}

/// Length of the snapshot's counter in the name of an element of a page: `1` in `uid=1_5`, `s3` in
/// `ref=s3e12`. The element's own number is not part of it. 0 = no counter.
inline std::size_t page_counter(std::string_view text, std::size_t at, std::string_view name) {
    constexpr std::size_t kDigitsMax = 6;
    const bool ref = name == "ref" && text[at] == 's';
    if (!ref && name != "uid") return 0;
    const std::size_t from = at + (ref ? 1 : 0);
    std::size_t end = from;
    while (end < text.size() && end - from < kDigitsMax && is_digit(text[end]))
        ++end;
    const bool element = end > from && end + 1 < text.size() && text[end] == (ref ? 'e' : '_') &&
                         is_digit(text[end + 1]);
    return element ? end - at : 0;
}

/// End of the id of a tool that begins at `at`; `at` if none begins there.
inline std::size_t tool_id_end(std::string_view text, std::size_t at) {
    constexpr std::size_t kIdMin = 6;
    constexpr std::size_t kMadeUpMin = 16;
    constexpr std::size_t kHostIdMin = 24;
    const std::size_t size = tool_token(text, at);
    const std::string_view token = text.substr(at, size);
    if (token.starts_with("req_") && is_made_up(token, kMadeUpMin)) return at + size;
    if (at == 0 || size == 0) return at;
    if (text[at - 1] == '(') return is_made_up(token, kMadeUpMin) ? at + size : at;
    std::size_t start = at;
    const std::string name = name_of_value(text, at, start);
    if (name.empty()) return at;
    if (const std::size_t counter = page_counter(text, at, name)) return at + counter;
    if (name == "nonce") return is_made_up(token, kIdMin) ? at + size : at;
    const bool request =
        (name.ends_with("id") && name.find("request") != name.npos) ||
        (name == "id" && start > 7 && lower(text.substr(start - 8, 7)) == "request");
    if (request && is_made_up(token, kIdMin)) return at + size;
    // Amazon's second id, which follows the request id. A short value may name a machine of the
    // user.
    if ((name == "hostid" || name == "host-id") && is_made_up(token, kHostIdMin)) return at + size;
    // A parameter of a signed URL.
    if (text[at - 1] == '=' && name.starts_with("x-amz-"))
        return is_made_up(token, kMadeUpMin) ? at + size : at;
    if (is_header_at(text, start)) return at + header_id(text, at, name);
    return at + cookie_value(text, at, start);
}

/// Removes the snapshot's counter from the names of page elements in arguments in canonical form,
/// from offset `from` on: `uid:"3_5"` becomes `uid:"_5"`.
inline void drop_page_counters(std::string& canonical, std::size_t from) {
    static constexpr std::array<std::string_view, 3> kKeys{"uid:\"", "ref:\"", "Ref:\""};
    for (const std::string_view key : kKeys) {
        const std::string_view text = canonical;
        std::string kept;
        std::size_t copied = 0;
        for (std::size_t at = text.find(key, from); at != text.npos; at = text.find(key, at + 1)) {
            const std::size_t value = at + key.size();
            if (value == text.size()) break;
            const std::size_t size = page_counter(text, value, key[0] == 'u' ? "uid" : "ref");
            std::size_t end = value + size + 1;
            while (size > 0 && end < text.size() && is_digit(text[end]))
                ++end;
            if (size == 0 || end >= text.size() || text[end] != '"') continue;
            kept.append(text.substr(copied, value - copied));
            copied = value + size;
        }
        if (copied == 0) continue;
        kept.append(text.substr(copied));
        canonical = std::move(kept);
    }
}

}  // namespace headway::core
