// SPDX-License-Identifier: Apache-2.0
#include "core/calls/command.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/calls/command_parts.hpp"

namespace headway::core {
namespace {

// Parts that neither look nor act.
constexpr WordList<13> kAround{{"cd", "export", "set", "done", "fi", "then", "do", "else", "break",
                                "exit", ":", "true", "pwd"}};
constexpr WordList<46> kLooks{
    {"ls",     "cat",  "head",       "tail",       "test",    "[",    "[[",       "stat",
     "grep",   "rg",   "egrep",      "wc",         "du",      "df",   "ps",       "pgrep",
     "pidof",  "lsof", "ss",         "netstat",    "nc",      "ping", "which",    "file",
     "diff",   "cmp",  "date",       "jq",         "sort",    "uniq", "cut",      "tr",
     "uptime", "free", "pg_isready", "journalctl", "getent",  "dig",  "nslookup", "host",
     "tree",   "awk",  "column",     "lsblk",      "findmnt", "yq"}};
constexpr WordList<14> kGitLooks{{"git status", "git log", "git diff", "git show", "git branch",
                                  "git fetch", "git remote", "git ls-remote", "git blame",
                                  "git rev-parse", "git ls-files", "git grep", "git describe",
                                  "git reflog"}};
constexpr WordList<42> kStatus{{"kubectl get",
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
                                "gcloud builds describe",
                                "make status",
                                "make ps",
                                "make logs",
                                "docker wait",
                                "inotifywait",
                                "watch",
                                "argocd app wait",
                                "docker compose logs",
                                "wait-on"}};

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

/// `psql -c 'select ...'`: a statement that changes nothing.
bool asks_database(std::string_view part) {
    static constexpr WordList<6> kClients{
        {"psql", "mysql", "mariadb", "sqlite3", "clickhouse", "duckdb"}};
    static constexpr std::array<std::string_view, 12> kChanges{
        "insert", "update",   "delete", "drop ", "create", "alter",
        "grant",  "truncate", "call ",  "copy ", "vacuum", "refresh"};
    if (!is_one_of(part, kClients)) return false;
    const std::string text = lower(part);
    return mentions(text, std::array<std::string_view, 3>{"select ", "show ", "\\d"}) &&
           !mentions(text, kChanges);
}

/// `az vm show`: commands whose last words say what is done.
bool asks_cloud(std::string_view part) {
    static constexpr WordList<7> kClients{
        {"aws", "az", "gcloud", "oci", "flyctl", "heroku", "doctl"}};
    static constexpr std::array<std::string_view, 8> kAsks{" describe", " get-",   " list", " show",
                                                           " wait",     " status", " get ", " ps"};
    return is_one_of(part, kClients) && mentions(part, kAsks);
}

/// `ssh box 'cat state'`: what runs there. Empty unless one quoted command stands at its end.
std::string_view remote_command(std::string_view part) {
    if (!part.starts_with("ssh ") || part.size() < 8) return {};
    const char quote = part.back();
    if (quote != '\'' && quote != '"') return {};
    const std::size_t open = part.find(quote);
    return open + 1 < part.size() ? part.substr(open + 1, part.size() - open - 2)
                                  : std::string_view{};
}

/// `gh pr list`, `rabbitmqctl list_queues`: programs whose second or third word asks.
bool asks_by_its_words(std::string_view part) {
    static constexpr WordList<6> kOthers{{"python", "python3", "node", "ssh", "go", "make"}};
    static constexpr WordList<11> kAsks{{"list", "ls", "status", "show", "describe", "info", "view",
                                         "ps", "history", "checks", "top"}};
    static constexpr std::array<std::string_view, 5> kChanges{" --delete", " --set", " --add",
                                                              " --fix", " -X"};
    std::size_t end = std::min(part.find(' '), part.size());
    const std::string_view program = part.substr(0, end);
    const bool plain =
        std::all_of(program.begin(), program.end(), [](char c) { return is_word(c) || c == '-'; });
    if (!plain || contains(kOthers, program) || mentions(part, kChanges)) return false;
    for (int word = 0; word < 2 && end < part.size(); ++word) {
        const std::string_view rest = trimmed(part.substr(end));
        const std::string_view next = rest.substr(0, rest.find(' '));
        if (next.starts_with("list_") || contains(kAsks, next)) return true;
        const bool topic = !next.empty() && std::all_of(next.begin(), next.end(), [](char c) {
            return is_letter(c) || c == '-';
        });
        if (!topic || next[0] == '-') return false;
        end = static_cast<std::size_t>(next.data() - part.data()) + next.size();
    }
    return false;
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
    if (asks_database(part) || asks_cloud(part) || asks_by_its_words(bare)) return true;
    return part.starts_with("sed -n ") && part.find(" -i") == part.npos;
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

/// True for a short option, alone or among others: `-z`, `-vz`.
bool has_option(std::string_view part, char option) {
    for (std::size_t at = part.find(" -"); at != part.npos; at = part.find(" -", at + 1)) {
        const std::string_view word = part.substr(at + 2, part.find(' ', at + 1) - at - 2);
        if (!word.starts_with('-') && word.find(option) != word.npos) return true;
    }
    return false;
}

/// The words of a part without its options and the numbers behind them: `-w 3`.
void append_target(std::string& out, std::string_view part) {
    bool option = false;
    for (part = trimmed(part); !part.empty(); part = trimmed(part)) {
        const std::string_view word = part.substr(0, part.find(' '));
        const bool number = word.find_first_not_of("0123456789.") == word.npos &&
                            std::count(word.begin(), word.end(), '.') < 2;
        const bool value = option && number;
        option = word[0] == '-';
        if (!option && !value) out.append(word).append(" ");
        part.remove_prefix(word.size());
    }
}

bool is_around(std::string_view part) {
    if (is_one_of(part, kAround)) return true;
    return is_one_of(part, std::array<std::string_view, 2>{"echo", "printf"}) && !redirects(part);
}

}  // namespace

bool only_looks(const CommandParts& command) {
    bool some = false;
    bool other = false;
    for (std::string_view part : command) {
        if (is_sleep(part) || part.starts_with("for ")) continue;
        if (is_around(part)) {
            // `echo $r $(dig $r)` asks what stands inside.
            const std::size_t at = part.find("$(");
            if (at == part.npos) continue;
            part = part.substr(at + 2, part.find(')', at) - at - 2);
        }
        const std::string_view remote = remote_command(part);
        const bool asks =
            remote.empty() || remote.find("ssh ") != remote.npos ? looks(part) : only_looks(remote);
        (asks ? some : other) = true;
    }
    return some && !other;
}

bool has_no_effect(const CommandParts& command) {
    static constexpr WordList<6> kSays{{"whoami", "id", "uname", "hostname", "type", "history"}};
    bool some = false;
    for (const std::string_view part : command) {
        // A command inside may do something.
        const bool runs = part.find("$(") != part.npos || part.find('`') != part.npos;
        if (runs || redirects(part)) return false;
        if (!is_sleep(part) && !is_around(part) && !is_one_of(part, kSays)) return false;
        some = true;
    }
    return some;
}

bool asks_for_status(const CommandParts& command) {
    bool first = true;  // what follows in a pipe only shortens the answer
    bool status = false;
    for (const std::string_view part : command) {
        if (is_sleep(part) || is_around(part)) continue;
        std::string buffer;
        if (first) status = is_one_of(without_options(part, buffer), kStatus);
        first = false;
    }
    return status && only_looks(command);
}

std::string probed_target(const CommandParts& command) {
    static constexpr WordList<10> kProbes{{"ping", "ping6", "fping", "arping", "whois", "host",
                                           "dig", "nslookup", "getent", "traceroute"}};
    static constexpr WordList<2> kConnects{{"nc", "ncat"}};
    static constexpr WordList<10> kFilters{
        {"grep", "egrep", "awk", "head", "tail", "wc", "cut", "sed -n", "tr", "sort"}};
    std::string target;
    for (const std::string_view part : command) {
        if (is_sleep(part) || is_around(part)) continue;
        const bool scans = is_one_of(part, kConnects) && has_option(part, 'z');
        if (scans || is_one_of(part, kProbes))
            append_target(target, part);
        else if (target.empty() || !is_one_of(part, kFilters) || !looks(part))
            return {};
    }
    return target;
}

bool is_guard(std::string_view command) {
    static constexpr WordList<13> kGuards{{"test", "[", "[[", "which", "command -v", "type",
                                           "grep -q", "diff -q", "cmp -s", "pgrep", "id",
                                           "git diff --quiet", "mountpoint"}};
    std::string_view rest = command;
    std::string_view part;
    while (!rest.empty() && (part.empty() || is_around(part)))
        part = plain_command(next_part(rest));
    return is_one_of(part, kGuards) || part.starts_with("grep -q");
}

bool sleeps_and_more(const CommandParts& command) {
    if (command.line().find("sleep") == std::string_view::npos) return false;
    bool sleeps = false;
    bool more = false;
    for (const std::string_view part : command) {
        if (is_sleep(part) && !is_no_sleep(part)) sleeps = true;
        if (!is_sleep(part) && !is_around(part)) more = true;
    }
    return sleeps && more;
}

bool rests_first(std::string_view command) {
    constexpr double kRestSeconds = 10;
    if (command.find("sleep") == command.npos || !sleeps_and_more(command)) return false;
    std::string_view rest = command;
    std::string_view part;
    while (!rest.empty() && (part.empty() || is_around(part)))
        part = plain_command(next_part(rest));
    if (!part.starts_with("sleep ")) return false;
    const std::string_view time = trimmed(part.substr(6));
    double seconds = 0;
    const auto read = std::from_chars(time.data(), time.data() + time.size(), seconds);
    if (read.ec != std::errc{}) return false;
    const char unit = read.ptr == time.data() + time.size() ? 's' : *read.ptr;
    if (unit == 'm') seconds *= 60;
    if (unit == 'h') seconds *= 3600;
    return seconds >= kRestSeconds;
}

bool waits_itself(const CommandParts& command) {
    static constexpr WordList<11> kWaiters{
        {"kubectl wait", "kubectl rollout status", "gh run watch", "gh pr checks", "docker wait",
         "inotifywait", "watch", "argocd app wait", "wait-for-it", "wait-on", "glab ci status"}};
    static constexpr WordList<6> kFollowers{
        {"tail", "journalctl", "docker logs", "docker compose logs", "kubectl logs", "stern"}};
    static constexpr std::array<std::string_view, 4> kFollows{" -f", " -F", " --follow", " -fn"};
    bool waits = false;
    for (const std::string_view part : command) {
        std::string buffer;
        const std::string_view bare = without_options(part, buffer);
        waits = waits || is_one_of(bare, kWaiters) ||
                (asks_cloud(part) && mentions(part, std::array<std::string_view, 1>{" wait"})) ||
                (is_one_of(bare, kFollowers) && mentions(bare, kFollows));
    }
    return waits && only_looks(command);
}

bool sends_input(const CommandParts& command) {
    static constexpr WordList<9> kInputs{{"adb shell input", "adb exec-out input", "xdotool",
                                          "ydotool", "cliclick", "wtype", "tmux send-keys",
                                          "tmux send", "idb ui"}};
    bool sends = false;
    for (const std::string_view part : command) {
        if (is_sleep(part) || is_around(part)) continue;
        std::string buffer;
        if (redirects(part) || !is_one_of(without_options(part, buffer), kInputs)) return false;
        sends = true;
    }
    return sends;
}

bool takes_files_back(const CommandParts& command) {
    static constexpr WordList<5> kBack{
        {"git checkout", "git restore", "git stash", "git reset", "git clean"}};
    return std::any_of(command.begin(), command.end(),
                       [](std::string_view part) { return is_one_of(part, kBack); });
}

bool does_nothing(const CommandParts& command) {
    static constexpr WordList<3> kNothing{{"touch", "true", ":"}};
    bool nothing = false;
    bool more = false;
    bool stashed = false;
    for (const std::string_view part : command) {
        if (nothing && part.starts_with("git push")) continue;  // wakes the CI, with nothing new
        // Changes put away and taken back are where they were.
        const std::string_view stash = part.substr(0, part.find(" -"));
        if (!stashed && (stash == "git stash" || stash == "git stash push")) {
            stashed = true;
            continue;
        }
        if (stashed && stash == "git stash pop") {
            stashed = false;
            nothing = true;
            continue;
        }
        const bool idle =
            is_one_of(part, kNothing) || speaks(part) ||
            (part.starts_with("git commit") && part.find("--allow-empty") != part.npos);
        if (idle) nothing = true;
        if (!idle && !is_around(part)) more = true;
    }
    return nothing && !more && !stashed;
}

}  // namespace headway::core
