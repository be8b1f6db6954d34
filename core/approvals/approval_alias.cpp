// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/approval_alias.hpp"

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kBytes = 36;
constexpr std::uint64_t kCursorMask = (std::uint64_t{1} << 62U) - 1;
static_assert(kBytes == 2 * 16 + 4, "16 bytes as digits, and four dashes");
static_assert(kCursorMask >> 62U == 0, "the two bits above are the variant");

bool is_dash(std::size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string approval_alias(std::string_view session, std::uint64_t n, Timestamp at,
                           std::int64_t cursor) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto ms = static_cast<std::uint64_t>(at.time_since_epoch().count());
    const std::uint64_t check = digest_of(approval_id(session, n)).low & 0xFFFU;
    const std::uint64_t high = (ms << 16U) | 0x7000U | check;
    const std::uint64_t low =
        (std::uint64_t{2} << 62U) | (static_cast<std::uint64_t>(cursor) & kCursorMask);
    std::string alias;
    alias.reserve(kBytes);
    for (const std::uint64_t half : {high, low}) {
        for (unsigned shift = 64; shift > 0; shift -= 4) {
            if (is_dash(alias.size())) alias.push_back('-');
            alias.push_back(kDigits[(half >> (shift - 4)) & 0xFU]);
        }
    }
    HEADWAY_ASSERT(alias.size() == kBytes);
    HEADWAY_ASSERT(alias[14] == '7');
    return alias;
}

bool is_uuid(std::string_view text) {
    if (text.size() != kBytes) return false;
    for (std::size_t i = 0; i < kBytes; ++i)
        if (is_dash(i) ? text[i] != '-' : hex_value(text[i]) < 0) return false;
    return true;
}

std::optional<std::int64_t> cursor_of_alias(std::string_view alias) {
    if (!is_uuid(alias)) return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
        if (is_dash(i)) continue;
        const int digit = hex_value(alias[i]);
        HEADWAY_ASSERT(digit >= 0 && digit < 16);
        std::uint64_t& half = i < 18 ? high : low;
        half = (half << 4U) | static_cast<std::uint64_t>(digit);
    }
    const bool version_7 = ((high >> 12U) & 0xFU) == 7 && low >> 62U == 2;
    const auto cursor = static_cast<std::int64_t>(low & kCursorMask);
    if (!version_7 || cursor == 0) return std::nullopt;
    HEADWAY_ASSERT(cursor > 0);
    return cursor;
}

}  // namespace headway::core
