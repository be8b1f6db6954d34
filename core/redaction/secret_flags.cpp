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

struct CommandWord {
    std::string_view name;
    Tool tool;
};
constexpr std::array<CommandWord, 34> kCommands{{{"mysql", Tool::kMysql},
                                                 {"mysqldump", Tool::kMysql},
                                                 {"mysqlimport", Tool::kMysql},
                                                 {"mysqlsh", Tool::kMysql},
                                                 {"mysqladmin", Tool::kMysql},
                                                 {"mariadb", Tool::kMysql},
                                                 {"mariadb-dump", Tool::kMysql},
                                                 {"mariadb-admin", Tool::kMysql},
                                                 {"sshpass", Tool::kSshpass},
                                                 {"redis-cli", Tool::kRedis},
                                                 {"zip", Tool::kZip},
                                                 {"unzip", Tool::kZip},
                                                 {"7z", Tool::kSevenZip},
                                                 {"7za", Tool::kSevenZip},
                                                 {"7zz", Tool::kSevenZip},
                                                 {"rar", Tool::kSevenZip},
                                                 {"unrar", Tool::kSevenZip},
                                                 {"smbclient", Tool::kSamba},
                                                 {"rpcclient", Tool::kSamba},
                                                 {"smbget", Tool::kSamba},
                                                 {"ldapsearch", Tool::kLdap},
                                                 {"ldapmodify", Tool::kLdap},
                                                 {"ldapadd", Tool::kLdap},
                                                 {"ldapdelete", Tool::kLdap},
                                                 {"ldapwhoami", Tool::kLdap},
                                                 {"ldappasswd", Tool::kLdap},
                                                 {"lftp", Tool::kLftp},
                                                 {"curl", Tool::kCurl},
                                                 {"http", Tool::kHttpie},
                                                 {"xh", Tool::kHttpie},
                                                 {"oathtool", Tool::kOathtool},
                                                 {"nmcli", Tool::kNmcli},
                                                 {"login", Tool::kLogin},
                                                 {"secret", Tool::kGhSecret}}};

/// For each first letter, the lengths of these words, as a bit set: nearly all words of a text are
/// excluded by one look.
constexpr std::array<std::uint32_t, 256> command_lengths() {
    std::array<std::uint32_t, 256> table{};
    for (const CommandWord& command : kCommands)
        table[static_cast<unsigned char>(command.name[0])] |= 1U << command.name.size();
    return table;
}
constexpr auto kCommandLengths = command_lengths();

/// Where the value of a flag stands.
enum class ValueForm : std::uint8_t { kAttached, kSpaced, kEither, kFirstArgument };

struct PasswordFlag {
    Tool tool;
    std::string_view name;
    ValueForm form;
    char behind = '\0';  ///< the secret begins behind the first of these: `user:password`
};

