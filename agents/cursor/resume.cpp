// SPDX-License-Identifier: Apache-2.0
#include "agents/common/resume_options.hpp"
#include "cli/keep_going/recipe.hpp"

namespace headway::cli {
namespace {

// The program has a newer name, `agent`, which other programs have as well.
constexpr std::string_view kCursor[] = {"cursor-agent"};
constexpr std::string_view kCursorValued[] = {"-m",          "--model", "--output-format", "--mode",
                                              "--workspace", "-a",      "--api-key"};

}  // namespace

const Recipe kCursorRecipe{
    .agent = "cursor",
    .programs = kCursor,
    .valued = kCursorValued,
    .lines = kOutputFormat,
    .lines_value = "stream-json",
};

}  // namespace headway::cli
