// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace headway::cli {

/// The command that goes on with a conversation of an agent: the first one with all its flags, its
/// prompt replaced, and the agent's own option for a resume. `agent` is its name in its lines,
/// `id` its id of the conversation. Error: kInvalidParameter, the detail says for people why it
/// cannot be made. Pure.
core::Result<std::vector<std::string>> resume_command(const std::vector<std::string>& first,
                                                      std::string_view agent, const std::string& id,
                                                      const std::string& prompt);

/// The same of a command of the user's own: words of a shell in which {id} and {prompt} stand for
/// the two, alone or alone in quotes. They become parameters of the shell, which never reads them
/// as words of its own. Error: kInvalidParameter for one inside quotes with other words, which
/// another shell could run, and for an id that would be an option. Pure.
core::Result<std::vector<std::string>> own_resume_command(const std::string& words,
                                                          const std::string& id,
                                                          const std::string& prompt);

}  // namespace headway::cli
