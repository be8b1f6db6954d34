// SPDX-License-Identifier: Apache-2.0
#include "cli/conversations/agent_homes.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProjectsMax = 20'000;
constexpr std::size_t kFilesLooked = 100'000;
constexpr int kLevelsMax = 2;  // below the folder itself

/// Where an agent keeps its login and its sessions.
struct HomeOf {
    std::string_view agent;
    const char* variable;  ///< names the folder
    const char* usual;     ///< the folder below the user's home, without that variable
};
constexpr HomeOf kHomes[] = {
    {"claude", "CLAUDE_CONFIG_DIR", "/.claude"}, {"codex", "CODEX_HOME", "/.codex"},
    {"gemini", "GEMINI_CLI_HOME", ""},           {"qwen", "QWEN_HOME", "/.qwen"},
    {"copilot", "COPILOT_HOME", "/.copilot"},    {"opencode", "XDG_DATA_HOME", "/.local/share"},
    {"kilo", "XDG_DATA_HOME", "/.local/share"},  {"pi", "PI_CODING_AGENT_DIR", "/.pi/agent"},
    {"cline", "CLINE_DIR", "/.cline"},
};

std::string value_of(const std::map<std::string, std::string>& environment, const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string{} : found->second;
}

}  // namespace

std::string agent_folder(std::string_view agent,
                         const std::map<std::string, std::string>& environment) {
    std::string home = value_of(environment, "HOME");
    for (const HomeOf& known : kHomes) {
        if (known.agent != agent) continue;
        const std::string chosen = value_of(environment, known.variable);
        return chosen.empty() && !home.empty() ? home + known.usual : chosen;
    }
    return home;
}

AgentHomes agent_homes(const std::map<std::string, std::string>& environment) {
    return {.claude = agent_folder("claude", environment),
            .codex = agent_folder("codex", environment),
            .qwen = agent_folder("qwen", environment),
            .gemini = agent_folder("gemini", environment),
            .copilot = agent_folder("copilot", environment),
            .pi = agent_folder("pi", environment),
            .data = agent_folder("opencode", environment)};
}

std::string agent_home(std::string_view agent,
                       const std::map<std::string, std::string>& environment) {
    const std::string home = agent_folder(agent, environment);
    std::error_code ec;
    fs::path real = fs::weakly_canonical(home, ec);
    if (!real.has_filename()) real = real.parent_path();  // "/home/dev/.claude/"
    return ec ? home : real.string();
}

bool is_conversation(const std::string& id) {
    return !id.empty() && id.size() <= 128 && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

std::vector<std::string> files_below(const std::string& folder, const std::string& part) {
    std::error_code ec;
    std::vector<std::string> files;
    std::size_t looked_at = 0;
    for (fs::recursive_directory_iterator entry(folder, ec), end; !ec && entry != end;
         entry.increment(ec)) {
        if (++looked_at > kFilesLooked) break;
        if (entry.depth() >= kLevelsMax) entry.disable_recursion_pending();
        std::error_code none;
        const bool fits = entry->path().filename().string().find(part) != std::string::npos;
        if (fits && fs::is_regular_file(fs::symlink_status(entry->path(), none)))
            files.push_back(entry->path().string());
    }
    return files;
}

std::string file_in_projects(const std::string& home, const std::string& below,
                             const std::string& id) {
    if (home.empty() || !is_conversation(id)) return {};
    std::error_code ec;
    std::size_t looked_at = 0;
    for (fs::directory_iterator entry(home + "/projects", ec), end; !ec && entry != end;
         entry.increment(ec)) {
        if (++looked_at > kProjectsMax) break;
        std::error_code none;
        const fs::path file = entry->path() / (below + id + ".jsonl");
        if (fs::is_regular_file(fs::symlink_status(file, none))) return file.string();
    }
    return {};
}

}  // namespace headway::cli
