// SPDX-License-Identifier: Apache-2.0
#include "core/command.hpp"

#include <array>

#include "core/assert.hpp"

namespace headway::core {
namespace {

// What may stand before the command of a part.
constexpr std::array<std::string_view, 13> kBefore{"sudo ", "time ", "while ", "until ", "if ",
                                                   "do ",   "then ", "else ",  "! ",     "nohup ",
                                                   "env ",  "( ",    "exec "};
// Parts that neither look nor act.
constexpr std::array<std::string_view, 13> kAround{
    "cd", "export", "set", "done", "fi", "then", "do", "else", "break", "exit", ":", "true", "pwd"};
constexpr std::array<std::string_view, 46> kLooks{
    "ls",     "cat",  "head",       "tail",       "test",    "[",    "[[",       "stat",
    "grep",   "rg",   "egrep",      "wc",         "du",      "df",   "ps",       "pgrep",
    "pidof",  "lsof", "ss",         "netstat",    "nc",      "ping", "which",    "file",
    "diff",   "cmp",  "date",       "jq",         "sort",    "uniq", "cut",      "tr",
    "uptime", "free", "pg_isready", "journalctl", "getent",  "dig",  "nslookup", "host",
    "tree",   "awk",  "column",     "lsblk",      "findmnt", "yq"};
constexpr std::array<std::string_view, 14> kGitLooks{
    "git status",   "git log",    "git diff",      "git show",  "git branch",
    "git fetch",    "git remote", "git ls-remote", "git blame", "git rev-parse",
    "git ls-files", "git grep",   "git describe",  "git reflog"};
constexpr std::array<std::string_view, 33> kStatus{"kubectl get",
                                                   "kubectl describe",
                                                   "kubectl logs",
                                                   "kubectl rollout status",
                                                   "kubectl wait",
                                                   "kubectl top",
                                                   "docker ps",
                                                   "docker logs",
                                                   "docker inspect",
                                                   "docker compose ps",
                                                   "docker-compose ps",
                                                   "podman ps",
                                                   "squeue",
                                                   "sacct",
                                                   "sinfo",
                                                   "qstat",
                                                   "bjobs",
                                                   "condor_q",
                                                   "nvidia-smi",
                                                   "systemctl status",
                                                   "systemctl is-active",
                                                   "gh run view",
                                                   "gh run list",
                                                   "gh run watch",
                                                   "gh pr checks",
                                                   "gh pr status",
                                                   "gh pr view",
                                                   "glab ci",
                                                   "argocd app get",
                                                   "redis-cli ping",
                                                   "supervisorctl status",
                                                   "gcloud builds list",
                                                   "gcloud builds describe"};

/// True if the part is one of these commands: the name ends with a blank or the part. `test.sh` is
/// not `test`.
template <class List>
bool is_one_of(std::string_view part, const List& list) {
    return std::any_of(std::begin(list), std::end(list), [part](std::string_view name) {
        return part.starts_with(name) && (part.size() == name.size() || part[name.size()] == ' ');
    });
}

std::string_view plain(std::string_view part) {
    for (bool more = true; more;) {
        more = false;
        for (const std::string_view word : kBefore) {
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

/// `kubectl -n shop get pods` as `kubectl get pods`: options that stand before what is done.
/// A view of `part`, or of `buffer`.
std::string_view without_options(std::string_view part, std::string& buffer) {
    static constexpr std::array<std::string_view, 8> kPrograms{
        "kubectl", "oc", "docker", "git", "gh", "systemctl", "gcloud", "glab"};
    static constexpr std::array<std::string_view, 10> kWithValue{
        "-n", "--namespace", "--context", "--kubeconfig", "-C",
        "-c", "-H",          "--host",    "-R",           "--repo"};
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

bool reads_page(std::string_view part) {
    if (!is_one_of(part, std::array<std::string_view, 2>{"curl", "wget"})) return false;
    static constexpr std::array<std::string_view, 13> kSends{
        " -X",       " --request", " -d", " --data", " -F",     " --form", " -T ",
        " --upload", " --output",  " -O", " -o",     " --post", " --json"};
    const bool stored = part.starts_with("wget") && part.find("O-") == part.npos &&
                        part.find("--spider") == part.npos;
    if (stored) return false;
    std::string kept{part};  // a page whose body is thrown away is looked at
    if (const std::size_t at = kept.find(" -o /dev/null"); at != kept.npos) kept.erase(at, 13);
    return !mentions(kept, kSends);
}

bool looks(std::string_view part) {
    const bool stores = part.starts_with("sort ") && part.find(" -o") != part.npos;
    const bool deletes = part.starts_with("git ") && part.find(" -D") != part.npos;
    if (redirects(part) || stores || deletes) return false;
    std::string buffer;
    const std::string_view bare = without_options(part, buffer);
    if (is_one_of(part, kLooks) || is_one_of(bare, kGitLooks)) return true;
    if (is_one_of(bare, kStatus) || reads_page(part)) return true;
    if (part.starts_with("find ")) {
        return !mentions(part, std::array<std::string_view, 2>{"-delete", "-exec"});
    }
    if (part.starts_with("aws ")) {
        return mentions(part,
                        std::array<std::string_view, 4>{" describe-", " get-", " list-", " wait "});
    }
    return part.starts_with("sed -n ") && part.find(" -i") == part.npos;
}

template <class Visit>
void each_part(std::string_view line, Visit visit) {
    std::string buffer;
    const std::string_view command = without_documents(line, buffer);
    for (std::string_view rest = command; !rest.empty();) {
        const std::string_view part = plain(next_part(rest));
        if (!part.empty()) visit(part);
    }
}

bool is_sleep(std::string_view part) {
    return is_one_of(part, std::array<std::string_view, 2>{"sleep", "wait"});
}

/// True for `sleep 0`, which lets no time pass.
bool is_no_sleep(std::string_view part) {
    return part.starts_with("sleep ") && part.find_first_of("123456789$") == std::string_view::npos;
}

/// Shows what the agent itself wrote. A variable, a command or a pattern inside it is a question.
bool speaks(std::string_view part) {
    if (!is_one_of(part, std::array<std::string_view, 2>{"echo", "printf"}) || redirects(part))
        return false;
    char quote = 0;
    for (const char c : part) {
        if (c == quote) {
            quote = 0;
            continue;
        }
        if (quote == 0 && (c == '\'' || c == '"')) quote = c;
        const bool expands = quote != '\'' && (c == '$' || c == '`');
        const bool matches =
            quote == 0 && std::string_view{"*?[~{<("}.find(c) != std::string_view::npos;
        if (expands || matches) return false;
    }
    return true;
}

bool is_around(std::string_view part) {
    if (is_one_of(part, kAround)) return true;
    return is_one_of(part, std::array<std::string_view, 2>{"echo", "printf"}) && !redirects(part);
}

}  // namespace

std::string_view next_part(std::string_view& rest) {
    char quote = 0;
    std::size_t i = 0;
    for (; i < rest.size(); ++i) {
        const char c = rest[i];
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

// A run of > is skipped at once: checking each of its bytes would be quadratic.
bool redirects(std::string_view part) {
    for (std::size_t sign = part.find('>'); sign != std::string_view::npos;) {
        const char before = sign > 0 ? part[sign - 1] : ' ';
        const std::size_t behind = std::min(part.find_first_not_of('>', sign), part.size());
        const std::string_view target = trimmed(part.substr(behind));
        HEADWAY_ASSERT(behind > sign);
        sign = part.find('>', behind);
        if (before == '-' || before == '=' || before == '2') continue;
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

bool only_looks(std::string_view command) {
    bool some = false;
    bool other = false;
    each_part(command, [&](std::string_view part) {
        if (is_sleep(part) || part.starts_with("for ")) return;
        if (is_around(part)) {
            // `echo $r $(dig $r)` asks what stands inside.
            const std::size_t at = part.find("$(");
            if (at == part.npos) return;
            part = part.substr(at + 2, part.find(')', at) - at - 2);
        }
        (looks(part) ? some : other) = true;
    });
    return some && !other;
}

bool asks_for_status(std::string_view command) {
    bool first = true;  // what follows in a pipe only shortens the answer
    bool status = false;
    each_part(command, [&](std::string_view part) {
        if (is_sleep(part) || is_around(part)) return;
        std::string buffer;
        if (first) status = is_one_of(without_options(part, buffer), kStatus);
        first = false;
    });
    return status && only_looks(command);
}

bool is_guard(std::string_view command) {
    static constexpr std::array<std::string_view, 13> kGuards{
        "test",    "[",      "[[",    "which", "command -v",       "type",      "grep -q",
        "diff -q", "cmp -s", "pgrep", "id",    "git diff --quiet", "mountpoint"};
    std::string_view rest = command;
    std::string_view part;
    while (!rest.empty() && (part.empty() || is_around(part)))
        part = plain(next_part(rest));
    return is_one_of(part, kGuards) || part.starts_with("grep -q");
}

bool sleeps_and_more(std::string_view command) {
    if (command.find("sleep") == command.npos) return false;
    bool sleeps = false;
    bool more = false;
    each_part(command, [&](std::string_view part) {
        if (is_sleep(part) && !is_no_sleep(part)) sleeps = true;
        if (!is_sleep(part) && !is_around(part)) more = true;
    });
    return sleeps && more;
}

bool takes_files_back(std::string_view command) {
    static constexpr std::array<std::string_view, 5> kBack{"git checkout", "git restore",
                                                           "git stash", "git reset", "git clean"};
    bool found = false;
    each_part(command,
              [&found](std::string_view part) { found = found || is_one_of(part, kBack); });
    return found;
}

bool does_nothing(std::string_view command) {
    static constexpr std::array<std::string_view, 3> kNothing{"touch", "true", ":"};
    bool nothing = false;
    bool more = false;
    each_part(command, [&](std::string_view part) {
        const bool idle =
            is_one_of(part, kNothing) || speaks(part) ||
            (part.starts_with("git commit") && part.find("--allow-empty") != part.npos);
        if (idle) nothing = true;
        if (!idle && !is_around(part)) more = true;
    });
    return nothing && !more;
}

}  // namespace headway::core
