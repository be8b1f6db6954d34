// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_string.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headway::api {
namespace {

#if defined(__SSE2__)

/// True if one of the 16 bytes is escaped in a JSON string.
bool special_in_16(const char* bytes) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const __m128i control =
        _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);  // at most 0x1f
    const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    return _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))) != 0;
}

#endif

/// End of the run of bytes from `from` that a JSON string holds as they are.
std::size_t end_of_plain(std::string_view text, std::size_t from) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kTops = 0x8080808080808080;
    // The top bit of each byte that is zero, and perhaps of some behind one ("haszero").
    const auto zeros = [](std::uint64_t v) { return (v - kOnes) & ~v & kTops; };
    const auto special_in = [&](std::size_t at) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + at, sizeof eight);
        const std::uint64_t control = (eight - kOnes * 0x20) & ~eight & kTops;
        return (control | zeros(eight ^ kOnes * '"') | zeros(eight ^ kOnes * '\\')) != 0;
    };
#if defined(__SSE2__)
    for (; from + 16 <= text.size() && !special_in_16(text.data() + from); from += 16) {
    }
#endif
    for (; from + 8 <= text.size() && !special_in(from); from += 8) {
    }
    // The last bytes, and some before them that were looked at already.
    const bool rest = from + 8 > text.size() && text.size() >= 8;
    if (rest && !special_in(text.size() - 8)) return text.size();
    const auto plain = [](unsigned char c) { return c >= 0x20 && c != '"' && c != '\\'; };
    while (from < text.size() && plain(static_cast<unsigned char>(text[from])))
        ++from;
    return from;
}

constexpr std::size_t kShortBytes = 62;  ///< of a string that is put together before it is appended

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    if (text.size() <= kShortBytes && end_of_plain(text, 0) == text.size()) {  // most
        char quoted[kShortBytes + 2];
        quoted[0] = '"';
        std::copy(text.begin(), text.end(), quoted + 1);
        quoted[text.size() + 1] = '"';
        out.append(quoted, text.size() + 2);
        return;
    }
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

void append_json_number(std::string& out, double v) {
    char digits[32];
    // Most are hundredths, for which the general way takes ten times as long. From 10,000 on an
    // exponent may be shorter.
    if (v >= 0.01 && v < 10'000) {
        const auto hundredths = static_cast<std::uint32_t>(std::lround(v * 100));
        if (static_cast<double>(hundredths) / 100 == v) {
            char* end = std::to_chars(digits, digits + sizeof digits, hundredths / 100).ptr;
            const std::uint32_t rest = hundredths % 100;
            if (rest != 0) *end++ = '.';
            if (rest != 0) *end++ = static_cast<char>('0' + rest / 10);
            if (rest % 10 != 0) *end++ = static_cast<char>('0' + rest % 10);
            out.append(digits, static_cast<std::size_t>(end - digits));
            return;
        }
    }
    const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

}  // namespace headway::api
