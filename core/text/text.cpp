// SPDX-License-Identifier: Apache-2.0
#include "core/text/text.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

static_assert(limits::kTextHeadBytes + limits::kTextTailBytes < limits::kTextWholeBytesMax,
              "a text that is cut becomes shorter");
static_assert(sizeof(Digest) == 16, "as 32 digits");

constexpr std::uint64_t kC1 = 0x87c37b91114253d5ULL;
constexpr std::uint64_t kC2 = 0x4cf5ad432745937fULL;

constexpr std::uint64_t rotate_left(std::uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

constexpr std::uint64_t finalize(std::uint64_t k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ULL;
    return k ^ (k >> 33);
}

std::uint64_t load64(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

Digest digest_of(std::string_view bytes) noexcept {
    std::uint64_t h1 = 0;
    std::uint64_t h2 = 0;
    std::size_t i = 0;
    for (; i + 16 <= bytes.size(); i += 16) {
        h1 ^= rotate_left(load64(bytes.data() + i) * kC1, 31) * kC2;
        h1 = (rotate_left(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotate_left(load64(bytes.data() + i + 8) * kC2, 33) * kC1;
        h2 = (rotate_left(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (i < bytes.size()) {
        HEADWAY_ASSERT(bytes.size() - i < 16);
        char rest[16] = {};
        std::memcpy(rest, bytes.data() + i, bytes.size() - i);
        h2 ^= rotate_left(load64(rest + 8) * kC2, 33) * kC1;
        h1 ^= rotate_left(load64(rest) * kC1, 31) * kC2;
    }
    h1 ^= bytes.size();
    h2 ^= bytes.size();
    h1 += h2;
    h2 += h1;
    h1 = finalize(h1);
    h2 = finalize(h2);
    h1 += h2;
    h2 += h1;
    return {h1, h2};
}

namespace {

/// Calls `visit` with a hash of each word: letters and digits, whatever their case.
template <class Visit>
void each_word_hash(std::string_view text, Visit visit) {
    constexpr std::uint64_t kStart = 0xcbf2'9ce4'8422'2325ULL;  // FNV-1a
    constexpr std::uint64_t kPrime = 0x0000'0100'0000'01b3ULL;
    std::uint64_t hash = kStart;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (c >= '0' && c <= '9') || (c & '\x80') != 0) {
            const auto byte = static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
            hash = (hash ^ byte) * kPrime;
        } else if (hash != kStart) {
            visit(hash);
            hash = kStart;
        }
    }
    if (hash != kStart) visit(hash);
}

}  // namespace

std::uint64_t digest_of_words(std::string_view text, std::string_view without, std::size_t least) {
    std::vector<std::uint64_t> own;
    each_word_hash(without, [&own](std::uint64_t word) { own.push_back(word); });
    std::sort(own.begin(), own.end());
    std::uint64_t sum = 0;
    std::size_t words = 0;
    each_word_hash(text, [&](std::uint64_t word) {
        if (std::binary_search(own.begin(), own.end(), word)) return;
        word ^= word >> 29U;  // a plain sum of products of one prime is no digest
        sum += word * 0x9e37'79b9'7f4a'7c15ULL;
        ++words;
    });
    return words < least ? 0 : sum | 1U;
}

std::string to_hex(const Digest& digest) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex(32, '0');
    for (std::size_t i = 0; i < 16; ++i) {
        hex[15 - i] = kDigits[(digest.high >> (4 * i)) & 0xFU];
        hex[31 - i] = kDigits[(digest.low >> (4 * i)) & 0xFU];
    }
    return hex;
}

std::string mark_of(std::string_view bytes) {
    constexpr std::size_t kLetters = 8;
    std::string mark = to_hex(digest_of(bytes)).substr(0, kLetters);
    for (char& c : mark)
        c = static_cast<char>('g' + (c <= '9' ? c - '0' : c - 'a' + 10));
    return mark;
}

std::string_view cut_text(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) return text;
    std::size_t end = bytes_max;
    while (end > 0 && is_continuation(text[end]))
        --end;
    HEADWAY_ASSERT(end <= bytes_max && end < text.size());
    return text.substr(0, end);
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
    constexpr std::string_view kMore = "…";
    if (text.size() <= bytes_max) return std::string{text};
    HEADWAY_ASSERT(bytes_max >= kMore.size());
    return std::string{cut_text(text, bytes_max - kMore.size())}.append(kMore);
}

Text bounded_text(std::string whole) {
    Text text;
    if (whole.size() <= limits::kTextWholeBytesMax) {
        text.kept = std::move(whole);
        return text;
    }
    const std::size_t head = cut_text(whole, limits::kTextHeadBytes).size();
    std::size_t tail = whole.size() - limits::kTextTailBytes;
    while (tail < whole.size() && is_continuation(whole[tail]))
        ++tail;
    HEADWAY_ASSERT(head <= limits::kTextHeadBytes && head < tail && tail <= whole.size());
    text.bytes = whole.size();
    text.digest = digest_of(whole);
    text.head_bytes = static_cast<std::uint32_t>(head);
    text.kept.reserve(head + whole.size() - tail);
    text.kept.assign(whole, 0, head).append(whole, tail);
    HEADWAY_ASSERT(text.kept.size() < text.bytes && text.head_bytes <= text.kept.size());
    HEADWAY_ASSERT(text.kept.size() <= limits::kTextHeadBytes + limits::kTextTailBytes);
    return text;
}

std::string without_quotes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        out.push_back(c);
        const bool opens = (c == '"' || c == '\'' || c == '`') && (i == 0 || !is_word(text[i - 1]));
        const std::size_t end = opens ? text.find(c, i + 1) : std::string_view::npos;
        if (end == std::string_view::npos) continue;
        out.push_back(c);
        i = end;
    }
    HEADWAY_ASSERT(out.size() <= text.size() + 1);
    return out;
}

bool only_goes_on(std::string_view message) {
    static constexpr WordList<16> kWords{{"continue", "proceed", "resume", "next", "go", "going",
                                          "on", "ahead", "keep", "carry", "please", "just", "ok",
                                          "okay", "yes", "weiter"}};
    message = trimmed(message);
    if (message.empty() || message.size() > 40) return false;
    std::string word;
    for (std::size_t i = 0; i <= message.size(); ++i) {
        if (i < message.size() && is_letter(message[i])) {
            word.push_back(lower(message[i]));
            continue;
        }
        if (i < message.size() && (is_digit(message[i]) || (message[i] & '\x80') != 0))
            return false;
        if (!word.empty() && !contains(kWords, word)) return false;
        word.clear();
    }
    return true;
}

}  // namespace headway::core
