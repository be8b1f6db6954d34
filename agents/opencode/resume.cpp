// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kOpencode[] = {"opencode"};

}  // namespace

const Recipe kOpencodeRecipe{
    .agent = "opencode",
    .programs = kOpencode,
    .verb = "run",
    .valued = kOpencodeValued,
    .conversation = kOpencodeTalk,
    .newest = kOpencodeNewest,
    .resume = "-s",
    .joins_words = true,
    .folder = kDir,
    .fresh_folder = kWorktreeLong,
    .lines = kFormat,
    .lines_value = "json",
};

}  // namespace headway::cli
