// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/resume_command.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace headway::cli {
namespace {

using Words = std::vector<std::string>;

core::Error cannot(std::string why, core::ErrorCode code = core::ErrorCode::kInvalidParameter) {
    return {code,
            std::move(why) + "; name the command with --resume-command 'AGENT {id} {prompt}'",
            {}};
}

/// Inside other words a shell would take the agent's text apart, or another shell would run it.
core::Error inside_quotes() {
    return {core::ErrorCode::kInvalidParameter,
            "{id} and {prompt} cannot stand inside quotes with other words; write them alone",
            "--resume-command"};
}

/// The options of the first command.
struct Flags {
    Words kept;
    std::size_t prompts = 0;  ///< words that may each be the prompt
    bool files = false;       ///< beside the prompt
};

bool takes_prompt(const Recipe& recipe, std::string_view word) {
    if (recipe.prompt_option.empty()) return false;
    return word == recipe.prompt_option || word == "--prompt";
}

bool names_prompt(const Recipe& recipe, std::span<const std::string> words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    return std::any_of(words.begin(), end, [&](const std::string& word) {
        return takes_prompt(recipe, std::string_view(word).substr(0, word.find('=')));
    });
}

/// Claude and pi print and end with a flag that the others use for the prompt.
Flags flags_of(const Recipe& recipe, std::span<const std::string> words) {
    Flags flags;
    const bool named = names_prompt(recipe, words);
    bool may_take = false;  // the option before may take words, or not
    const auto count = [&](std::size_t prompts) {
        flags.prompts += recipe.joins_words ? std::size_t{flags.prompts == 0} : prompts;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const std::string name = word.substr(0, word.find('='));
        const bool joined = name.size() < word.size();
        if (word == "--") {  // no option behind it
            if (i + 1 < words.size()) count(words.size() - i - 1);
            break;
        }
        const bool bare = !word.starts_with('-') || word == "-";
        if (bare && named && may_take) {  // no prompt beside its option
            flags.kept.push_back(word);
            continue;
        }
        may_take = false;
        if (bare && !recipe.file_mark.empty() && word.starts_with(recipe.file_mark)) {
            flags.files = true;
        } else if (bare) {
            count(1);
        } else if (takes_prompt(recipe, name)) {
            ++flags.prompts;
            if (!joined) ++i;
        } else if (is_one_of(recipe.conversation, name)) {
            if (!joined) ++i;
        } else if (!is_one_of(recipe.newest, word)) {
            flags.kept.push_back(word);
            may_take = !joined && !is_one_of(recipe.valued, name);
            if (!joined && is_one_of(recipe.valued, name) && i + 1 < words.size())
                flags.kept.push_back(words[++i]);
            const bool more = !joined && is_one_of(recipe.greedy, name);
            while (more && i + 1 < words.size() && !words[i + 1].starts_with('-'))
                flags.kept.push_back(words[++i]);
        }
    }
    return flags;
}

}  // namespace

bool has_prompt(const Recipe& recipe, std::span<const std::string> words) {
    const Flags flags = flags_of(recipe, words);
    return flags.prompts > 0 || flags.files;
}

core::Result<Words> resume_command(const Words& first, std::string_view agent,
                                   const std::string& id, const std::string& prompt) {
    if (agent.empty()) return cannot("the command printed no line of a known agent");
    const Recipe* recipe = recipe_of_agent(agent);
    // Before the end of its first step, Kilo writes what opencode writes.
    const Recipe* const own =
        recipe_of_program(std::filesystem::path(first.front()).filename().string());
    if (agent == "opencode" && own != nullptr && own->agent == "kilo") recipe = own;
    if (recipe == nullptr || recipe->resume.empty())
        return cannot(std::string(agent) + " has no resume of its own");
    if (id.empty() || id.starts_with('-')) return cannot("the agent named no conversation");
    const std::string program = std::filesystem::path(first.front()).filename().string();
    if (!is_one_of(recipe->programs, program))
        return cannot("the command is " + program + " and not the agent itself");
    std::span<const std::string> words{first};
    words = words.subspan(1);
    Words command{first.front()};
    if (!recipe->verb.empty()) {
        if (words.empty() || words.front() != recipe->verb)
            return cannot("the command is not " + program + " " + std::string(recipe->verb));
        command.push_back(words.front());
        words = words.subspan(1);
    }
    // A run that was itself a resume: its conversation and prompt are replaced.
    const auto resumed =
        recipe->verb_behind ? std::find(words.begin(), words.end(), recipe->resume) : words.end();
    const auto before = static_cast<std::size_t>(resumed - words.begin());
    Flags flags = flags_of(*recipe, words.first(before));
    if (resumed != words.end()) {
        const Flags behind = flags_of(*recipe, words.subspan(before + 1));
        flags.kept.insert(flags.kept.end(), behind.kept.begin(), behind.kept.end());
        flags.prompts += behind.prompts > 0 ? behind.prompts - 1 : 0;
    }
    if (flags.prompts > 1)
        return cannot("which word of the command is the prompt is unknown",
                      core::ErrorCode::kUnknownField);
    command.insert(command.end(), flags.kept.begin(), flags.kept.end());
    if (recipe->resume.ends_with('=')) {
        command.push_back(std::string(recipe->resume) + id);
    } else {
        command.insert(command.end(), {std::string(recipe->resume), id});
    }
    if (!recipe->prompt_option.empty()) command.emplace_back(recipe->prompt_option);
    command.push_back(prompt);
    return command;
}

core::Result<Words> own_resume_command(const std::string& words, const std::string& id,
                                       const std::string& prompt) {
    if (id.empty() || id.starts_with('-')) return cannot("the agent named no conversation");
    static constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {
        {"{id}", "\"${1}\""}, {"{prompt}", "\"${2}\""}};
    std::string script;
    char quote = 0;  // the one that is open
    std::string_view left{words};
    const auto take = [&](std::size_t count) {
        script += left.substr(0, count);
        left.remove_prefix(std::min(count, left.size()));
    };
    // A placeholder that is alone in its quotes stands for itself, too.
    const auto replace = [&](std::string_view place, std::string_view by) {
        const bool quoted = left.front() == '\'' || left.front() == '"';
        const std::string mark =
            quoted ? left.front() + std::string(place) + left.front() : std::string(place);
        if (!left.starts_with(mark)) return false;
        script += by;
        left.remove_prefix(mark.size());
        return true;
    };
    while (!left.empty()) {
        const char c = left.front();
        if (quote == 0 && std::any_of(std::begin(kPlaces), std::end(kPlaces), [&](const auto& one) {
                return replace(one.first, one.second);
            }))
            continue;
        if (left.starts_with("{id}") || left.starts_with("{prompt}")) return inside_quotes();
        if (c == '\\' && quote != '\'') {
            take(2);
            continue;
        }
        if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == quote) {
            quote = 0;
        }
        take(1);
    }
    return Words{"/bin/sh", "-c", script, "headway-resume", id, prompt};
}

}  // namespace headway::cli
