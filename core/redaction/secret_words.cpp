// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/secret_words.hpp"

#include <algorithm>
#include <array>

#include "core/redaction/secret_shapes.hpp"
#include "core/redaction/value_ends.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// Words that a statement or command with a secret begins with.
enum class Opener : std::uint8_t {
    kNone,
    kEcho,
    kIdentified,
    kSecureString,
    kHtpasswd,
    kWpa,
    kNetUser
};
struct OpeningWord {
    std::string_view name;
    Opener opener;
};
constexpr std::array<OpeningWord, 7> kOpenings{{{"echo", Opener::kEcho},
                                                {"printf", Opener::kEcho},
                                                {"identified", Opener::kIdentified},
                                                {"convertto-securestring", Opener::kSecureString},
                                                {"htpasswd", Opener::kHtpasswd},
                                                {"wpa_passphrase", Opener::kWpa},
                                                {"user", Opener::kNetUser}}};

/// For each first letter, the lengths of these words, as a bit set: nearly all words of a text
/// are excluded by one look.
constexpr std::array<std::uint32_t, 256> lengths_by_letter() {
    std::array<std::uint32_t, 256> table{};
    for (const OpeningWord& opening : kOpenings) {
        const auto letter = static_cast<unsigned char>(opening.name[0]);
        table[letter] |= 1U << opening.name.size();
        table[letter - 'a' + 'A'] |= 1U << opening.name.size();
    }
    return table;
}
constexpr auto kWordLengths = lengths_by_letter();

bool is_same_word(std::string_view word, std::string_view small) {
    return word.size() == small.size() && std::equal(small.begin(), small.end(), word.begin(),
                                                     [](char a, char b) { return a == lower(b); });
}

bool ends_word(std::string_view word, std::string_view small) {
    return word.size() >= small.size() &&
           is_same_word(word.substr(word.size() - small.size()), small);
}

/// True for `DB_PASSWORD` and the like; a token or a key has other things behind it, too.
bool is_strong(std::string_view word) {
    const char last = lower(word.back());
    if (last != 'd' && last != 'e' && last != 'y') return false;
    return ends_word(word, "password") || ends_word(word, "passwd") ||
           ends_word(word, "passphrase") || ends_word(word, "secret_access_key");
}

std::size_t behind_gap(std::string_view text, std::size_t at) {
    const std::size_t from = at;
    while (at < text.size() && is_gap(text[at]) && at - from < kGapMax)
        ++at;
    return at;
}

bool ends_line(std::string_view text, std::size_t at) {
    const std::size_t end = behind_gap(text, at);
    return end == text.size() || text[end] == '\n' || text[end] == '\r';
}

/// True if only blanks and the bars of a table are before `at` in its line.
bool begins_line(std::string_view text, std::size_t at) {
    std::size_t from = at;
    while (from > 0 && at - from < kGapMax && (is_gap(text[from - 1]) || text[from - 1] == '|'))
        --from;
    return from == 0 || text[from - 1] == '\n';
}

std::string_view text_of(std::string_view text, SecretSpan span) {
    return text.substr(span.at, span.size);
}

std::optional<SecretSpan> if_secret(std::string_view text, std::optional<SecretSpan> span) {
    return span && looks_secret(text_of(text, *span)) ? span : std::nullopt;
}

/// End of `words` at `at`, without regard to case, or 0.
std::size_t behind_words(std::string_view text, std::size_t at, std::string_view words) {
    return is_same_word(text.substr(std::min(at, text.size()), words.size()), words)
               ? at + words.size()
               : 0;
}

/// A word of a sentence; Markdown quotes it with backticks.
std::optional<SecretSpan> word_at(std::string_view text, std::size_t at) {
    if (!text.substr(std::min(at, text.size())).starts_with('`')) return argument_at(text, at);
    const auto found = argument_at(text, at + 1);
    return found && !is_run_by_backticks(text_of(text, *found), false) ? found : std::nullopt;
}

/// `password is: x`, `password is x.`, `password is generated for root@localhost: x`
std::optional<SecretSpan> in_sentence(std::string_view text, std::size_t end) {
    if (const std::size_t colon = behind_words(text, end, " is: "))
        return if_secret(text, word_at(text, colon));
    if (const std::size_t who = behind_words(text, end, " is generated for ")) {
        const std::size_t colon = text.substr(0, who + kGapMax).find(": ", who);
        return colon == text.npos ? std::nullopt : if_secret(text, word_at(text, colon + 2));
    }
    const std::size_t from = behind_words(text, end, " is ");
    if (from == 0) return std::nullopt;
    auto found = word_at(text, from);
    if (!found) return std::nullopt;
    if (text_of(text, *found).ends_with('.')) --found->size;
    std::size_t last = found->at + found->size;
    while (last < text.size() && (is_quote(text[last]) || text[last] == '.'))
        ++last;
    return ends_line(text, last) ? if_secret(text, found) : std::nullopt;
}

