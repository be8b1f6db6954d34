// SPDX-License-Identifier: Apache-2.0
#include "core/exact_args.hpp"

#include <charconv>

#include "core/assert.hpp"
#include "core/sha256.hpp"

namespace headway::core {
namespace {

constexpr std::string_view kDigestStart = "sha256:";
constexpr std::size_t kWordDigits = 16;
constexpr std::size_t kDigestDigits = 4 * kWordDigits;
static_assert(kDigestDigits == 2 * 32, "SHA-256 has 32 bytes");

/// The `place`-th 64 bits of the digest.
std::uint64_t word_of(std::string_view digest, std::size_t place) {
    HEADWAY_ASSERT(place < kDigestDigits / kWordDigits &&
                   digest.size() == kDigestStart.size() + kDigestDigits);
    const std::string_view digits =
        digest.substr(kDigestStart.size() + place * kWordDigits, kWordDigits);
    std::uint64_t word = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
    HEADWAY_ASSERT(error == std::errc{} && end == digits.data() + digits.size());
    return word;
}

}  // namespace

bool is_args_digest(std::string_view text) noexcept {
    return text.size() == kDigestStart.size() + kDigestDigits && text.starts_with(kDigestStart) &&
           text.find_first_not_of("0123456789abcdef", kDigestStart.size()) ==
               std::string_view::npos;
}

std::string bound_digest(std::string_view told) {
    if (is_args_digest(told)) return std::string{told};
    // With a prefix: the digest of the text alone could equal that of canonical arguments.
    std::string bound =
        std::string{kDigestStart} + sha256_hex("headway client digest\n" + std::string{told});
    HEADWAY_ASSERT(is_args_digest(bound));
    return bound;
}

void keep_args(CallPrint& print, std::string_view digest) {
    HEADWAY_ASSERT(is_args_digest(digest));
    print.args_start = {word_of(digest, 0), word_of(digest, 1)};
    print.args_end = {word_of(digest, 2), word_of(digest, 3)};
    HEADWAY_ASSERT(args_of(print) == digest || args_of(print).empty());
}

std::string args_of(const CallPrint& print) {
    if (print.args_start == Digest{} && print.args_end == Digest{}) return {};
    return std::string{kDigestStart} + to_hex(print.args_start) + to_hex(print.args_end);
}

}  // namespace headway::core
