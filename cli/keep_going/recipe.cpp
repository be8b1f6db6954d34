// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/recipe.hpp"

#include <algorithm>

namespace headway::cli {
namespace {

constexpr std::string_view kClaude[] = {"claude"};
constexpr std::string_view kCodex[] = {"codex"};
constexpr std::string_view kGemini[] = {"gemini"};
constexpr std::string_view kQwen[] = {"qwen"};
constexpr std::string_view kOpencode[] = {"opencode"};
constexpr std::string_view kKilo[] = {"kilo", "kilocode"};
constexpr std::string_view kCopilot[] = {"copilot"};
constexpr std::string_view kPi[] = {"pi"};
constexpr std::string_view kCline[] = {"cline"};

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
                                              "--tools"};
constexpr std::string_view kClaudeGreedy[] = {
    "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools",
    "--mcp-config",   "--add-dir",       "--betas",           "--tools"};
constexpr std::string_view kClaudeTalk[] = {"--session-id", "--resume", "-r"};
constexpr std::string_view kCodexNewest[] = {"--last", "--all"};
constexpr std::string_view kCodexValued[] = {"-m",
                                             "--model",
                                             "-c",
                                             "--config",
                                             "-s",
                                             "--sandbox",
                                             "-C",
                                             "--cd",
                                             "-p",
                                             "--profile",
                                             "-i",
                                             "--image",
                                             "--output-schema",
                                             "-o",
                                             "--output-last-message",
                                             "--color",
                                             "--add-dir",
                                             "-a",
                                             "--ask-for-approval",
                                             "--enable",
                                             "--disable",
                                             "--local-provider"};
constexpr std::string_view kClaudeNewest[] = {"-c", "--continue", "--fork-session"};
constexpr std::string_view kGeminiValued[] = {"-m",
                                              "--model",
                                              "-o",
                                              "--output-format",
                                              "--approval-mode",
                                              "-e",
                                              "--extensions",
                                              "--include-directories",
                                              "--allowed-tools",
                                              "--allowed-mcp-server-names",
                                              "--policy",
                                              "--sandbox-image",
                                              "--max-session-turns",
                                              "--auth-type",
                                              "--core-tools",
                                              "--exclude-tools"};
constexpr std::string_view kGeminiGreedy[] = {"-e",
                                              "--extensions",
                                              "--include-directories",
                                              "--allowed-tools",
                                              "--allowed-mcp-server-names",
                                              "--core-tools",
                                              "--exclude-tools"};
constexpr std::string_view kGeminiTalk[] = {"--session-id", "--resume", "-r"};
constexpr std::string_view kOpencodeValued[] = {"-m",       "--model",   "--agent",     "--format",
                                                "-f",       "--file",    "--title",     "--port",
                                                "--attach", "--variant", "--log-level", "--dir"};
constexpr std::string_view kOpencodeTalk[] = {"-s", "--session"};
constexpr std::string_view kOpencodeNewest[] = {"-c", "--continue", "--fork"};
constexpr std::string_view kCopilotValued[] = {"--model",
                                               "--agent",
                                               "--allow-tool",
                                               "--deny-tool",
                                               "--add-dir",
                                               "--output-format",
                                               "--log-dir",
                                               "--log-level",
                                               "--additional-mcp-config",
                                               "--disable-mcp-server",
                                               "--stream",
                                               "--available-tools",
                                               "--excluded-tools",
                                               "--allow-url",
                                               "--deny-url",
                                               "--config-dir",
                                               "-C",
                                               "--effort"};
constexpr std::string_view kCopilotTalk[] = {"--session-id", "--resume"};
constexpr std::string_view kCopilotNewest[] = {"--continue"};
constexpr std::string_view kPiValued[] = {
    "--provider",       "--model",         "--api-key",
    "--mode",           "--tools",         "-t",
    "--thinking",       "--extension",     "-e",
    "--skill",          "--system-prompt", "--append-system-prompt",
    "--session-dir",    "--models",        "--theme",
    "--prompt-template"};
constexpr std::string_view kPiTalk[] = {"--session", "-r", "--fork"};
constexpr std::string_view kPiNewest[] = {"-c", "--continue", "--no-session"};
constexpr std::string_view kClineValued[] = {"-c", "--cwd", "-m", "--model", "-t", "--timeout"};
constexpr std::string_view kQwenValued[] = {"-m",
                                            "--model",
                                            "-o",
                                            "--output-format",
                                            "--approval-mode",
                                            "-e",
                                            "--extensions",
                                            "--include-directories",
                                            "--allowed-tools",
                                            "--allowed-mcp-server-names",
                                            "--policy",
                                            "--sandbox-image",
                                            "--max-session-turns",
                                            "--auth-type",
                                            "--core-tools",
                                            "--exclude-tools",
                                            "--cwd"};
constexpr std::string_view kChange[] = {"-C", "--cd"};
constexpr std::string_view kDir[] = {"--dir"};
constexpr std::string_view kCwd[] = {"--cwd"};
constexpr std::string_view kClineCwd[] = {"-c", "--cwd"};
constexpr std::string_view kChangeShort[] = {"-C"};
constexpr std::string_view kWorktree[] = {"-w", "--worktree"};
constexpr std::string_view kWorktreeLong[] = {"--worktree"};
constexpr std::string_view kKiloWorktree[] = {"--worktree", "--parallel"};
constexpr std::span<const std::string_view> kNoOptions{};

constexpr Recipe kRecipes[] = {
    {"claude", kClaude, "", kClaudeValued, kClaudeTalk, kClaudeNewest, "", "--resume", false,
     kClaudeGreedy, kNoOptions, kWorktree},
    {"codex", kCodex, "exec", kCodexValued, kNoOptions, kCodexNewest, "", "resume", true,
     kNoOptions, kChange, kWorktreeLong},
    {"gemini", kGemini, "", kGeminiValued, kGeminiTalk, kNoOptions, "-p", "--resume", false,
     kGeminiGreedy, kNoOptions, kWorktree},
    {"qwen", kQwen, "", kQwenValued, kGeminiTalk, kNoOptions, "-p", "--resume", false,
     kGeminiGreedy, kCwd, kWorktreeLong},
    {"opencode", kOpencode, "run", kOpencodeValued, kOpencodeTalk, kOpencodeNewest, "", "-s", false,
     kNoOptions, kDir, kWorktreeLong},
    {"kilo", kKilo, "run", kOpencodeValued, kOpencodeTalk, kOpencodeNewest, "", "-s", false,
     kNoOptions, kDir, kKiloWorktree},
    {"copilot", kCopilot, "", kCopilotValued, kCopilotTalk, kCopilotNewest, "-p",
     "--resume=", false, kNoOptions, kChangeShort, kWorktree},
    {"pi", kPi, "", kPiValued, kPiTalk, kPiNewest, "", "--session", false, kNoOptions, kNoOptions,
     kWorktreeLong},
    {"cline", kCline, "", kClineValued, kNoOptions, kNoOptions, "", "", false, kNoOptions,
     kClineCwd, kNoOptions},
};

}  // namespace

bool is_one_of(std::span<const std::string_view> all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

const Recipe* recipe_of_agent(std::string_view agent) {
    const auto* const found = std::find_if(std::begin(kRecipes), std::end(kRecipes),
                                           [agent](const Recipe& r) { return r.agent == agent; });
    return found == std::end(kRecipes) ? nullptr : found;
}

const Recipe* recipe_of_program(std::string_view program) {
    const auto* const found =
        std::find_if(std::begin(kRecipes), std::end(kRecipes),
                     [program](const Recipe& r) { return is_one_of(r.programs, program); });
    return found == std::end(kRecipes) ? nullptr : found;
}

}  // namespace headway::cli
