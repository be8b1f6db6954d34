// SPDX-License-Identifier: Apache-2.0
#include "core/detection/classify.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/base/assert.hpp"
#include "core/calls/command.hpp"
#include "core/calls/command_parts.hpp"
#include "core/calls/mask.hpp"
#include "core/calls/tool_class.hpp"
#include "core/events/work_payloads.hpp"
#include "core/text/phrases.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

using Words = std::initializer_list<std::string_view>;

// Words of tool names, as agents' tools use them.
constexpr WordList<6> kShells{{"bash", "sh", "shell", "terminal", "zsh", "powershell"}};
constexpr WordList<7> kPlanWords{
    {"plan", "todo", "todos", "think", "thought", "reflect", "scratchpad"}};
constexpr WordList<6> kSleepWords{{"sleep", "delay", "pause", "idle", "noop", "wait"}};
constexpr WordList<9> kPollWords{
    {"status", "poll", "wait", "await", "watch", "progress", "stdin", "monitor", "output"}};
constexpr WordList<9> kVerifyWords{
    {"test", "tests", "verify", "lint", "build", "compile", "typecheck", "diagnostics", "pytest"}};
constexpr WordList<22> kEditWords{{"edit",      "write",   "create", "replace", "insert", "append",
                                   "patch",     "delete",  "remove", "rename",  "move",   "mkdir",
                                   "multiedit", "save",    "update", "modify",  "str",    "apply",
                                   "upload",    "install", "fix",    "set"}};
constexpr WordList<3> kCommitWords{{"commit", "push", "merge"}};
constexpr WordList<28> kReadWords{{"read",     "get",     "list",    "search", "find",    "grep",
                                   "view",     "cat",     "ls",      "open",   "fetch",   "lookup",
                                   "query",    "glob",    "show",    "browse", "extract", "diff",
                                   "describe", "inspect", "probe",   "peek",   "stats",   "info",
                                   "health",   "ping",    "receive", "inbox"}};

// Prefixes of shell commands.
constexpr WordList<31> kVerifiers{
    {"pytest",       "make",    "ctest",         "ninja",      "tox",         "nox",
     "jest",         "vitest",  "mocha",         "tsc",        "eslint",      "ruff",
     "mypy",         "flake8",  "pylint",        "rspec",      "phpunit",     "gradle",
     "./gradlew",    "mvn",     "cmake --build", "cargo test", "cargo build", "cargo check",
     "cargo clippy", "go test", "go build",      "go vet",     "npm test",    "npm run",
     "bazel"}};
constexpr WordList<14> kMoreVerifiers{
    {"yarn test", "yarn build", "pnpm test", "pnpm build", "yarn lint", "pnpm lint", "dotnet test",
     "dotnet build", "python -m pytest", "python3 -m pytest", "python -m unittest",
     "python3 -m unittest", "npx jest", "npx vitest"}};
constexpr WordList<22> kEditors{
    {"mv ",         "cp ",          "rm ",         "mkdir ",   "touch ",      "tee ",
     "patch ",      "chmod ",       "chown ",      "ln ",      "unzip ",      "tar ",
     "pip install", "pip3 install", "npm install", "npm i ",   "apt install", "apt-get install",
     "git apply",   "git checkout", "git restore", "git stash"}};
constexpr WordList<10> kMoreEditors{{"git add", "git mv", "git rm", "git reset", "git clone",
                                     "git pull", "yarn add", "pnpm add", "go mod",
                                     "git cherry-pick"}};
constexpr WordList<4> kCommitters{{"git commit", "git push", "git merge", "git rebase"}};

/// Lower-case words of `run_tests`, `runTests`, `run-tests`.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words;
    bool inside = false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (!is_word(c) || c == '_') {
            inside = false;
            continue;
        }
        const bool hump = c >= 'A' && c <= 'Z' && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if (!inside || hump) words.emplace_back();
        words.back().push_back(lower(c));
        inside = true;
    }
    return words;
}

