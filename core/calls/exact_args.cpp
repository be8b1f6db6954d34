// SPDX-License-Identifier: Apache-2.0
#include "core/calls/exact_args.hpp"

#include <cstdint>
#include <tuple>

#include "core/base/assert.hpp"
#include "core/text/sha256.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::string_view kDigestStart = "sha256:";
constexpr std::size_t kDigestDigits = 2 * std::tuple_size_v<ArgsDigest>;

/// The `place`-th 64 bits of the digest, most significant byte first.
std::uint64_t word_of(const ArgsDigest& digest, std::size_t place) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i)
        word = word << 8U | digest[place * sizeof word + i];
    return word;
}

/// Value of a lowercase hexadecimal digit.
unsigned digit_of(char c) {
    return static_cast<unsigned>(is_digit(c) ? c - '0' : c - 'a' + 10);
}

}  // namespace

bool is_args_digest(std::string_view text) noexcept {
    return text.size() == kDigestStart.size() + kDigestDigits && text.starts_with(kDigestStart) &&
           text.find_first_not_of("0123456789abcdef", kDigestStart.size()) ==
               std::string_view::npos;
}

std::string bound_digest(std::string_view text) {
    if (is_args_digest(text)) return std::string{text};
    // With a prefix: the digest of the text alone could equal that of canonical arguments.
    std::string bound =
        std::string{kDigestStart} + sha256_hex("headway client digest\n" + std::string{text});
    HEADWAY_ASSERT(is_args_digest(bound));
    return bound;
}

std::string args_digest_text(const ArgsDigest& digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text{kDigestStart};
    text.reserve(kDigestStart.size() + kDigestDigits);
    for (const unsigned char byte : digest) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    HEADWAY_ASSERT(is_args_digest(text));
    return text;
}

ArgsDigest args_digest_bytes(std::string_view text) {
    HEADWAY_ASSERT(is_args_digest(text));
    ArgsDigest digest{};
    const std::string_view digits = text.substr(kDigestStart.size());
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] =
            static_cast<unsigned char>(digit_of(digits[2 * i]) << 4U | digit_of(digits[2 * i + 1]));
    return digest;
}

void keep_args(CallFingerprint& fingerprint, const ArgsDigest& digest) {
    fingerprint.args_start = {word_of(digest, 0), word_of(digest, 1)};
    fingerprint.args_end = {word_of(digest, 2), word_of(digest, 3)};
}

std::string args_of(const CallFingerprint& fingerprint) {
    if (fingerprint.args_start == Digest{} && fingerprint.args_end == Digest{}) return {};
    return std::string{kDigestStart} + to_hex(fingerprint.args_start) +
           to_hex(fingerprint.args_end);
}

}  // namespace headway::core