/// `PASSWORD 'x'`, `with password 'x'`, `PASSWORD('x')` of SQL
std::optional<SecretSpan> in_statement(std::string_view text, std::size_t start, std::size_t end) {
    const std::string_view word = text.substr(start, end - start);
    const std::string before = lower(word_in_front(text, start));
    const bool capitals = word == "PASSWORD";
    const bool lead = before == "with" || before == "encrypted" || before == "set";
    if (!capitals && !(lead && is_same_word(word, "password"))) return std::nullopt;
    const std::size_t from = capitals && text[end] == '(' ? end + 1 : behind_gap(text, end);
    const std::size_t quote = behind_backslashes(text, from);
    if (from == end || quote >= text.size() || (text[quote] != '\'' && text[quote] != '"'))
        return std::nullopt;
    const auto found = argument_at(text, from);
    return found && is_argument_secret(text_of(text, *found)) ? found : std::nullopt;
}

/// `password    x` and `| password | x |` of a table, `password x` of .netrc
std::optional<SecretSpan> in_row(std::string_view text, std::size_t start, std::size_t end) {
    std::size_t from = behind_gap(text, end);
    const bool key = ends_word(text.substr(start, end - start), "secret_access_key");
    if (key && from > end) return if_secret(text, argument_at(text, from));
    const std::string_view front = word_in_front(text, start);
    const auto login = static_cast<std::size_t>(front.data() - text.data());
    const bool netrc = !front.empty() && word_in_front(text, login) == "login";
    if (netrc && from > end) return if_secret(text, argument_at(text, from));
    if (!begins_line(text, start)) return std::nullopt;
    const bool table = from < text.size() && text[from] == '|';
    if (table) from = behind_gap(text, from + 1);
    if (from == end) return std::nullopt;
    const auto found = argument_at(text, from);
    if (!found) return std::nullopt;
    const std::size_t last = behind_gap(text, found->at + found->size);
    // For a shell, the bars are pipes and the word between them is a program.
    if (table && is_program_name(text_of(text, *found))) return std::nullopt;
    const bool closed = table ? last < text.size() && text[last] == '|' : ends_line(text, last);
    return closed ? if_secret(text, found) : std::nullopt;
}

/// `IDENTIFIED BY 'x'`, `identified with caching_sha2_password by 'x1'`
std::optional<SecretSpan> identified_by(std::string_view text, std::size_t start, std::size_t end) {
    std::size_t by = behind_words(text, end, " by ");
    if (const std::size_t with = behind_words(text, end, " with ")) {
        const std::size_t method = std::min(text.find(' ', with), text.size());
        by = method - with < kGapMax ? behind_words(text, method, " by ") : 0;
    }
    if (by == 0) return std::nullopt;
    if (const std::size_t word = behind_words(text, by, "password ")) by = word;
    const auto found = argument_at(text, by);
    if (!found) return std::nullopt;
    // In small letters it may be a sentence.
    const bool quoted = found->at > by && text.substr(start, 10) == "IDENTIFIED";
    return quoted ? found : if_secret(text, found);
}

/// True if what reads the output at `at` takes it for a secret.
bool reads_secret(std::string_view text, std::size_t at) {
    constexpr std::size_t kReaderMax = 96;
    static constexpr std::array<std::string_view, 5> kReaders{
        " --password-stdin", " --with-token", "secret put ", " passwd --stdin", " -S "};
    std::string_view rest = text.substr(at, kReaderMax);
    rest = rest.substr(0, rest.find_first_of("\n;|&"));
    const bool sudo = rest.starts_with(" sudo ") || rest.starts_with("sudo ");
    return std::any_of(kReaders.begin(), kReaders.end(), [&](std::string_view reader) {
        return (reader != kReaders.back() || sudo) && rest.find(reader) != rest.npos;
    });
}

