// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// The options of the agents' own commands that matter for a resume, or for what they print.

namespace headway::cli {

/// The options of one agent's command, for the command that resumes its conversation.
struct Recipe {
    std::string_view agent{};                      ///< the agent's name in its lines
    std::span<const std::string_view> programs{};  ///< names of its program
    std::string_view verb{};                       ///< before its flags: "exec", "run"; empty: none
    /// Options that take the next word; other options stand alone. A word that is neither is the
    /// prompt.
    std::span<const std::string_view> valued{};
    /// Options of the first run that name a conversation; a resume leaves them out, with their
    /// value.
    std::span<const std::string_view> conversation{};
    /// Options without a value that resume the newest conversation, which may be another one, or a
    /// copy of it; a resume leaves them out.
    std::span<const std::string_view> newest{};
    std::string_view prompt_option{};  ///< takes the prompt; empty: the prompt stands alone
    std::string_view resume{};  ///< "--resume", "resume"; ends in `=`: one word with the id; empty:
                                ///< it cannot be resumed by its own options
    bool verb_behind = false;   ///< the resume stands behind all flags, as a verb of its own
    bool joins_words = false;   ///< all words that are no option's are one prompt
    std::string_view file_mark{};  ///< words with this beginning are files beside the prompt
    /// Those of `valued` that take all words up to the next option.
    std::span<const std::string_view> greedy{};
    /// Options that name the folder in which the agent works, in each run the same.
    std::span<const std::string_view> folder{};
    /// Options that make a folder at each start: repeated, they would lead away from the work.
    std::span<const std::string_view> fresh_folder{};
    /// The names of the option by which it prints JSON lines, and the option's value; empty: the
    /// option stands alone.
    std::span<const std::string_view> lines{};
    std::string_view lines_value{};
    /// Options, and words in place of the prompt, that make the program do something other than a
    /// run.
    std::span<const std::string_view> no_run{};
};

// Each is defined in agents/<name>/resume.cpp.
extern const Recipe kClaudeRecipe;
extern const Recipe kClineRecipe;
extern const Recipe kCodexRecipe;
extern const Recipe kCopilotRecipe;
extern const Recipe kCursorRecipe;
extern const Recipe kGeminiRecipe;
extern const Recipe kKiloRecipe;
extern const Recipe kOpencodeRecipe;
extern const Recipe kPiRecipe;
extern const Recipe kQwenRecipe;

/// The recipe of an agent by its name in its lines, or by the file name of its program; null: none.
const Recipe* recipe_of_agent(std::string_view agent);
const Recipe* recipe_of_program(std::string_view program);

/// True if `all` contains `word`. Pure.
bool is_one_of(std::span<const std::string_view> all, std::string_view word);

}  // namespace headway::cli
