// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Input of a fuzzer: choices from the front, text from the rest.

namespace headway::tests {

class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size)
        : text_(reinterpret_cast<const char*>(data), size) {}

    /// One of `count`; 0 when nothing is left.
    std::size_t choose(std::size_t count) {
        if (text_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(text_.front());
        text_.remove_prefix(1);
        return byte % count;
    }
    std::string_view rest() const { return text_; }

private:
    std::string_view text_;
};

/// A property that does not hold ends the process, so that the fuzzer keeps the input.
inline void require(bool holds) {
    if (!holds) __builtin_trap();
}

}  // namespace headway::tests