template <class List>
bool any_word(const std::vector<std::string>& words, const List& list) {
    return std::any_of(words.begin(), words.end(),
                       [&list](const std::string& word) { return contains(list, word); });
}

/// `lake build`, `mix test`, `terraform validate`.
bool builds_or_tests(std::string_view part) {
    static constexpr WordList<36> kPrograms{
        {"lake",    "mix",   "dune",       "zig",    "swift", "cabal",     "stack", "sbt",
         "flutter", "dart",  "composer",   "bun",    "deno",  "terraform", "tofu",  "meson",
         "xmake",   "scons", "rake",       "mage",   "just",  "nx",        "turbo", "pants",
         "buck2",   "elm",   "gleam",      "rebar3", "lein",  "crystal",   "nim",   "forge",
         "hatch",   "pdm",   "platformio", "helm"}};
    static constexpr WordList<9> kSteps{
        {"build", "test", "tests", "check", "lint", "compile", "typecheck", "validate", "verify"}};
    const std::size_t blank = std::min(part.find(' '), part.size());
    const std::string_view rest = trimmed(part.substr(blank));
    return contains(kPrograms, part.substr(0, blank)) &&
           contains(kSteps, rest.substr(0, rest.find_first_of(" \t")));
}

/// `npm run dev`: a script that serves until it is stopped, and tests nothing.
bool serves(std::string_view part) {
    static constexpr WordList<3> kRunners{{"npm", "yarn", "pnpm"}};
    static constexpr WordList<7> kServers{
        {"dev", "start", "serve", "preview", "watch", "storybook", "develop"}};
    std::size_t blank = std::min(part.find(' '), part.size());
    if (!contains(kRunners, part.substr(0, blank))) return false;
    std::string_view script = trimmed(part.substr(blank));
    if (script.starts_with("run ")) script = trimmed(script.substr(4));
    return contains(kServers, script.substr(0, script.find_first_of(" \t:&")));
}

bool runs_a_test_script(std::string_view part) {
    if (!starts_with_any(part,
                         Words{"python", "python3", "node", "ruby", "bash", "sh", "perl", "php"}) &&
        !part.starts_with("./")) {
        return false;
    }
    for (std::size_t at = part.find("test"); at != std::string_view::npos;
         at = part.find("test", at + 1)) {
        if (at == 0 || !is_letter(part[at - 1])) return true;  // not "latest"
    }
    return false;
}

CallKind kind_of_part(std::string_view part) {
    while (part.starts_with("sudo ") || part.starts_with("time "))
        part.remove_prefix(5);
    for (const std::string_view runner : {"poetry run ", "uv run ", "pipenv run ", "npx ", "bunx "})
        if (part.starts_with(runner)) part.remove_prefix(runner.size());
    if (part == "wait" || part.starts_with("sleep ") || part.starts_with("wait "))
        return CallKind::kSleep;
    if (starts_with_any(part, kCommitters)) return CallKind::kCommit;
    if (starts_with_any(part, Words{"make status", "make ps", "make logs"}))
        return CallKind::kOther;
    if (serves(part)) return CallKind::kOther;
    if (starts_with_any(part, kVerifiers) || starts_with_any(part, kMoreVerifiers) ||
        runs_a_test_script(part) || builds_or_tests(part)) {
        return CallKind::kVerify;
    }
    const bool in_place =
        starts_with_any(part, Words{"sed", "perl"}) && part.find(" -i") != std::string_view::npos;
    if (in_place || starts_with_any(part, kEditors) || starts_with_any(part, kMoreEditors) ||
        redirects(part)) {
        return CallKind::kEdit;
    }
    return CallKind::kOther;
}

