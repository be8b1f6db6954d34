// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/session_id.hpp"

#include <array>
#include <cstdint>
#include <random>

namespace headway::server {

std::string new_session_id(core::Timestamp now) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::random_device random;
    std::array<std::uint8_t, 16> bytes{};
    const auto ms = static_cast<std::uint64_t>(now.time_since_epoch().count());
    for (std::size_t i = 0; i < 6; ++i)
        bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
    for (std::size_t i = 6; i < 16; ++i)
        bytes[i] = static_cast<std::uint8_t>(random());
    bytes[6] = static_cast<std::uint8_t>(0x70U | (bytes[6] & 0x0FU));
    bytes[8] = static_cast<std::uint8_t>(0x80U | (bytes[8] & 0x3FU));
    std::string id;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) id.push_back('-');
        id.push_back(kDigits[bytes[i] >> 4]);
        id.push_back(kDigits[bytes[i] & 0xFU]);
    }
    return id;
}

}  // namespace headway::server