constexpr std::array<PasswordFlag, 19> kPasswordFlags{
    {{Tool::kMysql, "-p", ValueForm::kAttached},
     {Tool::kSshpass, "-p", ValueForm::kFirstArgument},
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
    if (flag.form == ValueForm::kFirstArgument && !first) return std::nullopt;
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
    const bool quoted = from < text.size() && is_quote(text[from]) && text[from] != '`';
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

std::optional<SecretSpan> quoted_behind(std::string_view text, const SecretSpan& begin) {
    const std::size_t at = begin.at + begin.size;
    const std::size_t quote = behind_backslashes(text, at);
    const bool quoted = quote < text.size() && (text[quote] == '"' || text[quote] == '\'');
    // A quote in front of the begin is the one that ends it.
    const bool inside = begin.at > 0 && quoted && text[begin.at - 1] == text[quote];
    return quoted && !inside ? argument_at(text, at) : std::nullopt;
}

bool is_argument_secret(std::string_view value) {
    static constexpr std::array<std::string_view, 16> kPlaceholders{
        "password", "passwd", "pass", "secret", "token",    "key",    "your",  "none",
        "null",     "true",   "yes",  "string", "required", "prompt", "https", "ssh"};
    constexpr std::size_t kBytesMin = 3;
    const std::string small = lower(value.substr(0, kGapMax));
    return value.size() >= kBytesMin && value.front() != '-' &&
           std::any_of(value.begin(), value.end(), is_word) &&
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

bool is_command_at(std::string_view text, std::size_t start) {
    static constexpr std::array<std::string_view, 11> kBefore{
        "sudo", "env", "time", "nohup", "command", "xargs", "then", "do", "else", "!", "--"};
    // `docker exec -i db mysql`, `ssh host mysql`: the name of the machine stands between.
    static constexpr std::array<std::string_view, 5> kInside{"exec", "-it", "-ti", "run", "ssh"};
    constexpr std::string_view kSigns = ";|&({`\"'";
    const auto place = [text](std::string_view word) {
        return static_cast<std::size_t>(word.data() - text.data());
    };
    if (start > 0 && text[start - 1] == '/') start = place(word_in_front(text, start));
    const std::string_view front = word_in_front(text, start);
    const std::size_t line = place(front);
    if (front.empty()) return line < 2 || text[line - 1] != '\n' || text[line - 2] != '\\';
    if (kSigns.find(front.back()) != kSigns.npos || contains(kBefore, front)) return true;
    if (front.front() == '-') return false;
    const bool variable = is_letter(front.front()) && front.find('=') != front.npos;
    const std::string_view second = word_in_front(text, line);
    if (second == "-i" || second == "-t") return word_in_front(text, place(second)) == "exec";
    return variable || contains(kInside, second);
}

Tool tool_of(std::string_view text, std::size_t start, std::string_view word) {
    const std::uint32_t lengths = kCommandLengths[static_cast<unsigned char>(word[0])];
    if (word.size() >= 32 || (lengths >> word.size() & 1U) == 0) return Tool::kNone;
    const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                      [word](const CommandWord& c) { return c.name == word; });
    if (command == kCommands.end()) return Tool::kNone;
    static constexpr std::array<std::string_view, 9> kLogins{
        "docker", "podman", "nerdctl", "buildah", "registry", "oras", "auth", "skopeo", "az"};
    const std::string_view front = word_in_front(text, start);
    const bool known = command->tool == Tool::kGhSecret ? front == "gh"
                       : command->tool == Tool::kLogin  ? contains(kLogins, front)
                                                        : is_command_at(text, start);
    return known ? command->tool : Tool::kNone;
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
        // A comma at the end is none of most arguments.
        if (text.substr(found->at + found->size).starts_with(flag.behind)) ++found->size;
        const std::size_t parting = text.substr(found->at, found->size).find(flag.behind);
        if (parting == std::string_view::npos) return std::nullopt;  // a user alone
        const std::size_t skipped = parting + 1;
        found = skipped == found->size ? quoted_behind(text, *found)
                                       : SecretSpan{found->at + skipped, found->size - skipped};
    }
    if (!found || stands_for_one(text.substr(found->at, found->size)) ||
        !is_argument_secret(text.substr(found->at, found->size)))
        return std::nullopt;
    return found;
}

void leave_command(std::string_view text, std::size_t at, CommandSeen& seen) {
    const char c = text[at];
    if (c == '\n' && at > 0 && text[at - 1] == '\\') return;  // goes on in the next line
    if (seen.tool == Tool::kNone) return;
    // Within a word in quotes it parts nothing, as in a URL.
    constexpr std::size_t kQuotedMax = 256;
    std::size_t from = at;
    while (from > 0 && !is_space(text[from - 1]) && at - from < kQuotedMax)
        --from;
    const std::string_view word = text.substr(from, at - from);
    const bool open = !word.empty() && is_quote(word[0]) && word[0] != '`' &&
                      std::count(word.begin(), word.end(), word[0]) == 1;
    if (!open) seen = {};
}

}  // namespace headway::core
