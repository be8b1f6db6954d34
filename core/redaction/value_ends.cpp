// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/value_ends.hpp"

#include <algorithm>
#include <array>

#include "core/redaction/secret_shapes.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kPasswordMax = 512;  // longer words are no passwords

constexpr std::size_t kColourMax = 24;  // bytes of a colour code, as ESC [1;38;5;208m

bool in_colour(char c) {
    return (c >= '0' && c <= '9') || c == ';';
}

/// A measure such as `12ms`, `0.5GB`, `10:30pm`.
bool is_a_measure(std::string_view word) {
    const std::size_t unit = std::min(word.find_first_not_of("0123456789.:,-+"), word.size());
    return unit > 0 && word.size() - unit <= 4;
}

/// `sha256`, `varchar2`, `base64url`
bool is_a_method(std::string_view word) {
    static constexpr std::array<std::string_view, 20> kMethods{
        "sha",    "md5",    "base64", "base32",  "aes",  "utf",    "argon2",
        "bcrypt", "pbkdf2", "scrypt", "varchar", "int",  "float",  "rsa",
        "hmac",   "oauth",  "tls",    "x509",    "http", "ed25519"};
    constexpr std::size_t kMethodMax = 16;
    if (word.size() > kMethodMax) return false;
    return std::any_of(kMethods.begin(), kMethods.end(), [word](std::string_view method) {
        return word.size() >= method.size() &&
               std::equal(method.begin(), method.end(), word.begin(),
                          [](char a, char b) { return a == lower(b); });
    });
}

/// `./x2`, `/etc/x2`, `notes2.txt`, `x2.example.com`
bool is_a_place(std::string_view word) {
    const std::size_t dot = word.rfind('.');
    const bool name =
        dot != word.npos && word.size() - dot <= 6 && dot + 1 < word.size() &&
        std::all_of(word.begin() + static_cast<std::ptrdiff_t>(dot) + 1, word.end(), is_letter);
    return name || word.front() == '/' || word.front() == '.' || word.front() == '~' ||
           word.find("://") != word.npos;
}

bool in_cookie_name(char c) {
    return !is_space(c) && std::string_view{"=;,\"'`$()<>|&\\"}.find(c) == std::string_view::npos;
}

/// `Wed, 21 Oct 2026 07:28:00 GMT`. A shell would run its second word, a number.
std::size_t size_of_date(std::string_view text) {
    constexpr std::string_view kForm = "Aaa, 00 Aaa 0000 00:00:00 GMT";
    if (text.size() < kForm.size()) return 0;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const char form = kForm[i];
        const char c = text[i];
        const bool dash = c == '-' && (i == 7 || i == 11);
        const bool same = form == '0'                 ? is_digit(c)
                          : is_letter(form) && i < 16 ? is_letter(c)
                                                      : c == form || dash;
        if (!same) return 0;
    }
    return kForm.size();
}