/// The most significant part decides: a commit, a test, an edit; a sleep only if it is alone.
CallKind kind_of_command(std::string_view line) {
    std::string buffer;
    const std::string_view command = without_documents(line, buffer);
    bool edits = false;
    bool verifies = false;
    bool sleeps = false;
    bool does_more = false;
    for (std::string_view rest = command; !rest.empty();) {
        const std::string_view part = next_part(rest);
        if (part.empty() || starts_with_any(part, Words{"cd", "export", "echo", "set", "source"})) {
            if (redirects(part)) edits = true;
            continue;
        }
        switch (kind_of_part(part)) {
            case CallKind::kCommit:
                return CallKind::kCommit;
            case CallKind::kVerify:
                verifies = true;
                break;
            case CallKind::kEdit:
                edits = true;
                break;
            case CallKind::kSleep:
                sleeps = true;
                break;
            default:
                does_more = true;
                break;
        }
    }
    if (!verifies && !edits && asks_for_status(command)) return CallKind::kPoll;
    // A script that writes and then tests is judged by the test result.
    if (verifies) return CallKind::kVerify;
    if (edits) return CallKind::kEdit;
    return sleeps && !does_more ? CallKind::kSleep : CallKind::kOther;
}

/// True for a tool that changes what its name would ask for: `update_ticket_status`,
/// `create_monitor`, not `wait_for_update` and not `get_update_status`.
bool changes_a_state(const std::vector<std::string>& words) {
    static constexpr WordList<16> kChanges{{"update", "set", "create", "add", "save", "delete",
                                            "remove", "change", "transition", "mark", "write",
                                            "edit", "modify", "post", "put", "register"}};
    static constexpr WordList<4> kWaits{{"poll", "wait", "await", "stdin"}};
    return any_word(words, kChanges) && !any_word(words, kWaits) && !any_word(words, kReadWords);
}

CallKind kind_of_name(const std::vector<std::string>& words) {
    if (any_word(words, kPlanWords)) return CallKind::kPlan;
    if (words.size() == 1 && contains(kSleepWords, words[0])) return CallKind::kSleep;
    const bool wakes = words.size() > 1 && (words.back() == "wakeup" ||
                                            (words.back() == "up" && words.end()[-2] == "wake"));
    if (wakes && !any_word(words, kReadWords)) return CallKind::kSleep;  // ScheduleWakeup
    // No edit either: what an agent says of its own progress proves none.
    if (any_word(words, kPollWords))
        return changes_a_state(words) ? CallKind::kOther : CallKind::kPoll;
    if (any_word(words, kReadWords)) return CallKind::kRead;
    if (any_word(words, kCommitWords)) return CallKind::kCommit;
    if (any_word(words, kVerifyWords)) return CallKind::kVerify;
    if (any_word(words, kEditWords)) return CallKind::kEdit;
    return CallKind::kOther;
}

/// True for a number with that unit around the slash: "41 it/s", not "tests/unit/server".
bool is_rate(std::string_view text, std::size_t slash, std::string_view unit) {
    const std::size_t before = unit.find('/');
    HEADWAY_ASSERT(before != std::string_view::npos && slash < text.size());
    if (slash < before || text.substr(slash - before, unit.size()) != unit) return false;
    const std::size_t end = slash - before + unit.size();
    if (end < text.size() && text[end] == ':') return true;  // "requests/sec: 42"
    std::size_t at = slash - before;
    if (at > 1 && text[at - 1] == ' ') --at;
    return at > 0 && is_digit(text[at - 1]) && (end == text.size() || !is_word(text[end]));
}

}  // namespace

