// SPDX-License-Identifier: Apache-2.0
#include "core/text/base64.hpp"

#include <cstdint>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static_assert(kAlphabet.size() == 64);

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8U | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= group.size() ? kAlphabet[bits >> (18 - 6 * i) & 63U] : '=';
    }
    HEADWAY_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    std::uint32_t held = 0;
    for (const char c : text) {
        const std::size_t digit = kAlphabet.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        HEADWAY_ASSERT(held < 8);
        bytes += static_cast<char>(bits >> held & 0xffU);
    }
    // The rest of the last digit must be zero, so that each text has one meaning.
    if ((bits & ((1U << held) - 1U)) != 0) return std::nullopt;
    HEADWAY_ASSERT(bytes.size() == text.size() * 6 / 8);
    return bytes;
}

}  // namespace headway::core
