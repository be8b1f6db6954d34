// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kQwen[] = {"qwen"};
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
                                            "--cwd",
                                            "--openai-api-key",
                                            "--openai-base-url",
                                            "--openai-logging-dir",
                                            "--tavily-api-key",
                                            "--system-prompt",
                                            "--append-system-prompt",
                                            "--input-format",
                                            "--json-schema",
                                            "--mcp-config",
                                            "--add-dir",
                                            "--fallback-model",
                                            "--max-wall-time",
                                            "--max-tool-calls",
                                            "--max-subagent-depth",
                                            "--proxy"};
constexpr std::string_view kQwenNewest[] = {"-c", "--continue", "--fork-session"};
constexpr std::string_view kCwd[] = {"--cwd"};

}  // namespace

const Recipe kQwenRecipe{
    .agent = "qwen",
    .programs = kQwen,
    .valued = kQwenValued,
    .conversation = kGeminiTalk,
    .newest = kQwenNewest,
    .prompt_option = "-p",
    .resume = "--resume",
    .greedy = kGeminiGreedy,
    .folder = kCwd,
    .fresh_folder = kWorktreeLong,
    .lines = kOutputFormat,
    .lines_value = "stream-json",
    .no_run = kGeminiNoRun,
};

}  // namespace headway::cli
