// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kClaude[] = {"claude"};
constexpr std::string_view kClaudeValued[] = {"--model",
                                              "--output-format",
                                              "--input-format",
                                              "--permission-mode",
                                              "--allowedTools",
                                              "--allowed-tools",
                                              "--disallowedTools",
                                              "--disallowed-tools",
                                              "--system-prompt",
                                              "--append-system-prompt",
                                              "--mcp-config",
                                              "--settings",
                                              "--add-dir",
                                              "--max-turns",
                                              "--max-budget-usd",
                                              "--fallback-model",
                                              "--agents",
                                              "--agent",
                                              "--betas",
                                              "--permission-prompt-tool",
                                              "--setting-sources",
                                              "--json-schema",
                                              "--effort",
                                              "--plugin-dir",
                                              "--tools",
                                              "--name",
                                              "-n",
                                              "--system-prompt-file",
                                              "--append-system-prompt-file",
                                              "--max-thinking-tokens",
                                              "--debug-file"};
constexpr std::string_view kClaudeGreedy[] = {
    "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools",
    "--mcp-config",   "--add-dir",       "--betas",           "--tools"};
constexpr std::string_view kClaudeTalk[] = {"--session-id", "--resume", "-r"};
constexpr std::string_view kClaudeNewest[] = {"-c", "--continue", "--fork-session"};

}  // namespace

const Recipe kClaudeRecipe{
    .agent = "claude",
    .programs = kClaude,
    .valued = kClaudeValued,
    .conversation = kClaudeTalk,
    .newest = kClaudeNewest,
    .resume = "--resume",
    .greedy = kClaudeGreedy,
    .fresh_folder = kWorktree,
    .lines = kOutputFormat,
    .lines_value = "stream-json",
};

}  // namespace headway::cli