std::optional<CallKind> kind_of_editing(std::string_view tool, std::string_view command,
                                        bool has_path) {
    static constexpr WordList<9> kLooks{
        {"view", "read", "open", "show", "list", "search", "scroll", "goto", "find_in_file"}};
    static constexpr WordList<24> kChanges{
        {"create",  "write",     "str_replace", "insert",  "append",        "undo_edit",
         "undo",    "edit",      "replace",     "rewrite", "overwrite",     "delete",
         "remove",  "rename",    "move",        "apply",   "update",        "modify",
         "prepend", "redo_edit", "insert_line", "save",    "replace_lines", "multi_edit"}};
    if (command.empty()) return std::nullopt;
    const std::string_view of_tool = class_of_tool(tool);
    if (of_tool == "class:shell") return std::nullopt;
    const std::vector<std::string> words = words_of(tool);
    const bool editor = of_tool == "class:edit" || any_word(words, WordList<1>{{"editor"}});
    if (!editor && !has_path) return std::nullopt;
    const std::string verb = lower(trimmed(command));
    if (contains(kLooks, std::string_view{verb})) return CallKind::kRead;
    if (editor || contains(kChanges, std::string_view{verb})) return CallKind::kEdit;
    return std::nullopt;
}

bool is_blind_edit(const CallFingerprint& fingerprint, const ToolFinished& call) {
    if (fingerprint.kind != CallKind::kEdit || !call.ok || !fingerprint.trivial) return false;
    const std::string_view args = trimmed(call.args.kept);
    const bool none = args.empty() || args == "{}" || args == "null";
    return none && call.args_digest.empty() && call.result_digest.empty() &&
           std::all_of(call.mutated.begin(), call.mutated.end(),
                       [](const Mutation& one) { return one.digest.empty(); });
}

CallKind kind_of_call(std::string_view tool, std::string_view command) {
    if (!command.empty()) return kind_of_command(command);
    const std::vector<std::string> words = words_of(tool);
    if (any_word(words, kShells)) {
        // The tool name is itself a command line, or says more: `bash_output`.
        const CallKind kind = kind_of_command(tool);
        return kind != CallKind::kOther ? kind : kind_of_name(words);
    }
    if (tool.find(' ') != std::string_view::npos) {
        if (const CallKind kind = kind_of_command(tool); kind != CallKind::kOther) return kind;
    }
    // `mcp__time__sleep`: the name behind the server's.
    if (tool.starts_with("mcp__") &&
        contains(kSleepWords, std::string_view{lower(tool.substr(tool.rfind("__") + 2))}))
        return CallKind::kSleep;
    // `make`, `pytest`, `sleep`: names that are commands.
    const CallKind named = words.size() == 1 ? kind_of_command(tool) : CallKind::kOther;
    return named != CallKind::kOther ? named : kind_of_name(words);
}

std::string_view path_in_command(std::string_view command) {
    std::string_view path;
    for (std::size_t at = 0; at < command.size();) {
        std::size_t end = at;
        while (end < command.size() && !is_space(command[end]))
            ++end;
        const std::string_view word = command.substr(at, end - at);
        const bool plain = !word.empty() && (is_word(word[0]) || word[0] == '/' || word[0] == '.');
        if (plain && mentions(word, Words{"/", "."}) && !is_digit(word[0]) && word.size() < 256)
            path = word;
        HEADWAY_ASSERT(end >= at);
        at = end + 1;
    }
    return path;
}

bool is_measurement(std::string_view command, std::string_view result) {
    static constexpr Phrases kAsks{std::array<std::string_view, 18>{
        "bench", "perf", "profil", "hyperfine", "timeit", "latency", "throughput", "loadtest",
        "p50", "p95", "p99", "iperf", "vegeta", "k6 run", "wrk ", "oha ", "sysbench", "fio "}};
    static constexpr std::array<std::string_view, 7> kAnswers{
        "ops/s", "req/s", "requests/sec", "ns/op", "it/s", "mb/s", "ms/iter"};
    if (kAsks.any_in(command.substr(0, 512))) return true;
    const std::string_view start = result.substr(0, 512);
    if (start.find('/') == std::string_view::npos) return false;
    const std::string text = lower(start);
    for (std::size_t slash = text.find('/'); slash != std::string::npos;
         slash = text.find('/', slash + 1)) {
        for (const std::string_view unit : kAnswers) {
            if (is_rate(text, slash, unit)) return true;
        }
    }
    return false;
}

}  // namespace headway::core
