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

std::string_view base_of_generation(std::string_view session) {
    constexpr std::size_t kDigitsMost = 3;
    const std::size_t mark = session.rfind('~');
    if (mark == session.npos) return session;
    const std::string_view digits = session.substr(mark + 1);
    const bool counted = !digits.empty() && digits.size() <= kDigitsMost && digits[0] != '0' &&
                         digits.find_first_not_of("0123456789") == digits.npos;
    return counted ? session.substr(0, mark) : session;
}

std::string next_generation(std::string_view session) {
    const std::string_view base = base_of_generation(session);
    if (base.size() == session.size()) return std::string(session) + "~2";
    const int number = std::stoi(std::string(session.substr(base.size() + 1)));
    return std::string(base) + "~" + std::to_string(number + 1);
}

}  // namespace headway::cli