/// The program behind a bar: behind `sudo` with its flags, assignments and a folder of programs.
std::size_t program_behind(std::string_view text, std::size_t at) {
    constexpr int kPassedMax = 6;
    static constexpr std::array<std::string_view, 8> kPassed{"sudo", "npx", "-S", "-n",
                                                             "-E",   "-H",  "-k", "--"};
    at = behind_gap(text, at);
    for (int passed = 0; passed < kPassedMax; ++passed) {
        const std::size_t size = text.substr(at, kGapMax).find_first_of(" \t\n\"'`$;|&<>(){}\\");
        if (size == text.npos || size == 0 || text[at + size] != ' ') break;
        const std::string_view word = text.substr(at, size);
        const bool assigns = is_letter(word[0]) && word.find('=') != word.npos;
        if (!assigns && !contains(kPassed, word)) break;
        at = behind_gap(text, at + size);
    }
    for (const std::string_view folder : {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/"}) {
        if (text.substr(at).starts_with(folder)) return at + folder.size();
    }
    return at;
}

bool is_one_at(std::string_view text, std::size_t at, const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return behind_words(text, at, name) != 0; });
}

/// True if the program at `at` takes its input for a secret, and runs none of it.
bool takes_secret(std::string_view text, std::size_t at) {
    static constexpr std::array<std::string_view, 12> kReaders{
        "docker login ",  "podman login ",    "nerdctl login ",       "buildah login ",
        "skopeo login ",  "oras login ",      "crane auth login ",    "helm registry login ",
        "gh auth login ", "glab auth login ", "wrangler secret put ", "passwd "};
    return is_one_at(text, at, kReaders);
}

/// True if the program at `at`, which `sudo -S` starts, runs nothing of what is left of the input.
bool reads_no_commands(std::string_view text, std::size_t at) {
    static constexpr std::array<std::string_view, 20> kPrograms{
        "apt ",       "apt-get ", "dpkg ",  "dnf ",     "yum ",   "pacman ", "snap ",
        "systemctl ", "cp ",      "mkdir ", "rm ",      "mv ",    "ln ",     "chmod ",
        "chown ",     "ls ",      "ufw ",   "service ", "reboot", "mount "};
    return is_one_at(text, at, kPrograms);
}

/// `echo x | sudo -S`, `echo root:x | chpasswd`
std::optional<SecretSpan> piped(std::string_view text, std::size_t end) {
    std::size_t from = behind_gap(text, end);
    for (const std::string_view skipped : {"-n ", "-e ", "'%s' ", "\"%s\" ", "'%s\\n' "}) {
        if (text.substr(from).starts_with(skipped)) from += skipped.size();
    }
    auto found = argument_at(text, from);
    if (!found) return std::nullopt;
    const auto parted =
        text_of(text, *found).ends_with(':') ? quoted_behind(text, *found) : std::nullopt;
    if (parted) found = parted;
    std::size_t bar = found->at + found->size;
    bar = behind_backslashes(text, bar);
    if (bar < text.size() && is_quote(text[bar])) ++bar;
    bar = behind_gap(text, bar);
    if (bar + 1 >= text.size() || text[bar] != '|' || text[bar + 1] == '|') return std::nullopt;
    if (runs_another(text, end, bar + 1)) return std::nullopt;
    const std::size_t next = behind_gap(text, bar + 1);
    const std::size_t sudo = behind_words(text, next, "sudo ");
    const bool users = behind_words(text, std::max(next, sudo), "chpasswd") != 0;
    if (parted && !users) return std::nullopt;
    if (users && !parted) {
        const std::size_t colon = text_of(text, *found).find(':');
        if (colon == text.npos) return std::nullopt;
        found = SecretSpan{found->at + colon + 1, found->size - colon - 1};
    } else if (!users && !reads_secret(text, bar + 1)) {
        return std::nullopt;
    } else if (const std::size_t program = program_behind(text, next);
               !users && !takes_secret(text, program)) {
        // A shell behind the bar would run them.
        const std::string_view words = text_of(text, *found);
        if (words.find_first_of(" \t/") != words.npos) return std::nullopt;
        const bool secret = looks_secret(words) && !is_program_name(words);
        if (!secret && !reads_no_commands(text, program)) return std::nullopt;
    }
    return is_argument_secret(text_of(text, *found)) ? found : std::nullopt;
}

/// The argument of that number behind a command, in which no flag is counted.
std::optional<SecretSpan> argument_of(std::string_view text, std::size_t end, int number) {
    constexpr int kFlagsMax = 4;
    constexpr std::size_t kPassedMax = 128;
    std::size_t at = end;
    for (int flags = 0; number > 0 && flags <= kFlagsMax;) {
        const std::size_t from = behind_gap(text, at);
        if (from == at || from >= text.size()) return std::nullopt;
        if (text[from] == '-') {
            ++flags;
            at = from + run_of(text.substr(0, from + kPassedMax), from, in_name);
            continue;
        }
        const auto found = argument_at(text, from);
        if (!found) return std::nullopt;
        if (--number == 0) return found;
        at = found->at + found->size;
        if (at < text.size() && is_quote(text[at])) ++at;
    }
    return std::nullopt;
}

