// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kCline[] = {"cline"};
constexpr std::string_view kClineValued[] = {"-c", "--cwd", "-m", "--model", "-t", "--timeout"};
constexpr std::string_view kClineCwd[] = {"-c", "--cwd"};
constexpr std::string_view kClineNoRun[] = {"history", "h",      "config", "auth",    "mcp",
                                            "doctor",  "update", "hub",    "version", "schedule"};

}  // namespace

const Recipe kClineRecipe{
    .agent = "cline",
    .programs = kCline,
    .valued = kClineValued,
    .folder = kClineCwd,
    .lines = kJson,
    .no_run = kClineNoRun,
};

}  // namespace headway::cli
