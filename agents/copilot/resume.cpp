// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kCopilot[] = {"copilot"};
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
constexpr std::string_view kChangeShort[] = {"-C"};

}  // namespace

const Recipe kCopilotRecipe{
    .agent = "copilot",
    .programs = kCopilot,
    .valued = kCopilotValued,
    .conversation = kCopilotTalk,
    .newest = kCopilotNewest,
    .prompt_option = "-p",
    .resume = "--resume=",
    .folder = kChangeShort,
    .fresh_folder = kWorktree,
    .lines = kOutputFormat,
    .lines_value = "json",
};

}  // namespace headway::cli
