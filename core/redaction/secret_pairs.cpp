// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/redaction/secret_shapes.hpp"
#include "core/redaction/secret_words.hpp"
#include "core/redaction/secrets.hpp"
#include "core/redaction/value_ends.hpp"

// Values whose name is not directly before a sign: beside them in a list, or in a tag.

namespace headway::core {
namespace {

constexpr std::size_t kKeyMax = 64;

bool holds_value(std::string_view key) {
    return key == "value" || key == "Value";
}
bool holds_name(std::string_view key) {
    return key == "name" || key == "Name" || key == "key" || key == "Key";
}

/// The word behind `sign`, with or without quotes; of a path only the last part.
std::string_view word_behind(std::string_view text, std::size_t sign) {
    std::size_t at = sign + 1;
    while (at < text.size() && at - sign < kGapMax &&
           (is_gap(text[at]) || is_quote(text[at]) || text[at] == '\\' || text[at] == '>'))
        ++at;
    std::size_t end = at;
    while (end < text.size() && end - at < kKeyMax &&
           (in_name(text[end]) || text[end] == '/' || text[end] == '.'))
        ++end;
    const std::string_view word = text.substr(at, end - at);
    return word.substr(word.find_last_of('/') + 1);
}

/// True if `between` lies within one object, tag or item of a list.
bool is_one_item(std::string_view between) {
    for (std::size_t at = 0; at < between.size(); ++at) {
        if (between[at] == '}' || between[at] == '<') return false;
        if (between[at] != '\n') continue;
        const std::size_t next = std::min(between.find_first_not_of(" \t", at + 1), between.size());
        if (next == between.size() || between[next] == '-' || between[next] == '\n') return false;
        at = next - 1;
    }
    return true;
}

/// `Pwd` of a connection string; that of a shell is its folder.
bool is_pwd(std::string_view text, std::size_t sign, std::string_view key) {
    constexpr std::string_view kFolders = "/.~\\";
    const std::size_t before = static_cast<std::size_t>(key.data() - text.data());
    return (key == "pwd" || key == "Pwd") && text[sign] == '=' && before > 0 &&
           text[before - 1] == ';' && sign + 1 < text.size() &&
           kFolders.find(text[sign + 1]) == kFolders.npos;
}

}  // namespace

const SecretFinder::Name* SecretFinder::paired(std::string_view text, std::size_t sign,
                                               std::string_view key, Pair& pair) const {
    constexpr std::size_t kApartMax = 256;
    if (holds_value(key)) {
        const Name* name = pair.name;
        pair.name = nullptr;
        if (name == nullptr || sign - pair.at > kApartMax) return nullptr;
        return is_one_item(text.substr(pair.at + 1, sign - pair.at - 1)) ? name : nullptr;
    }
    if (holds_name(key)) {
        pair = {name_of(word_behind(text, sign)), sign};
    } else if ((key == "sensitive" && word_behind(text, sign) == "true") ||
               (key == "Type" && word_behind(text, sign) == "SecureString")) {
        pair = {&names_.front(), sign};
    }
    return is_pwd(text, sign, key) ? &names_.front() : nullptr;
}

std::optional<SecretSpan> SecretFinder::in_element(std::string_view text, std::size_t tag) const {
    constexpr std::size_t kValueMax = 512;
    std::size_t start = tag;
    while (start > 0 && in_name(text[start - 1]) && tag - start < kKeyMax)
        --start;
    const std::string_view key = text.substr(start, tag - start);
    const Name* name = start > 0 && text[start - 1] == '<' ? name_of(key) : nullptr;
    if (name == nullptr || stands_for_one(text.substr(tag + 1))) return std::nullopt;
    const std::string_view bounded = text.substr(0, tag + kValueMax);
    const std::size_t end =
        std::min(bounded.find_first_of(" \t\r\n\"'`$;|&<>(){}\\", tag + 1), bounded.size());
    const std::string_view value = text.substr(tag + 1, end - tag - 1);
    const std::string_view rest = text.substr(end);
    const bool closed = rest.starts_with("</") && rest.substr(2).starts_with(key) &&
                        rest.substr(2 + key.size()).starts_with('>');
    if (!closed || names_secret(value) || !is_literal(value, *name, true, false))
        return std::nullopt;
    return SecretSpan{tag + 1, value.size()};
}

std::optional<SecretSpan> SecretFinder::defined(std::string_view text, std::size_t start,
                                                std::size_t end) const {
    static constexpr std::array<std::string_view, 4> kSetters{"define", "setenv", "putenv",
                                                              "setdefault"};
    if (end + 1 >= text.size() || text[end] != '(' ||
        !contains(kSetters, text.substr(start, end - start)))
        return std::nullopt;
    const auto behind_gaps = [text](std::size_t at) {
        return std::min(text.substr(0, at + kGapMax).find_first_not_of(" \t", at), text.size());
    };
    const std::size_t quote = behind_gaps(end + 1);
    if (quote >= text.size() || !is_quote(text[quote])) return std::nullopt;
    const std::size_t key = quote + 1;
    const std::size_t size = run_of(text.substr(0, key + kKeyMax), key, in_name);
    const Name* name = name_of(text.substr(key, size));
    const std::size_t closing = key + size;
    if (name == nullptr || closing >= text.size() || text[closing] != text[quote])
        return std::nullopt;
    const std::size_t comma = behind_gaps(closing + 1);
    if (comma >= text.size() || text[comma] != ',') return std::nullopt;
    const std::size_t from = behind_gaps(comma + 1);
    if (from >= text.size() || !is_quote(text[from])) return std::nullopt;
    const auto found = argument_at(text, from);
    const bool literal =
        found && is_literal(text.substr(found->at, found->size), *name, true, false);
    return literal ? found : std::nullopt;
}

}  // namespace headway::core
