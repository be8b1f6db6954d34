// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

/// Folders in which agents keep their conversations.
struct AgentHomes {
    std::string claude;        ///< $CLAUDE_CONFIG_DIR or ~/.claude
    std::string codex;         ///< $CODEX_HOME or ~/.codex
    std::string qwen = {};     ///< $QWEN_HOME or ~/.qwen
    std::string gemini = {};   ///< $GEMINI_CLI_HOME or ~
    std::string copilot = {};  ///< $COPILOT_HOME or ~/.copilot
    std::string pi = {};       ///< $PI_CODING_AGENT_DIR or ~/.pi/agent
};

/// The folders according to `environment`; an empty path: unknown.
AgentHomes agent_homes(const std::map<std::string, std::string>& environment);

/// The folder in which an agent of this name keeps its login and its sessions, as its environment
/// variable names it. For an agent whose folder is unknown: the user's home. Empty: unknown.
std::string agent_folder(std::string_view agent,
                         const std::map<std::string, std::string>& environment);

/// agent_folder() with links resolved, so that the result is the same for all paths to one account.
std::string agent_home(std::string_view agent,
                       const std::map<std::string, std::string>& environment);

/// True for an id that may be part of a path.
bool is_conversation(const std::string& id);

/// The files below `folder`, at most three levels down, whose names contain `part`. There may be
/// several, because a resume may add a second file of the conversation. Looks at a bounded number
/// of files.
std::vector<std::string> files_below(const std::string& folder, const std::string& part);

/// The file of the conversation: HOME/projects/PROJECT/`below`ID.jsonl; empty: not found. Looks at
/// a bounded number of projects.
std::string file_in_projects(const std::string& home, const std::string& below,
                             const std::string& id);

}  // namespace headway::cli
