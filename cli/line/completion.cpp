// SPDX-License-Identifier: Apache-2.0
#include "cli/line/completion.hpp"

#include <functional>

#include "cli/base/text.hpp"

// The scripts hold no knowledge of their own: each finds the verb that the words name, and looks up
// in tables made of the declared verbs what may follow. Session ids are asked of the daemon.

namespace headway::cli {
namespace {

constexpr std::string_view kAskSessions = "headway sessions --open --ids --limit 200 2>/dev/null";

/// In single quotes; `escape` stands for one inside.
std::string shell_quoted(std::string_view text, std::string_view escape = "'\\''") {
    std::string words = "'";
    for (const char c : text)
        c == '\'' ? words += escape : words += c;
    return words + "'";
}

/// Key of the tables: the position, and the word there.
std::string place(std::string words, std::string_view what) {
    words.append("|").append(what);
    return words;
}

/// Each verb with the words that lead to it, "" for the program; those below first.
using Visit = std::function<void(const VerbSpec& verb, const std::string& words)>;
void for_each_verb(const VerbSpec& verb, const std::string& words, const Visit& visit) {
    for (const VerbSpec* below : verbs_of(verb))
        for_each_verb(*below, words.empty() ? below->name : words + " " + below->name, visit);
    visit(verb, words);
}

/// Patterns of a case: "config check" for the word `check` behind the verb `config`, " wait" for a
/// first one.
std::vector<std::string> verb_patterns(const VerbSpec& program) {
    std::vector<std::string> patterns;
    for_each_verb(program, "", [&](const VerbSpec&, const std::string& words) {
        if (words.empty()) return;
        patterns.push_back(words.find(' ') == std::string::npos ? " " + words : words);
    });
    return patterns;
}

std::string alternatives(const std::vector<std::string>& patterns, std::string_view between) {
    std::string text;
    for (const std::string& pattern : patterns)
        text += (text.empty() ? "" : std::string{between}) + shell_quoted(pattern);
    return text;
}

std::string bash_values(ValueKind kind, const std::vector<std::string>& choices) {
    switch (kind) {
        case ValueKind::kChoice:
            return "_headway_words " + shell_quoted(join(choices, " "));
        case ValueKind::kFile:
            return "_headway_files -f";
        case ValueKind::kFolder:
            return "_headway_files -d";
        case ValueKind::kSession:
            return "_headway_words \"$(" + std::string{kAskSessions} + ")\"";
        case ValueKind::kNone:
        case ValueKind::kAnything:
            break;
    }
    return ":";
}

/// Candidates where no flag is expected.
std::string bash_operands(const VerbSpec& verb) {
    if (!verb.verbs.empty()) {
        std::vector<std::string> names;
        for (const VerbSpec* below : verbs_of(verb))
            names.push_back(below->name);
        return bash_values(ValueKind::kChoice, names);
    }
    const std::vector<const ArgumentSpec*> operands = operands_of(verb);
    if (operands.empty()) return ":";
    return bash_values(operands.front()->kind(), operands.front()->choices);
}

std::string bash_script(const VerbSpec& program) {
    std::string values;
    std::string places;
    for_each_verb(program, "", [&](const VerbSpec& verb, const std::string& words) {
        std::vector<std::string> flags;
        for (const ArgumentSpec* option : options_of(verb)) {
            flags.insert(flags.end(), option->names.begin(), option->names.end());
            if (!option->takes_value()) continue;
            std::vector<std::string> patterns;
            for (const std::string& flag : option->names)
                patterns.push_back(place(words, flag));
            values += "        " + alternatives(patterns, " | ") + ") " +
                      bash_values(option->kind(), option->choices) + "; return ;;\n";
        }
        places += "        " + shell_quoted(words + "|-") + ") _headway_words " +
                  shell_quoted(join(flags, " ")) + " ;;\n        " + shell_quoted(words + "|") +
                  "*) " + bash_operands(verb) + " ;;\n";
    });
    return R"(# bash completion of headway, made by `headway completion bash`
_headway_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
_headway_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}
_headway() {
    local cur=${COMP_WORDS[COMP_CWORD]} verb='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then  # a command of others
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            return
        fi
        case "$verb ${COMP_WORDS[i]}" in
            )" +
           alternatives(verb_patterns(program), " | ") +
           R"() verb="${verb:+$verb }${COMP_WORDS[i]}" ;;
        esac
    done
    case "$verb|${COMP_WORDS[COMP_CWORD-1]}" in
)" + values +
           R"(    esac
    case "$verb|${cur:0:1}" in
)" + places +
           R"(    esac
}
complete -F _headway headway
)";
}

