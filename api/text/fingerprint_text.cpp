// SPDX-License-Identifier: Apache-2.0
#include "api/text/fingerprint_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace headway::api {
namespace {

void append_hex(std::string& out, std::uint64_t value) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    out.append(digits.data(), end);
}

bool read_hex(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return error == std::errc{} && end == text.data() + text.size();
}

bool read_fingerprint(std::string_view text, core::Digest& digest) {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && read_hex(text.substr(0, colon), digest.high) &&
           read_hex(text.substr(colon + 1), digest.low);
}

template <class T>
void append_field(std::string& out, const T& value) {
    if constexpr (std::is_same_v<T, core::Digest>) {
        append_hex(out, value.high);
        out += ':';
        append_hex(out, value.low);
    } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
        if (value) append_hex(out, *value);
    } else {
        append_hex(out, static_cast<std::uint64_t>(value));
    }
}

template <class T>
bool read_field(std::string_view text, T& value) {
    if constexpr (std::is_same_v<T, core::Digest>) {
        return read_fingerprint(text, value);
    } else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
        return text.empty() || read_hex(text, value.emplace());
    } else {
        std::uint64_t number = 0;
        if (!read_hex(text, number)) return false;
        if constexpr (core::NamedEnum<T>) {
            if (number >= core::EnumNames<T>::kNames.size()) return false;
        }
        value = static_cast<T>(number);
        return true;
    }
}

}  // namespace

std::string fingerprint_text(const core::CallFingerprint& fingerprint) {
    std::string out;
    core::for_each_field<core::CallFingerprint>([&](const auto& field, std::size_t index) {
        if (index > 0) out += ',';
        append_field(out, fingerprint.*(field.member));
    });
    return out;
}

bool parse_fingerprint(std::string_view text, core::CallFingerprint& fingerprint) {
    bool good = !text.empty();
    bool more = true;
    core::for_each_field<core::CallFingerprint>([&](const auto& field, std::size_t) {
        if (!good || !more) return;
        const std::size_t comma = std::min(text.find(','), text.size());
        good = read_field(text.substr(0, comma), fingerprint.*(field.member));
        more = comma < text.size();
        text.remove_prefix(std::min(comma + 1, text.size()));
    });
    return good;
}

}  // namespace headway::api