/// True for a name such as PATH or NODE_OPTIONS: a value of it may change the commands behind it.
/// Cookies with such names hold a session.
bool is_variable(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kOfCookies{"SID",    "SESS", "TOKEN",
                                                                "AWSALB", "NID",  "CFID"};
    // As a whole: LESSOPEN names a program.
    static constexpr std::array<std::string_view, 4> kCookies{"REMEMBERME", "MYSAPSSO2",
                                                              "LOGIN_INFO", "SSO"};
    if (contains(kCookies, name)) return false;
    return name.size() > 1 && !mentions(name, kOfCookies) &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

/// Size of a cookie's value: a comma within a word is part of it.
std::size_t size_of_cookie(std::string_view value) {
    std::size_t at = 0;
    while (at < value.size() && !is_space(value[at]) && value[at] != ';') {
        if (value.substr(at).starts_with("$(")) break;
        const bool parts = value[at] == ',' && at + 1 < value.size() && is_space(value[at + 1]);
        if (parts) break;
        ++at;
    }
    return at;
}

/// End of the cookie or attribute behind the `;` or `,` before `at`: at the next of these, or at
/// the end of the line. No position where it could be a command: a shell takes `name=value` for an
/// assignment, and runs the word behind its blank.
std::size_t end_of_cookie(std::string_view line, std::size_t at) {
    static constexpr std::array<std::string_view, 3> kAttributes{"Secure", "HttpOnly",
                                                                 "Partitioned"};
    at += run_of(line, at, is_gap);
    const std::size_t size = run_of(line, at, in_cookie_name);
    const std::string_view name = line.substr(at, size);
    at += size;
    if (is_variable(name)) return line.npos;
    if (line.substr(at).starts_with('=')) {
        ++at;
        const std::size_t date = lower(name) == "expires" ? size_of_date(line.substr(at)) : 0;
        at += date != 0 ? date : size_of_cookie(line.substr(at));
    } else if (!contains(kAttributes, name)) {
        return line.npos;
    }
    const bool ends = at == line.size() || line[at] == ';' || line[at] == ',';
    return size > 0 && ends ? at : line.npos;
}

/// A name in the list of SigV4: `SignedHeaders=host;x-amz-date, Signature=x`
bool is_signed_name(std::string_view text) {
    const std::size_t size = run_of(text, 0, in_name);
    return text.starts_with("x-amz-") || text.substr(0, size) == "host" ||
           text.substr(0, size) == "range" || text.substr(0, size) == "content-type";
}

/// Its end: where the next `;` is, or the line ends.
std::size_t end_of_signed(std::string_view line, std::size_t at) {
    constexpr std::string_view kSignature = ", Signature=";
    constexpr std::string_view kTight = ",Signature=";
    at += run_of(line, at, in_name);
    const std::string_view rest = line.substr(at);
    if (rest.starts_with(kSignature)) at += kSignature.size();
    if (rest.starts_with(kTight)) at += kTight.size();
    at += run_of(line, at, is_word);
    return at == line.size() || line[at] == ';' ? at : line.npos;
}

/// The closing backtick of a command that stands in backticks; `at` is behind its first word. Where
/// another backtick or a backslash comes before it, it may be something else; then 0.
std::size_t end_of_code(std::string_view text, std::size_t at) {
    constexpr std::size_t kLooked = 512;
    std::size_t word = at;
    while (word > 0 && is_gap(text[word - 1]))
        --word;
    while (word > 0 && is_letter(text[word - 1]))
        --word;
    if (word == 0 || word > kLooked || text[word - 1] != '`') return 0;
    const std::string_view before = text.substr(0, word - 1);
    const bool alone = before.find_first_of("`\\") == before.npos &&
                       (before.empty() || before.back() == ' ' || before.back() == '\n');
    const std::size_t end = text.substr(0, at + 2 * kLooked).find_first_of("`\\\n", at);
    return alone && end != text.npos && text[end] == '`' ? end : 0;
}

}  // namespace

std::size_t after_colour(std::string_view text, std::size_t at) {
    if (!text.substr(at).starts_with("\x1b[")) return at;
    std::size_t end = at + 2;
    while (end < text.size() && end - at < kColourMax && in_colour(text[end]))
        ++end;
    return end < text.size() && text[end] == 'm' ? end + 1 : at;
}

std::size_t before_colour(std::string_view text, std::size_t end) {
    if (end == 0 || text[end - 1] != 'm') return end;
    std::size_t from = end - 1;
    while (from > 0 && end - from < kColourMax && in_colour(text[from - 1]))
        --from;
    return text.substr(0, from).ends_with("\x1b[") ? from - 2 : end;
}

bool stands_for_one(std::string_view value) {
    constexpr std::string_view kPlaces = "$<{%*[(";
    return value.empty() || kPlaces.find(value.front()) != std::string_view::npos;
}

std::size_t behind_backslashes(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] == '\\')
        ++at;
    return at;
}

std::size_t end_of_quoted(std::string_view text, std::size_t at, char quote,
                          std::size_t backslashes) {
    bool loose = false;
    const std::size_t begin = at;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\\' && backslashes == 0) {
            ++at;  // takes the next character with it; a shell: not in single quotes
            loose = loose || (quote == '\'' && at < text.size() && text[at] == quote);
            continue;
        }
        if (c == '\\') {
            const std::size_t end = behind_backslashes(text, at);
            const bool closes = end < text.size() && text[end] == quote && end - at <= backslashes;
            if (closes) return at;
            at = end;
            continue;
        }
        const bool doubled = c == quote && at + 1 < text.size() && text[at + 1] == quote;
        if (doubled) ++at;
        loose = loose || doubled || (c != quote && is_quote(c) && c != '`');
        if (c == quote && !doubled) return at;
        if (loose && is_gap(c)) break;
        if (std::string_view{"\n;|&<>()`"}.find(c) != std::string_view::npos) break;
    }
    at = std::min(at, text.size());
    while (loose && at > begin && is_quote(text[at - 1]))
        --at;  // it may end the text in which all of this stands
    return at;
}

