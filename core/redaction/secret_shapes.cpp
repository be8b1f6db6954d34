// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/secret_shapes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/redaction/token_shapes.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kBearerBytesMin = 16;
/// A token has its first digit before this; longer runs are scanned once, when they are one.
constexpr std::size_t kLookedAt = 128;

bool is_token_char(char c) {
    return in_name(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

/// A JWT, or a truncated one: base64url parts with dots between. If none begins at the start of a
/// run of such letters, none begins later in that run, because every condition is harder to meet
/// for a shorter run.
std::optional<SecretSpan> jwt_at(std::string_view text, std::size_t at, std::size_t bytes_min,
                                 std::size_t& no_jwt_before) {
    if (at < no_jwt_before) return std::nullopt;
    const std::size_t size = run_of(text, at, [](char c) { return in_name(c) || c == '.'; });
    const std::string_view word = text.substr(at, size);
    if (size >= bytes_min && holds_digit(word) && word.find('.') != std::string_view::npos)
        return SecretSpan{at, size};
    no_jwt_before = at + size;
    return std::nullopt;
}

/// True behind the end of an escape that a name begins with: `n` of `\n`, `3D` of `%3D`, `32m` of
/// a colour code.
bool follows_escape(std::string_view text, std::size_t start, std::size_t at) {
    if (start == 0) return false;
    const char before = text[start - 1];
    const std::string_view head = text.substr(start, at - start);
    if (before == '\\') return head == "n" || head == "t" || head == "r";
    if (before == '%') return head.size() == 2 && is_hex(head[0]) && is_hex(head[1]);
    return (before == '[' || before == ';') && head.size() <= 4 && head.ends_with('m') &&
           std::all_of(head.begin(), head.end() - 1, is_digit);
}

/// True for a user of a URL that is a token: letters and digits mixed; a name has its number at the
/// end.
bool is_token_user(std::string_view user) {
    constexpr std::size_t kBytesMin = 16;
    const std::size_t digit = user.find_first_of("0123456789");
    return user.size() >= kBytesMin && digit != user.npos &&
           std::all_of(user.begin(), user.end(), is_word) &&
           std::any_of(user.begin() + static_cast<std::ptrdiff_t>(digit), user.end(), is_letter);
}

/// True for letters in both cases, or capitals only, and without parts at the beginning: names of
/// files and tests are made of words.
bool is_random(std::string_view token) {
    const std::string_view start = token.substr(0, kLookedAt);
    const std::size_t behind = std::min(start.find_first_of("-_") + 1, start.size());
    const bool parted = start.substr(behind, 6).find_first_of("-_") != start.npos;
    const bool openai = start.starts_with("sk-");
    return std::any_of(start.begin(), start.end(), [](char c) { return c >= 'A' && c <= 'Z'; }) &&
           (openai || !parted);
}

}  // namespace

std::size_t run_of(std::string_view text, std::size_t from, bool (*belongs)(char)) {
    std::size_t end = from;
    while (end < text.size() && belongs(text[end]))
        ++end;
    return end - from;
}

bool holds_digit(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

std::optional<SecretSpan> token_at(std::string_view text, std::size_t at,
                                   std::size_t& no_jwt_before) {
    const std::string_view rest = text.substr(at);
    for (std::uint64_t left = kTokenShapesByStart[static_cast<unsigned char>(text[at])]; left != 0;
         left &= left - 1) {
        const TokenShape& shape = kTokenShapes[static_cast<std::size_t>(std::countr_zero(left))];
        if (!rest.starts_with(shape.start)) continue;
        if (shape.start == "eyJ") return jwt_at(text, at, shape.bytes_min, no_jwt_before);
        const std::size_t start = shape.start.size();
        const std::size_t looked =
            start + run_of(text.substr(0, at + kLookedAt), at + start, in_name);
        if (looked < shape.bytes_min || !holds_digit(rest.substr(start, looked - start)))
            return std::nullopt;
        return SecretSpan{at, start + run_of(text, at + start, in_name)};
    }
    return std::nullopt;
}

std::optional<SecretSpan> bearer_at(std::string_view text, std::size_t at) {
    constexpr std::string_view kWord = "bearer ";
    if (text.size() - at < kWord.size()) return std::nullopt;
    for (std::size_t i = 0; i < kWord.size(); ++i) {
        if (lower(text[at + i]) != kWord[i]) return std::nullopt;
    }
    const std::size_t from = at + kWord.size();
    const std::size_t size = run_of(text, from, is_token_char);
    if (size < kBearerBytesMin || !holds_digit(text.substr(from, size))) return std::nullopt;
    return SecretSpan{from, size};
}

std::optional<SecretSpan> userinfo_at(std::string_view text, std::size_t colon) {
    if (!text.substr(colon).starts_with("://")) return std::nullopt;
    const std::size_t from = colon + 3;
    const std::size_t end = std::min(text.find_first_of("/?# \t\r\n\"'`<>", from), text.size());
    const std::string_view authority = text.substr(from, end - from);
    const std::size_t sign = authority.rfind('@');
    if (sign == std::string_view::npos) return std::nullopt;
    const std::size_t parting = authority.substr(0, sign).find(':');
    if (parting == std::string_view::npos && is_token_user(authority.substr(0, sign)))
        return SecretSpan{from, sign};
    if (parting == std::string_view::npos || parting + 1 == sign) return std::nullopt;
    const char first = authority[parting + 1];
    if (first == '$' || first == '{' || first == '*' || first == '[') return std::nullopt;
    return SecretSpan{from, std::min(sign, authority.find_first_of(";|&()"))};
}

std::optional<SecretSpan> webhook_at(std::string_view text, std::size_t colon) {
    struct Address {
        std::string_view start;
        std::size_t parts;  ///< parts of the path that are the secret
    };
    static constexpr std::array<Address, 5> kAddresses{{{"://hooks.slack.com/services/", 3},
                                                        {"://discord.com/api/webhooks/", 2},
                                                        {"://discordapp.com/api/webhooks/", 2},
                                                        {"://api.telegram.org/bot", 1},
                                                        {"://api.telegram.org/file/bot", 1}}};
    constexpr std::size_t kBytesMin = 20;
    constexpr std::size_t kPartMax = 128;
    const std::string_view rest = text.substr(colon);
    for (const Address& address : kAddresses) {
        if (!rest.starts_with(address.start)) continue;
        const std::size_t from = colon + address.start.size();
        std::size_t end = from;
        for (std::size_t part = 0; part < address.parts; ++part) {
            if (part > 0 && (end == text.size() || text[end] != '/')) break;
            const std::size_t begin = part > 0 ? end + 1 : end;
            const std::string_view bounded = text.substr(0, begin + kPartMax);
            end = begin + run_of(bounded, begin, [](char c) { return in_name(c) || c == ':'; });
        }
        if (end - from < kBytesMin || !holds_digit(text.substr(from, end - from)))
            return std::nullopt;
        return SecretSpan{from, end - from};
    }
    return std::nullopt;
}

namespace {

bool is_base64(char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '/' || c == '=';
}

/// True for a line of a key in PEM: words of base64, of which all but the last are long, or a
/// header. Any other may be a command, which an approver must see.
bool is_key_line(std::string_view line) {
    constexpr std::size_t kWordMin = 16;
    static constexpr std::string_view kHeader = " :,-.=";
    line = trimmed(line);
    const std::size_t colon = line.find(": ");
    if (colon != line.npos && is_letter(line.front()))
        return std::all_of(line.begin(), line.end(), [](char c) {
            return is_letter(c) || is_digit(c) || kHeader.find(c) != kHeader.npos;
        });
    while (!line.empty()) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        const std::string_view word = line.substr(0, end);
        if (!std::all_of(word.begin(), word.end(), is_base64)) return false;
        line = trimmed(line.substr(end));
        if (!line.empty() && word.size() < kWordMin) return false;
    }
    return true;
}

/// Behind the end of a line, which may be escaped, and behind blanks.
std::size_t behind_line_end(std::string_view text, std::size_t at) {
    while (at < text.size() && (is_space(text[at]) || text[at] == '\\')) {
        const bool escape = text[at] == '\\';
        ++at;
        if (escape && at < text.size() && (text[at] == 'n' || text[at] == 'r')) ++at;
    }
    return at;
}

/// End of the lines of a key that begin at `from`. The scan ends at the next marker, so that
/// no text is scanned for each of them.
std::size_t end_of_key_lines(std::string_view text, std::size_t from) {
    constexpr std::string_view kOther = " \t:,.-";
    std::size_t kept = from;
    while (from < text.size()) {
        std::size_t end = from;
        while (end < text.size() && !text.substr(end, 2).starts_with("--") &&
               (is_base64(text[end]) || kOther.find(text[end]) != kOther.npos))
            ++end;
        if (!is_key_line(text.substr(from, end - from))) return kept;
        kept = end;
        from = behind_line_end(text, end);
        if (from == end) return end;
    }
    return kept;
}

}  // namespace

std::optional<SecretSpan> key_block_at(std::string_view text, std::size_t at) {
    constexpr std::size_t kMarkerMax = 64;
    constexpr std::string_view kBegin = "-----BEGIN ";
    constexpr std::string_view kEnd = "-----END ";
    if (!text.substr(at).starts_with(kBegin)) return std::nullopt;
    const std::size_t name = at + kBegin.size();
    const std::size_t line = text.substr(name, kMarkerMax).find("-----");
    if (line == std::string_view::npos) return std::nullopt;
    if (text.substr(name, line).find("PRIVATE KEY") == std::string_view::npos) return std::nullopt;
    std::size_t end = end_of_key_lines(text, name + line + 5);
    const std::size_t last = behind_line_end(text, end);
    if (text.substr(last).starts_with(kEnd)) {
        const std::size_t mark = text.substr(last + kEnd.size(), kMarkerMax).find("-----");
        end = mark == std::string_view::npos ? last : last + kEnd.size() + mark + 5;
    }
    return SecretSpan{at, end - at};
}

std::optional<SecretSpan> shape_within(std::string_view text, std::size_t start, std::size_t at,
                                       std::size_t& no_jwt_before) {
    if (text[at] == '-') return key_block_at(text, at);
    if (kTokenShapesByStart[static_cast<unsigned char>(text[at])] == 0) return std::nullopt;
    const char before = text[at - 1];
    const bool begins = follows_escape(text, start, at) || (before == '-' && at == start + 1);
    if (!begins && before != '-' && before != '_') return std::nullopt;
    const auto found = token_at(text, at, no_jwt_before);
    return found && (begins || is_random(text.substr(found->at, found->size))) ? found
                                                                               : std::nullopt;
}

}  // namespace headway::core
