// SPDX-License-Identifier: Apache-2.0
#include "cli/base/ids.hpp"

#include <random>

namespace headway::cli {

std::uint64_t random_bits() {
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

std::string random_tag() {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string tag;
    std::uint64_t bits = random_bits();
    for (int i = 0; i < 12; ++i, bits >>= 4U)
        tag += kHex[bits & 15U];
    return tag;
}

std::string session_id_of(std::string_view text) {
    constexpr std::size_t kBytesMax = 128;
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
    std::string id;
    for (const char c : text.substr(0, kBytesMax)) {
        id += kAllowed.find(c) == std::string_view::npos ? '-' : c;
    }
    return id.empty() ? "session" : id;
}

}  // namespace headway::cli
