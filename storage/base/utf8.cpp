// SPDX-License-Identifier: Apache-2.0
#include "storage/base/utf8.hpp"

#include <cstddef>
#include <cstdint>

#include "core/base/assert.hpp"

namespace headway::storage {
namespace {

/// Number of continuation bytes after this byte, and the least valid value; -1 for none.
int followers(std::uint8_t first, std::uint32_t& value, std::uint32_t& least) {
    if (first < 0x80) return 0;
    if (first >= 0xC2 && first <= 0xDF) {
        value = first & 0x1FU;
        least = 0x80;
        return 1;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        value = first & 0x0FU;
        least = 0x800;
        return 2;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        value = first & 0x07U;
        least = 0x10000;
        return 3;
    }
    return -1;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint32_t value = 0;
        std::uint32_t least = 0;
        const int more = followers(static_cast<std::uint8_t>(bytes[i]), value, least);
        if (more < 0) return false;
        HEADWAY_ASSERT(more <= 3);
        for (int k = 0; k < more; ++k) {
            if (++i >= bytes.size()) return false;
            const auto next = static_cast<std::uint8_t>(bytes[i]);
            if ((next & 0xC0U) != 0x80U) return false;
            value = value << 6U | (next & 0x3FU);
        }
        HEADWAY_ASSERT(value < 0x200000);
        const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
        if (value < least || surrogate || value > 0x10FFFF) return false;
    }
    return true;
}

}  // namespace headway::storage