std::string zsh_values(ValueKind kind, const std::vector<std::string>& choices) {
    switch (kind) {
        case ValueKind::kChoice:
            return "compadd -- " + join(choices, " ");
        case ValueKind::kFile:
            return "_files";
        case ValueKind::kFolder:
            return "_files -/";
        case ValueKind::kSession:
            return "compadd -- ${(f)\"$(" + std::string{kAskSessions} + ")\"}";
        case ValueKind::kNone:
        case ValueKind::kAnything:
            break;
    }
    return ":";
}

/// An entry of _describe: a colon ends the word.
std::string described(const std::string& word, const std::string& help) {
    return " " + shell_quoted(word + ":" + help);
}

std::string zsh_places(const VerbSpec& verb, const std::string& words) {
    std::string flags;
    for (const ArgumentSpec* option : options_of(verb)) {
        for (const std::string& flag : option->names)
            flags += described(flag, option->help);
    }
    const std::vector<const ArgumentSpec*> operands = operands_of(verb);
    std::string others = ":";  // what is no flag
    if (!verb.verbs.empty()) {
        others = "found=(";
        for (const VerbSpec* below : verbs_of(verb))
            others += described(below->name, below->help);
        others += "); _describe verb found";
    } else if (!operands.empty()) {
        others = zsh_values(operands.front()->kind(), operands.front()->choices);
    }
    return "        " + shell_quoted(words + "|-") + ") found=(" + flags +
           "); _describe option found ;;\n        " + shell_quoted(words + "|") + "*) " + others +
           " ;;\n";
}

std::string zsh_script(const VerbSpec& program) {
    std::string values;
    std::string places;
    for_each_verb(program, "", [&](const VerbSpec& verb, const std::string& words) {
        for (const ArgumentSpec* option : options_of(verb)) {
            if (!option->takes_value()) continue;
            for (const std::string& flag : option->names)
                values += "        " + shell_quoted(place(words, flag)) + ") " +
                          zsh_values(option->kind(), option->choices) + "; return ;;\n";
        }
        places += zsh_places(verb, words);
    });
    return R"(#compdef headway
# zsh completion of headway, made by `headway completion zsh`
_headway() {
    local cur=$words[CURRENT] verb='' i
    local -a found
    for ((i = 2; i < CURRENT; i++)); do
        if [[ $words[i] == -- ]]; then  # a command of others
            shift $i words
            ((CURRENT -= i))
            _normal
            return
        fi
        case "$verb $words[i]" in
            )" +
           alternatives(verb_patterns(program), "|") +
           R"() verb="${verb:+$verb }$words[i]" ;;
        esac
    done
    case "$verb|$words[CURRENT-1]" in
)" + values +
           R"(    esac
    case "$verb|${cur[1]}" in
)" + places +
           R"(    esac
}
compdef _headway headway
)";
}

std::string fish_arguments(ValueKind kind, const std::vector<std::string>& choices) {
    switch (kind) {
        case ValueKind::kChoice:
            return " -xa " + shell_quoted(join(choices, " "), "\\'");
        case ValueKind::kFile:
            return " -rF";
        case ValueKind::kFolder:
            return " -xa '(__fish_complete_directories)'";
        case ValueKind::kSession:
            return " -xa '(" + std::string{kAskSessions} + ")'";
        case ValueKind::kAnything:
            return " -x";
        case ValueKind::kNone:
            break;
    }
    return "";
}

std::string fish_script(const VerbSpec& program) {
    std::string lines;
    for_each_verb(program, "", [&](const VerbSpec& verb, const std::string& words) {
        const std::string begin =
            "complete -c headway -n \"test (__headway_verb) = " + shell_quoted(words) + "\"";
        for (const VerbSpec* below : verbs_of(verb))
            lines +=
                begin + " -xa " + below->name + " -d " + shell_quoted(below->help, "\\'") + "\n";
        const std::vector<const ArgumentSpec*> operands = operands_of(verb);
        if (verb.verbs.empty() && !operands.empty()) {
            const ArgumentSpec& first = *operands.front();
            lines += begin + fish_arguments(first.kind(), first.choices) + "\n";
        }
        for (const ArgumentSpec* option : options_of(verb)) {
            lines += begin;
            for (const std::string& flag : option->names)
                lines += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
            lines += fish_arguments(option->kind(), option->choices) + " -d " +
                     shell_quoted(option->help, "\\'") + "\n";
        }
    });
    return R"(# fish completion of headway, made by `headway completion fish`
function __headway_verb
    set -l verb ''
    for word in (commandline -opc)[2..-1]
        switch "$verb $word"
            case )" +
           alternatives(verb_patterns(program), " ") + R"(
                set verb (string trim -- "$verb $word")
        end
    end
    echo $verb
end
complete -c headway -f
)" + lines;
}

}  // namespace

std::optional<std::string> completion_script(const VerbSpec& program, std::string_view shell) {
    if (shell == "bash") return bash_script(program);
    if (shell == "zsh") return zsh_script(program);
    if (shell == "fish") return fish_script(program);
    return std::nullopt;
}

}  // namespace headway::cli
