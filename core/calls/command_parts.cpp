// SPDX-License-Identifier: Apache-2.0
#include "core/calls/command_parts.hpp"

#include <array>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

// Words that may precede the command of a part.
constexpr WordList<13> kBefore{{"sudo ", "time ", "while ", "until ", "if ", "do ", "then ",
                                "else ", "! ", "nohup ", "env ", "( ", "exec "}};
/// Where a part of a command line may end, and quotes.
constexpr ByteSet kPartMarks{"'\";\n|&"};

}  // namespace

std::string_view plain_command(std::string_view part) {
    for (bool more = true; more;) {
        more = false;
        for (const std::string_view word : kBefore) {
            if (!kBefore.may_begin(part)) break;
            if (!part.starts_with(word)) continue;
            part = trimmed(part.substr(word.size()));
            more = true;
        }
        // `timeout 5 CMD`, `FOO=1 CMD`
        const std::size_t end = part.find(' ');
        const std::string_view first = part.substr(0, end);
        const bool variable = first.find('=') != std::string_view::npos && is_letter(first[0]);
        if (end != std::string_view::npos && variable) {
            part = trimmed(part.substr(end));
            more = true;
        }
        if (part.starts_with("timeout ")) {
            const std::size_t after = part.find(' ', 8);
            if (after == std::string_view::npos) return part;
            part = trimmed(part.substr(after));
            more = true;
        }
    }
    return part;
}

std::string_view without_options(std::string_view part, std::string& buffer) {
    static constexpr std::array<std::string_view, 10> kPrograms{
        "kubectl", "oc", "docker", "git", "gh", "systemctl", "gcloud", "glab", "adb", "tmux"};
    static constexpr std::array<std::string_view, 13> kWithValue{
        "-n",     "--namespace", "--context", "--kubeconfig", "-C", "-c", "-H",
        "--host", "-R",          "--repo",    "-s",           "-L", "-S"};
    const std::size_t name_end = std::min(part.find(' '), part.size());
    const std::string_view name = part.substr(0, name_end);
    std::string_view rest = trimmed(part.substr(name_end));
    if (!rest.starts_with('-') || !contains(kPrograms, name)) return part;
    while (rest.starts_with('-')) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const bool value = contains(kWithValue, rest.substr(0, end));
        rest = trimmed(rest.substr(end));
        if (value) rest = trimmed(rest.substr(std::min(rest.find(' '), rest.size())));
    }
    buffer.assign(name).append(" ").append(rest);
    return buffer;
}

std::string_view next_part(std::string_view& rest) {
    char quote = 0;
    std::size_t i = 0;
    for (; i < rest.size(); ++i) {
        const char c = rest[i];
        if (!kPartMarks.has(c)) continue;
        if (quote != 0) {
            if (c == quote) quote = 0;
            continue;
        }
        if (c == '\'' || c == '"') quote = c;
        if (c == ';' || c == '\n' || c == '|') break;
        if (c == '&' && i + 1 < rest.size() && rest[i + 1] == '&') break;
    }
    const std::string_view part = trimmed(rest.substr(0, i));
    while (i < rest.size() &&
           (rest[i] == ';' || rest[i] == '\n' || rest[i] == '|' || rest[i] == '&'))
        ++i;
    HEADWAY_ASSERT(i > 0 && i <= rest.size());
    rest.remove_prefix(i);
    return part;
}

namespace {

/// True if quotes in it hold a command line, not a query or a program: `ssh host 'echo > f'`.
bool hands_on(std::string_view part) {
    static constexpr WordList<12> kShells{{"ssh", "bash", "sh", "zsh", "su", "sudo", "docker",
                                           "podman", "kubectl", "xargs", "timeout", "eval"}};
    return contains(kShells, part.substr(0, part.find(' ')));
}

/// The end of the quotes that are open at `at`, or `at`; `from` is where it looked before.
struct Quotes {
    char open = 0;
    std::size_t looked = 0;
    bool inside(std::string_view part, std::size_t at) {
        for (; looked < at; ++looked) {
            const char c = part[looked];
            if (open != 0) {
                if (c == open) open = 0;
            } else if (c == '"' || c == '\'') {
                open = c;
            }
        }
        return open != 0;
    }
};

}  // namespace

// A run of > is skipped at once: checking each of its bytes would be quadratic.
bool redirects(std::string_view part) {
    const bool quotes_hold_commands = hands_on(part);
    Quotes quotes;
    for (std::size_t sign = part.find('>'); sign != std::string_view::npos;) {
        const std::size_t here = sign;
        const char before = sign > 0 ? part[sign - 1] : ' ';
        const std::size_t behind = std::min(part.find_first_not_of('>', sign), part.size());
        const std::string_view target = trimmed(part.substr(behind));
        HEADWAY_ASSERT(behind > sign);
        sign = part.find('>', behind);
        if (before == '-' || before == '=' || before == '2') continue;
        // "select ... where total > 100" writes no file.
        if (!quotes_hold_commands && quotes.inside(part, here)) continue;
        if (target.empty() || target.front() == '&' || target.starts_with("/dev/")) continue;
        return is_word(target.front()) || target.front() == '/' || target.front() == '.' ||
               target.front() == '~' || target.front() == '$' || target.front() == '"' ||
               target.front() == '\'';
    }
    return false;
}

std::string without_comments(std::string_view command) {
    if (command.find('#') == command.npos || command.find("<<") != command.npos)
        return std::string{command};
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '#' && (i == 0 || is_space(command[i - 1])) &&
                   (i + 1 == command.size() || is_space(command[i + 1]))) {
            while (i < command.size() && command[i] != '\n')
                ++i;
            while (!out.empty() && (out.back() == ' ' || out.back() == '\t'))
                out.pop_back();
            if (i == command.size()) break;
        }
        out.push_back(command[i]);
    }
    HEADWAY_ASSERT(out.size() <= command.size());
    return out;
}

std::string_view without_documents(std::string_view command, std::string& buffer) {
    if (command.find("<<") == command.npos) return command;
    std::string& out = buffer;
    out.clear();
    std::string_view end;  // the line that ends the document; empty = outside of one
    for (std::string_view rest = command; !rest.empty();) {
        const std::size_t size = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, size);
        rest.remove_prefix(std::min(size + 1, rest.size()));
        if (!end.empty()) {
            if (trimmed(line) == end) end = {};
            continue;
        }
        out.append(line).push_back('\n');
        std::size_t at = line.find("<<");
        if (at == line.npos || line.substr(at).starts_with("<<<")) continue;
        at = line.find_first_not_of("<-~ '\"\\", at);
        if (at == line.npos) continue;
        std::size_t stop = at;
        while (stop < line.size() && is_word(line[stop]))
            ++stop;
        end = line.substr(at, stop - at);
    }
    HEADWAY_ASSERT(out.size() <= command.size() + 1);
    if (!out.empty()) out.pop_back();  // the end of the last line
    return out;
}

CommandParts::CommandParts(std::string_view line) : line_(line) {
    constexpr std::size_t kPartsUsual = 4;
    parts_.reserve(kPartsUsual);
    for (std::string_view rest = without_documents(line, buffer_); !rest.empty();) {
        const std::string_view part = plain_command(next_part(rest));
        if (!part.empty()) parts_.push_back(part);
    }
    HEADWAY_ASSERT(parts_.size() <= line.size());
}

}  // namespace headway::core