std::size_t size_of_header(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && line[at] != ';') {
        if (line.substr(at).starts_with("$(")) return at;
        ++at;
    }
    std::size_t shown = at;  // what a shell would run begins here
    while (at < line.size()) {
        const bool signed_header = line.starts_with("AWS4-") && is_signed_name(line.substr(at + 1));
        const std::size_t end =
            signed_header ? end_of_signed(line, at + 1) : end_of_cookie(line, at + 1);
        if (end == line.npos) return shown;
        at = end;
        if (at == line.size() || line[at] == ';') shown = at;
    }
    return shown;
}

bool goes_on(char c, char next) {
    if (c == '$') return !is_letter(next) && next != '_' && next != '{' && next != '(';
    return c == '\\' && !is_word(next) && next != '"' && next != '\\' && next != '\n' &&
           next != '\r';
}

bool looks_secret(std::string_view word) {
    constexpr std::size_t kBytesMin = 6;
    if (word.size() < kBytesMin || word.size() > kPasswordMax) return false;
    const auto letters = std::count_if(word.begin(), word.end(), is_letter);
    return letters > 1 && holds_digit(word) && !is_a_measure(word) && !is_a_method(word) &&
           !is_a_place(word);
}

bool is_run_by_backticks(std::string_view words, bool assigned) {
    // A shell may make blanks and folders of the others: `rm${IFS}x`.
    constexpr std::string_view kPlain = "_+-=!@#%^.,:";
    const bool plain = std::all_of(words.begin(), words.end(), [&](char c) {
        return is_letter(c) || is_digit(c) || kPlain.find(c) != kPlain.npos;
    });
    return !plain || !looks_secret(words) || (assigned && is_program_name(words));
}

bool is_program_name(std::string_view word) {
    const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
    return !std::any_of(word.begin(), word.end(), capital) ||
           !std::any_of(word.begin(), word.end(), small) || !holds_digit(word) ||
           word.find_first_of("/.") != word.npos;
}

std::optional<SecretSpan> value_below(std::string_view text, std::size_t at) {
    constexpr std::string_view kEnds = " \t\r\n\"'`$;|&<>(){}\\";
    const std::string_view rest = text.substr(at, 3);
    const bool triple = rest == "\"\"\"" || rest == "'''";
    const bool block = !rest.empty() && (rest[0] == '>' || rest[0] == '|');
    if (!triple && !block) return std::nullopt;
    std::size_t from = at + (triple ? 3 : 1);
    if (block && from < text.size() && (text[from] == '-' || text[from] == '+')) ++from;
    if (from < text.size() && text[from] == '\r') ++from;
    if (from >= text.size() || text[from] != '\n') return std::nullopt;
    const std::size_t line = ++from;
    while (from < text.size() && is_gap(text[from]) && from - line < kGapMax)
        ++from;
    const std::string_view bounded = text.substr(0, from + kPasswordMax);
    const std::size_t end = std::min(bounded.find_first_of(kEnds, from), bounded.size());
    const std::string_view word = text.substr(from, end - from);
    const bool whole = end == text.size() || text[end] == '\n' || text[end] == '\r' ||
                       (triple && text.substr(end).starts_with(rest));
    if (word.empty() || !whole) return std::nullopt;
    const bool shown = (block && from == line) || !looks_secret(word) || is_program_name(word);
    return shown ? std::nullopt : std::optional{SecretSpan{from, word.size()}};
}

bool runs_another(std::string_view text, std::size_t begin, std::size_t at) {
    constexpr std::size_t kCommandMax = 1024;
    const std::size_t code = end_of_code(text, begin);
    if (code > at) text = text.substr(0, code);
    const std::size_t most = std::min(text.size(), at + kCommandMax);
    for (; at < most; ++at) {
        const char c = text[at];
        if (c == '`' ||
            (c == '(' && std::string_view{"$<>"}.find(text[at - 1]) != std::string_view::npos))
            return true;
        if (c == ';' || c == '|' || c == '&' || (c == '\n' && text[at - 1] != '\\')) return false;
    }
    return most < text.size();
}

std::size_t behind_anchor(std::string_view text, std::size_t at) {
    constexpr std::size_t kAnchorMax = 32;
    if (at >= text.size() || text[at] != '&') return at;
    const std::size_t size = run_of(text.substr(0, at + kAnchorMax), at + 1, in_name);
    const std::size_t behind = at + 1 + size;
    return size > 0 && behind < text.size() && text[behind] == ' ' ? behind + 1 : at;
}

}  // namespace headway::core
