// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"

namespace headway::core {

/// 128-bit fingerprint, 32 hexadecimal digits in JSON. Equal content has equal digests; not for
/// security.
struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    bool operator==(const Digest&) const = default;
    static constexpr auto fields() {
        return field_list(field("high", &Digest::high), field("low", &Digest::low));
    }
};

/// MurmurHash3 x64 128 (Appleby, public domain), seed 0. Pure; must never change, because digests
/// are stored.
Digest digest_of(std::string_view bytes) noexcept;

/// A digest of the words of `text`, without regard to their order. Words that occur in `without`
/// are left out. 0 if fewer than `least` words remain. Pure; must never change, like digest_of().
std::uint64_t digest_of_words(std::string_view text, std::string_view without, std::size_t least);

/// 32 lowercase hexadecimal digits.
std::string to_hex(const Digest& digest);
/// A mark that stands for bytes that are not text: eight letters made from their digest. No number
/// or id contains these letters, so the mark is compared like a word. Pure.
std::string mark_of(std::string_view bytes);

/// A text of any length in bounded space: the whole text up to limits::kTextWholeBytesMax bytes,
/// else its head, tail, total length and digest. It is only cut between UTF-8 sequences.
struct Text {
    std::string kept;              ///< the whole text, or head and tail joined
    std::uint32_t head_bytes = 0;  ///< where the tail starts in `kept`; 0 when whole
    std::uint64_t bytes = 0;       ///< length of the whole text; 0 when `kept` is the whole text
    Digest digest;                 ///< digest of the whole text; only when cut

    bool whole() const noexcept { return bytes == 0; }
    bool empty() const noexcept { return kept.empty(); }
    bool operator==(const Text&) const = default;
    static constexpr auto fields() {
        return field_list(field("kept", &Text::kept), field("head_bytes", &Text::head_bytes),
                          field("bytes", &Text::bytes), field("digest", &Text::digest));
    }
};

/// A JSON value as compact text, bounded like Text. Empty = absent.
struct Json : Text {
    bool operator==(const Json&) const = default;
    static constexpr auto fields() { return Text::fields(); }
};

/// The longest prefix of `text` of at most `bytes_max` bytes that ends between UTF-8 sequences.
/// Pure.
std::string_view cut_text(std::string_view text, std::size_t bytes_max) noexcept;

/// `text`, or its longest prefix that fits in `bytes_max` bytes with a "…" appended. Pure.
std::string shortened(std::string_view text, std::size_t bytes_max);

/// The Text of `whole`: all of it, or its head, tail, length and digest. Pure.
Text bounded_text(std::string whole);

/// The text without its quoted parts, so that "not found" messages about different things become
/// equal.
std::string without_quotes(std::string_view text);

/// True for a message that only asks the agent to go on: "continue", "please go on".
bool only_goes_on(std::string_view message);

}  // namespace headway::core