/// `htpasswd -b file user x`, `htpasswd -nb user x`
std::optional<SecretSpan> of_htpasswd(std::string_view text, std::size_t end) {
    const std::size_t from = behind_gap(text, end);
    if (from >= text.size() || text[from] != '-') return std::nullopt;
    const std::string_view flags = text.substr(from, run_of(text, from, in_name));
    if (flags.find('b') == flags.npos) return std::nullopt;
    return argument_of(text, end, flags.find('n') == flags.npos ? 3 : 2);
}

bool is_net_user(std::string_view text, std::size_t user) {
    const std::string_view net = word_in_front(text, user);
    return net == "net" && is_command_at(text, static_cast<std::size_t>(net.data() - text.data()));
}

std::optional<SecretSpan> opened_by(std::string_view text, std::size_t start, std::size_t end,
                                    Opener opener) {
    std::optional<SecretSpan> found;
    switch (opener) {
        case Opener::kEcho:
            return is_command_at(text, start) ? piped(text, end) : std::nullopt;
        case Opener::kIdentified:
            return identified_by(text, start, end);
        case Opener::kSecureString: {
            const std::size_t from = behind_gap(text, end);
            const std::size_t named = behind_words(text, from, "-string ");
            found = argument_at(text, std::max(from, named));
            break;
        }
        case Opener::kHtpasswd:
            if (is_command_at(text, start)) found = of_htpasswd(text, end);
            break;
        case Opener::kWpa:
            if (is_command_at(text, start)) found = argument_of(text, end, 2);
            break;
        case Opener::kNetUser:
            if (!is_net_user(text, start)) return std::nullopt;
            return if_secret(text, argument_of(text, end, 2));
        case Opener::kNone:
            break;
    }
    return found && is_argument_secret(text_of(text, *found)) ? found : std::nullopt;
}

}  // namespace

std::optional<SecretSpan> behind_word(std::string_view text, std::size_t start, std::size_t end,
                                      CommandSeen& seen) {
    constexpr std::size_t kWordMax = 64;
    const std::string_view word = text.substr(start, end - start);
    if (word.size() > kWordMax || end >= text.size()) return std::nullopt;
    const char next = text[end];
    if (next != ' ' && next != '\t' && next != '(') return std::nullopt;
    if (const Tool tool = tool_of(text, start, word); tool != Tool::kNone) seen = {tool, end};
    const std::uint32_t lengths = kWordLengths[static_cast<unsigned char>(word[0])];
    if (word.size() < 32 && (lengths >> word.size() & 1U) != 0) {
        for (const OpeningWord& opening : kOpenings) {
            if (is_same_word(word, opening.name))
                return opened_by(text, start, end, opening.opener);
        }
    }
    if (!is_strong(word)) return std::nullopt;
    const bool sets =
        seen.tool == Tool::kNmcli || text.substr(0, seen.end).ends_with("admin");  // mysqladmin
    if (sets && is_same_word(word, "password")) {
        const auto found = argument_at(text, behind_gap(text, end));
        if (found && is_argument_secret(text_of(text, *found))) return found;
    }
    auto found = in_sentence(text, end);
    if (!found) found = in_statement(text, start, end);
    return found ? found : in_row(text, start, end);
}

std::optional<SecretSpan> pgpass_at(std::string_view text, std::size_t colon) {
    const std::size_t from = colon + 1;
    if (from >= text.size() || !is_word(text[from])) return std::nullopt;
    const auto field = [text](std::size_t end) {
        std::size_t begin = end;
        while (begin > 0 && end - begin < kGapMax &&
               (in_name(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '*'))
            --begin;
        return text.substr(begin, end - begin);
    };
    const auto begin = [text](std::string_view part) {
        return static_cast<std::size_t>(part.data() - text.data());
    };
    std::array<std::string_view, 4> fields;  // user, database, port, host
    std::size_t end = colon;
    for (std::string_view& one : fields) {
        one = field(end);
        if (one.empty()) return std::nullopt;
        const std::size_t at = begin(one);
        const bool host = &one == &fields.back();
        if (host ? at > 0 && text[at - 1] != '\n' : at == 0 || text[at - 1] != ':')
            return std::nullopt;
        end = at - (host ? 0 : 1);
    }
    const bool port = fields[2] == "*" || std::all_of(fields[2].begin(), fields[2].end(), is_digit);
    if (!port || is_digit(fields[1].front()) || is_digit(fields[0].front())) return std::nullopt;
    const auto found = argument_at(text, from);
    return found && ends_line(text, found->at + found->size) ? if_secret(text, found)
                                                             : std::nullopt;
}

}  // namespace headway::core
