// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kKilo[] = {"kilo", "kilocode"};
constexpr std::string_view kKiloWorktree[] = {"--worktree", "--parallel"};

}  // namespace

const Recipe kKiloRecipe{
    .agent = "kilo",
    .programs = kKilo,
    .verb = "run",
    .valued = kOpencodeValued,
    .conversation = kOpencodeTalk,
    .newest = kOpencodeNewest,
    .resume = "-s",
    .joins_words = true,
    .folder = kDir,
    .fresh_folder = kKiloWorktree,
    .lines = kFormat,
    .lines_value = "json",
};

}  // namespace headway::cli
