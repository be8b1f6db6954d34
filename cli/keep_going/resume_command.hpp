// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/keep_going/recipe.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

/// The command that resumes an agent's conversation: the first command with all its flags, another
/// prompt, and the agent's own option for a resume. `agent`: the agent's name, as in its output
/// lines; `id`: the agent's id of the conversation. Error: kUnknownField if it is only unknown
/// which word is the prompt, else kInvalidParameter; the detail is a reason for people. Pure.
core::Result<std::vector<std::string>> resume_command(const std::vector<std::string>& first,
                                                      std::string_view agent, const std::string& id,
                                                      const std::string& prompt);

/// True if `words`, the command after the program and its verb, include a prompt or a file that
/// belongs to a prompt. Pure.
bool has_prompt(const Recipe& recipe, std::span<const std::string> words);

/// The command that resumes the conversation, made from the user's own shell command `words`. In
/// `words`, the placeholders {id} and {prompt} are unquoted or alone in quotes. They become
/// parameters of the shell, which never parses the text put in their place. Error:
/// kInvalidParameter for a placeholder in quotes together with other words, because the quoted text
/// could be a command for another shell. The same error for an id that is empty or would be taken
/// as an option. Pure.
core::Result<std::vector<std::string>> own_resume_command(const std::string& words,
                                                          const std::string& id,
                                                          const std::string& prompt);

}  // namespace headway::cli
