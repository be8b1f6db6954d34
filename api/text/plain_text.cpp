// SPDX-License-Identifier: Apache-2.0
#include "api/text/plain_text.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::string_view kCutHere = "\xE2\x80\xA6";

/// How many bytes the UTF-8 sequence at the start of `text` has; 0 if it is none.
std::size_t sequence_length(std::string_view text) {
    const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0U) != 0x80U) return 0;
    }
    const unsigned char second = at(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : length;
}

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

std::string as_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (text.front() != '\0') {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string tail_of(std::string_view text, std::size_t bytes_max) {
    HEADWAY_ASSERT(bytes_max > kCutHere.size());
    const std::size_t size = text.size();
    // One byte here is up to three there, so this is never too little.
    text.remove_prefix(size - std::min(size, bytes_max + 3));
    while (text.size() < size && !text.empty() && continues(text.front()))
        text.remove_prefix(1);
    const std::string whole = as_utf8(text);
    std::string_view tail = core::trimmed(whole);
    if (text.size() == size && tail.size() <= bytes_max) return std::string{tail};
    tail.remove_prefix(tail.size() - std::min(tail.size(), bytes_max - kCutHere.size()));
    while (!tail.empty() && continues(tail.front()))
        tail.remove_prefix(1);
    return std::string{kCutHere} + std::string{tail};
}

std::string without_secrets(std::string_view text, const core::SecretFinder* secrets) {
    std::string out;
    if (secrets == nullptr) return std::string{text};
    secrets->append_redacted(out, text);
    return out;
}

}  // namespace headway::api
