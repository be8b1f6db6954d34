// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kCodex[] = {"codex"};
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
                                             "--local-provider",
                                             "--remote"};
constexpr std::string_view kChange[] = {"-C", "--cd"};

}  // namespace

const Recipe kCodexRecipe{
    .agent = "codex",
    .programs = kCodex,
    .verb = "exec",
    .valued = kCodexValued,
    .newest = kCodexNewest,
    .resume = "resume",
    .verb_behind = true,
    .folder = kChange,
    .fresh_folder = kWorktreeLong,
    .lines = kJson,
};

}  // namespace headway::cli
