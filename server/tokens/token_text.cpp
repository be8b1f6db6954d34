// SPDX-License-Identifier: Apache-2.0
#include "server/tokens/token_text.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/text/sha256.hpp"
#include "core/text/words.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kTokenPrefix = "hw_";
constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kIdCharacters = 12;
constexpr std::size_t kIdLetters = 36;  // digits and capitals
constexpr std::size_t kIdCharactersMax = 32;
constexpr std::size_t kSecretCharacters = 43;   // 62^43 is above 2^256
constexpr std::size_t kChecksumCharacters = 6;  // 62^6 is above 2^32
constexpr std::size_t kTailCharacters = kSecretCharacters + kChecksumCharacters;

/// Uniformly distributed characters of the first `letters` of the alphabet.
Result<std::string> random_text(std::size_t count, std::size_t letters) {
    const std::size_t usable = 256 / letters * letters;  // rejects the rest: no modulo bias
    std::string text;
    while (text.size() < count) {
        std::array<unsigned char, 64> bytes{};
        // As many bytes come whole or not at all.
        if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
            return Error{ErrorCode::kInternal, "the system gives no random numbers", {}};
        }
        for (const unsigned char byte : bytes) {
            if (byte < usable && text.size() < count) text.push_back(kAlphabet[byte % letters]);
        }
    }
    return text;
}

/// CRC-32 of IEEE 802.3.
std::uint32_t crc32(std::string_view text) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~crc;
}

std::string checksum(std::string_view text) {
    std::uint32_t rest = crc32(text);
    std::string out(kChecksumCharacters, kAlphabet.front());
    for (auto place = out.rbegin(); place != out.rend(); ++place) {
        *place = kAlphabet[rest % kAlphabet.size()];
        rest /= static_cast<std::uint32_t>(kAlphabet.size());
    }
    return out;
}

Error not_a_token(std::string detail) {
    return {ErrorCode::kUnauthorized, std::move(detail), "Authorization"};
}

NewToken token_of(std::string id, std::string_view secret) {
    NewToken token;
    token.id = std::move(id);
    token.text = std::string{kTokenPrefix} + token.id + "_" + std::string{secret};
    token.text += checksum(token.text);
    token.hash = token_hash(token.text);
    return token;
}

}  // namespace

Result<NewToken> make_token(std::string id) {
    if (id.empty()) {
        HEADWAY_TRY(id, random_text(kIdCharacters, kIdLetters));
    }
    HEADWAY_TRY(const std::string secret, random_text(kSecretCharacters, kAlphabet.size()));
    return token_of(std::move(id), secret);
}

NewToken derive_token(std::string id, std::string_view secret) {
    // 62 does not divide 256: a character has 5.9 bits all the same.
    const std::string bytes =
        keyed_hash(secret, "headway token 1 " + id) + keyed_hash(secret, "headway token 2 " + id);
    static_assert(kSecretCharacters <= 64);
    std::string text;
    for (const char byte : bytes.substr(0, kSecretCharacters))
        text.push_back(kAlphabet[static_cast<unsigned char>(byte) % kAlphabet.size()]);
    return token_of(std::move(id), text);
}

Result<std::string_view> token_id(std::string_view text) {
    const std::size_t end = text.find('_', kTokenPrefix.size());
    const bool framed = text.starts_with(kTokenPrefix) && end != std::string_view::npos;
    const std::string_view id =
        framed ? text.substr(kTokenPrefix.size(), end - kTokenPrefix.size()) : "";
    const std::string_view tail = framed ? text.substr(end + 1) : "";
    const auto plain = [](std::string_view part) {
        return std::all_of(part.begin(), part.end(),
                           [](char c) { return core::is_digit(c) || core::is_letter(c); });
    };
    if (id.empty() || id.size() > kIdCharactersMax || !plain(id) || !plain(tail) ||
        tail.size() != kTailCharacters) {
        return not_a_token(
            "this is not a token of Headway, or not all of one: they look like "
            "hw_<id>_<49 letters and digits>");
    }
    if (checksum(text.substr(0, text.size() - kChecksumCharacters)) !=
        text.substr(text.size() - kChecksumCharacters)) {
        return not_a_token("the token was copied badly: its checksum is wrong");
    }
    return id;
}

std::string token_hash(std::string_view text) {
    const core::Sha256Digest digest = core::sha256(text);
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string keyed_hash(std::string_view key, std::string_view text) {
    const core::Sha256Digest digest = core::hmac_sha256(key, text);
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Result<std::string> random_letters(std::size_t count) {
    return random_text(count, kAlphabet.size());
}

bool same_hash(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    // Volatile, so that the loop does not end at the first difference: how long it takes would say
    // how much of a guess is right.
    volatile unsigned char differences = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        differences = static_cast<unsigned char>(
            differences | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
    return differences == 0;
}

}  // namespace headway::server
