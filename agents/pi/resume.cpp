// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kPi[] = {"pi"};
constexpr std::string_view kPiValued[] = {
    "--provider",       "--model",         "--api-key",
    "--mode",           "--tools",         "-t",
    "--thinking",       "--extension",     "-e",
    "--skill",          "--system-prompt", "--append-system-prompt",
    "--session-dir",    "--models",        "--theme",
    "--prompt-template"};
constexpr std::string_view kPiMode[] = {"--mode"};
constexpr std::string_view kPiTalk[] = {"--session", "-r", "--fork"};
constexpr std::string_view kPiNewest[] = {"-c", "--continue", "--no-session"};
constexpr std::string_view kPiNoRun[] = {"--list-models", "--export", "-v",   "install",
                                         "remove",        "update",   "list", "config"};

}  // namespace

const Recipe kPiRecipe{
    .agent = "pi",
    .programs = kPi,
    .valued = kPiValued,
    .conversation = kPiTalk,
    .newest = kPiNewest,
    .resume = "--session",
    .file_mark = "@",
    .fresh_folder = kWorktreeLong,
    .lines = kPiMode,
    .lines_value = "json",
    .no_run = kPiNoRun,
};

}  // namespace headway::cli
