// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/recipe.hpp"

#include <algorithm>

namespace headway::cli {
namespace {

constexpr const Recipe* kRecipes[] = {
    &kClaudeRecipe, &kCodexRecipe,   &kGeminiRecipe, &kQwenRecipe, &kOpencodeRecipe,
    &kKiloRecipe,   &kCopilotRecipe, &kCursorRecipe, &kPiRecipe,   &kClineRecipe};

}  // namespace

bool is_one_of(std::span<const std::string_view> all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

const Recipe* recipe_of_agent(std::string_view agent) {
    for (const Recipe* const recipe : kRecipes)
        if (recipe->agent == agent) return recipe;
    return nullptr;
}

const Recipe* recipe_of_program(std::string_view program) {
    for (const Recipe* const recipe : kRecipes)
        if (is_one_of(recipe->programs, program)) return recipe;
    return nullptr;
}

}  // namespace headway::cli
