// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/redaction/secret_shapes.hpp"
#include "core/redaction/secret_words.hpp"
#include "core/redaction/value_ends.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kArgumentMax = 512;

/// Where the value of a flag stands.
enum class ValueForm : std::uint8_t { kAttached, kSpaced, kEither, kFirst };

struct PasswordFlag {
    Tool tool;
    std::string_view name;
    ValueForm form;
    char behind = '\0';  ///< the secret begins behind the first of these: `user:password`
};

constexpr std::array<PasswordFlag, 19> kPasswordFlags{
    {{Tool::kMysql, "-p", ValueForm::kAttached},
     {Tool::kSshpass, "-p", ValueForm::kFirst},
     {Tool::kLogin, "-p", ValueForm::kEither},
     {Tool::kRedis, "-a", ValueForm::kSpaced},
     {Tool::kRedis, "--pass", ValueForm::kSpaced},
     {Tool::kZip, "-P", ValueForm::kEither},
     {Tool::kSevenZip, "-p", ValueForm::kAttached},
     {Tool::kSamba, "-U", ValueForm::kEither, '%'},
     {Tool::kLdap, "-w", ValueForm::kEither},
     {Tool::kLftp, "-u", ValueForm::kSpaced, ','},
     {Tool::kCurl, "-u", ValueForm::kEither, ':'},
     {Tool::kCurl, "--user", ValueForm::kSpaced, ':'},
     {Tool::kCurl, "-U", ValueForm::kEither, ':'},
     {Tool::kCurl, "--proxy-user", ValueForm::kSpaced, ':'},
     {Tool::kHttpie, "-a", ValueForm::kSpaced, ':'},
     {Tool::kHttpie, "--auth", ValueForm::kSpaced, ':'},
     {Tool::kOathtool, "-b", ValueForm::kSpaced},
     {Tool::kGhSecret, "-b", ValueForm::kSpaced},
     {Tool::kGhSecret, "--body", ValueForm::kSpaced}}};

/// Begin of the value of `flag`, whose name ends at `end`.
std::optional<std::size_t> value_of_flag(std::string_view text, std::size_t at,
                                         const PasswordFlag& flag, const CommandSeen& seen) {
    const std::size_t end = at + flag.name.size();
    if (end >= text.size()) return std::nullopt;
    const bool first = word_in_front(text, at) == word_in_front(text, seen.end);
    if (flag.form == ValueForm::kFirst && !first) return std::nullopt;
    std::size_t from = end;
    while (from < text.size() && is_gap(text[from]) && from - end < kGapMax)
        ++from;
    const bool spaced = from > end;
    if (spaced ? flag.form == ValueForm::kAttached : flag.form == ValueForm::kSpaced)
        return std::nullopt;
    if (!spaced && text[from] == '=') ++from;
    return from;
}

/// `-passin pass:x` of OpenSSL, `-storepass x` of Java: these need no name of a command.
std::optional<SecretSpan> named_flag(std::string_view text, std::size_t at) {
    constexpr std::size_t kFlagMax = 24;
    constexpr std::string_view kPass = "pass:";
    const std::size_t size = run_of(text.substr(0, at + kFlagMax), at, in_name);
    const std::string_view flag = text.substr(at, size);
    const std::size_t from = at + size + 1;
    if (from >= text.size() || text[from - 1] != ' ') return std::nullopt;
    if (flag == "-passin" || flag == "-passout" || flag == "-pass") {
        const std::size_t quote = is_quote(text[from]) ? 1 : 0;
        if (!text.substr(from + quote).starts_with(kPass)) return std::nullopt;
        return argument_at(text, from + quote + kPass.size());
    }
    if (flag.ends_with("storepass") || flag.ends_with("keypass")) return argument_at(text, from);
    return std::nullopt;
}

}  // namespace

std::optional<SecretSpan> argument_at(std::string_view text, std::size_t at) {
    constexpr std::string_view kEnds = " \t\r\n\"'`$;|&<>(){}\\";
    const std::string_view bounded = text.substr(0, std::min(at, text.size()) + kArgumentMax);
    std::size_t from = std::min(behind_backslashes(bounded, at), text.size());
    const std::size_t backslashes = from - std::min(at, from);
    const bool quoted = from < text.size() && is_quote(text[from]);
    std::size_t end = 0;
    if (quoted) {
        end = end_of_quoted(bounded, from + 1, text[from], backslashes);
        ++from;
    } else {
        end = std::min(bounded.find_first_of(kEnds, from), bounded.size());
        if (end > from && bounded[end - 1] == ',') --end;
    }
    if (end <= from || stands_for_one(text.substr(from))) return std::nullopt;
    return SecretSpan{from, end - from};
}

bool is_argument_secret(std::string_view value) {
    static constexpr std::array<std::string_view, 14> kPlaceholders{
        "password", "passwd", "pass", "secret", "token",  "key",      "your",
        "none",     "null",   "true", "yes",    "string", "required", "prompt"};
    constexpr std::size_t kBytesMin = 3;
    const std::string small = lower(value.substr(0, kGapMax));
    return value.size() >= kBytesMin && value.front() != '-' &&
           std::none_of(kPlaceholders.begin(), kPlaceholders.end(), [&small](auto word) {
               return small == word || (word == "your" && small.starts_with(word));
           });
}

std::string_view word_in_front(std::string_view text, std::size_t at) {
    constexpr std::size_t kWordMax = 64;
    std::size_t end = at;
    while (end > 0 && is_gap(text[end - 1]) && at - end < kGapMax)
        --end;
    std::size_t from = end;
    while (from > 0 && !is_space(text[from - 1]) && end - from < kWordMax)
        --from;
    return text.substr(from, end - from);
}

std::optional<SecretSpan> behind_flag(std::string_view text, std::size_t at,
                                      const CommandSeen& seen) {
    std::optional<SecretSpan> found = named_flag(text, at);
    for (const PasswordFlag& flag : kPasswordFlags) {
        if (found || seen.tool == Tool::kNone) break;
        if (flag.tool != seen.tool || !text.substr(at).starts_with(flag.name)) continue;
        const auto from = value_of_flag(text, at, flag, seen);
        if (from) found = argument_at(text, *from);
        if (!found || flag.behind == '\0') continue;
        const std::size_t parting = text.substr(found->at, found->size).find(flag.behind);
        if (parting == std::string_view::npos) return std::nullopt;  // a user alone
        const std::size_t skipped = parting + 1;
        found = SecretSpan{found->at + skipped, found->size - skipped};
    }
    if (!found || stands_for_one(text.substr(found->at, found->size)) ||
        !is_argument_secret(text.substr(found->at, found->size)))
        return std::nullopt;
    return found;
}

void leave_command(std::string_view text, std::size_t at, CommandSeen& seen) {
    const char c = text[at];
    if (c == '\n' && at > 0 && text[at - 1] == '\\') return;  // goes on in the next line
    const char next = at + 1 < text.size() ? text[at + 1] : '\n';
    // A query of the URL of curl; its -u takes a user only.
    const bool query = seen.tool == Tool::kCurl && (c == '&' || c == ';') && is_word(next);
    if (!query) seen = {};
}

}  // namespace headway::core
