// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/agent_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "cli/keep_going/recipe.hpp"
#include "cli/keep_going/resume_command.hpp"

namespace headway::cli {
namespace {

using Words = std::vector<std::string>;
/// An option as written, its name, and its value if the word has one or the next word is it.
using Look =
    std::function<void(const std::string& word, const std::string& name, const std::string& value)>;

/// Calls `look` for each option of the agent's command; values of other options are none.
void each_option(const Recipe& recipe, const Words& command, const Look& look) {
    for (std::size_t i = 1; i < command.size() && command[i] != "--"; ++i) {
        const std::string& word = command[i];
        if (!word.starts_with('-') || word == "-") continue;
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const bool prompt =
            !recipe.prompt_option.empty() && (name == recipe.prompt_option || name == "--prompt");
        const bool takes = is_one_of(recipe.valued, name) || is_one_of(recipe.folder, name) ||
                           is_one_of(recipe.conversation, name) || prompt;
        std::string value;
        if (equals != word.npos) {
            value = word.substr(equals + 1);
        } else if (takes && i + 1 < command.size()) {
            value = command[++i];
        }
        look(word, name, value);
    }
}

constexpr std::string_view kAsks[] = {"--help", "-h", "--version", "-V"};
/// Flags for one turn without a terminal, whose prompt may come from standard input.
constexpr std::string_view kPrints[] = {"-p", "--print"};

const Recipe* recipe_of(const Words& command) {
    if (command.empty()) return nullptr;
    return recipe_of_program(std::filesystem::path(command.front()).filename().string());
}

/// True for "-w", for "-wNAME", and for "-pw", in which letters of flags come before it.
bool has_short(std::string_view word, std::string_view option) {
    constexpr std::string_view kFlags = "pcvy";  // of Claude and Gemini; no value follows
    if (option.size() != 2 || word.size() < 2 || word[1] == '-') return false;
    const std::size_t at = word.find_first_not_of(kFlags, 1);
    return at != word.npos && word[at] == option[1];
}

}  // namespace

bool is_agent_program(const std::string& program) {
    return recipe_of({program}) != nullptr;
}

bool names_lines(const Words& command) {
    const Recipe* const recipe = recipe_of(command);
    if (recipe == nullptr || recipe->lines.empty()) return false;
    bool prints = false;
    each_option(*recipe, command,
                [&](const std::string&, const std::string& name, const std::string& value) {
                    if (is_one_of(recipe->lines, name)) prints = value == recipe->lines_value;
                });
    return prints;
}

std::string called_for_lines(const Words& command) {
    const Recipe* const recipe = recipe_of(command);
    if (recipe == nullptr || !names_lines(command)) return {};
    std::span<const std::string> words{command};
    words = words.subspan(1);
    if (!recipe->verb.empty()) {
        const auto verb = std::find(words.begin(), words.end(), recipe->verb);
        if (verb == words.end()) return {};
        words = words.subspan(static_cast<std::size_t>(verb - words.begin()) + 1);
    }
    bool runs = !recipe->verb.empty() || has_prompt(*recipe, words);
    bool asks = !words.empty() && is_one_of(recipe->no_run, words.front());  // for something else
    each_option(*recipe, command,
                [&](const std::string&, const std::string& name, const std::string&) {
                    asks = asks || is_one_of(kAsks, name) || is_one_of(recipe->no_run, name);
                    runs = runs || is_one_of(kPrints, name);
                });
    return runs && !asks ? std::string(recipe->agent) : std::string{};
}

std::string named_folder(const Words& command) {
    std::string folder;
    const Recipe* const recipe = recipe_of(command);
    if (recipe == nullptr) return folder;
    each_option(*recipe, command,
                [&](const std::string& word, const std::string& name, const std::string& value) {
                    if (is_one_of(recipe->folder, name)) {
                        folder = value;
                    } else if (word.size() > 2 && word[1] != '-' &&
                               is_one_of(recipe->folder, std::string_view(word).substr(0, 2))) {
                        folder = word.substr(2);  // "-C../tree"
                    }
                });
    return folder;
}

std::string fresh_folder_option(const Words& command) {
    std::string option;
    const Recipe* const recipe = recipe_of(command);
    if (recipe == nullptr) return option;
    each_option(*recipe, command,
                [&](const std::string& word, const std::string& name, const std::string&) {
                    for (const std::string_view fresh : recipe->fresh_folder)
                        if (name == fresh || has_short(word, fresh)) option = word;
                });
    return option;
}

}  // namespace headway::cli
