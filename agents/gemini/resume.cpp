// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kGemini[] = {"gemini"};
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

}  // namespace

const Recipe kGeminiRecipe{
    .agent = "gemini",
    .programs = kGemini,
    .valued = kGeminiValued,
    .conversation = kGeminiTalk,
    .prompt_option = "-p",
    .resume = "--resume",
    .greedy = kGeminiGreedy,
    .fresh_folder = kWorktree,
    .lines = kOutputFormat,
    .lines_value = "stream-json",
    .no_run = kGeminiNoRun,
};

}  // namespace headway::cli
