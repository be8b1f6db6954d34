// SPDX-License-Identifier: Apache-2.0
#include "api/json_string.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headway::api {
namespace {

/// End of the run of bytes from `from` that a JSON string holds as they are.
std::size_t end_of_plain(std::string_view text, std::size_t from) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kTops = 0x8080808080808080;
    // The top bit of each byte that is zero, and perhaps of some behind one ("haszero").
    const auto zeros = [](std::uint64_t v) { return (v - kOnes) & ~v & kTops; };
    for (; from + 8 <= text.size(); from += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + from, sizeof eight);
        const std::uint64_t control = (eight - kOnes * 0x20) & ~eight & kTops;
        if ((control | zeros(eight ^ kOnes * '"') | zeros(eight ^ kOnes * '\\')) != 0) break;
    }
    const auto plain = [](unsigned char c) { return c >= 0x20 && c != '"' && c != '\\'; };
    while (from < text.size() && plain(static_cast<unsigned char>(text[from])))
        ++from;
    return from;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out.push_back('"');
    for (std::size_t from = 0;;) {
        const std::size_t end = end_of_plain(text, from);
        out.append(text, from, end - from);
        if (end == text.size()) break;
        from = end + 1;
        const auto c = static_cast<unsigned char>(text[end]);
        switch (c) {
            case '"':
                out.append("\\\"");
                break;
            case '\\':
                out.append("\\\\");
                break;
            case '\n':
                out.append("\\n");
                break;
            case '\r':
                out.append("\\r");
                break;
            case '\t':
                out.append("\\t");
                break;
            default:
                out.append("\\u00");
                out.push_back(kHex[c >> 4]);
                out.push_back(kHex[c & 0xF]);
        }
    }
    out.push_back('"');
}

}  // namespace headway::api
