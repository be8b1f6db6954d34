// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/meters/prices.hpp"

// Public prices in US dollars per million tokens, standard processing, of November 2026. Batch,
// priority and regional surcharges are not in it, nor those for long prompts (OpenAI above 272,000
// tokens, Gemini Pro above 200,000, Claude Haiku 5.5 above 100,000): an estimate may be too low
// there. Models whose prices depend on the hour are left out. Sources:
//   Anthropic  platform.claude.com/docs/en/about-claude/pricing (cache writes: of 5 minutes)
//   OpenAI     developers.openai.com/api/docs/pricing (without a price for cache writes: as input)
//   Google     ai.google.dev/gemini-api/docs/pricing (3.6 to 3.8 Flash: the price until 2026-12-31)

namespace headway::core {
namespace {

constexpr std::array kList{
    // Model, input, cached, cache_write, output.
    ListPrice{"claude-fable-5-1", 10, 0.25, 12.5, 50},
    ListPrice{"claude-mythos-5-1", 10, 0.25, 12.5, 50},
    ListPrice{"claude-fable-5", 10, 1, 12.5, 50},
    ListPrice{"claude-mythos-5", 10, 1, 12.5, 50},
    ListPrice{"claude-opus-5-5", 4, 0.2, 5, 20},
    ListPrice{"claude-opus-5", 5, 0.5, 6.25, 25},
    ListPrice{"claude-opus-4-8", 5, 0.5, 6.25, 25},
    ListPrice{"claude-opus-4-7", 5, 0.5, 6.25, 25},
    ListPrice{"claude-opus-4-6", 5, 0.5, 6.25, 25},
    ListPrice{"claude-opus-4-5", 5, 0.5, 6.25, 25},
    ListPrice{"claude-opus-4-1", 15, 1.5, 18.75, 75},
    ListPrice{"claude-opus-4", 15, 1.5, 18.75, 75},
    ListPrice{"claude-sonnet-5-5", 2, 0.1, 2.5, 10},
    ListPrice{"claude-sonnet-5", 2, 0.2, 2.5, 10},
    ListPrice{"claude-sonnet-4-6", 3, 0.3, 3.75, 15},
    ListPrice{"claude-sonnet-4-5", 3, 0.3, 3.75, 15},
    ListPrice{"claude-sonnet-4", 3, 0.3, 3.75, 15},
    ListPrice{"claude-haiku-5-5", 0.1, 0.01, 0.125, 0.5},
    ListPrice{"claude-haiku-4-5", 1, 0.1, 1.25, 5},
    ListPrice{"claude-3-5-haiku", 0.8, 0.08, 1, 4},
    ListPrice{"gpt-6.2-astra", 8, 0.4, 10, 40},
    ListPrice{"gpt-6.2-sol", 2, 0.1, 2.5, 10},
    ListPrice{"gpt-6.1-sol", 2, 0.1, 2.5, 10},
    ListPrice{"gpt-6.1-terra", 1, 0.05, 1.25, 5},
    ListPrice{"gpt-6-astra", 10, 1, 12.5, 50},
    ListPrice{"gpt-6-sol", 2, 0.2, 2.5, 10},
    ListPrice{"gpt-6-luna", 0.1, 0.01, 0.125, 0.5},
    ListPrice{"gpt-5.6-sol", 4, 0.4, 4, 20},
    ListPrice{"gpt-5.6-terra", 2, 0.2, 2, 12},
    ListPrice{"gpt-5.6-luna", 0.2, 0.02, 0.2, 1.2},
    ListPrice{"gpt-5.5", 5, 0.5, 5, 30},
    ListPrice{"gpt-5.5-pro", 30, 30, 30, 180},
    ListPrice{"gpt-5.4", 2.5, 0.25, 2.5, 15},
    ListPrice{"gpt-5.4-pro", 30, 30, 30, 180},
    ListPrice{"gpt-5.4-mini", 0.75, 0.075, 0.75, 4.5},
    ListPrice{"gpt-5.4-nano", 0.2, 0.02, 0.2, 1.25},
    ListPrice{"gpt-5.3-codex", 1.75, 0.175, 1.75, 14},
    ListPrice{"gpt-5.2-codex", 1.75, 0.175, 1.75, 14},
    ListPrice{"gpt-5.2", 1.75, 0.175, 1.75, 14},
    ListPrice{"gpt-5.2-pro", 21, 21, 21, 168},
    ListPrice{"gpt-5.1", 1.25, 0.125, 1.25, 10},
    ListPrice{"gpt-5", 1.25, 0.125, 1.25, 10},
    ListPrice{"gpt-5-codex", 1.25, 0.125, 1.25, 10},
    ListPrice{"gpt-5-mini", 0.25, 0.025, 0.25, 2},
    ListPrice{"gpt-5-nano", 0.05, 0.005, 0.05, 0.4},
    ListPrice{"gpt-5-pro", 15, 15, 15, 120},
    ListPrice{"gpt-4.1", 2, 0.5, 2, 8},
    ListPrice{"gpt-4.1-mini", 0.4, 0.1, 0.4, 1.6},
    ListPrice{"gpt-4.1-nano", 0.1, 0.025, 0.1, 0.4},
    ListPrice{"gpt-4o", 2.5, 1.25, 2.5, 10},
    ListPrice{"gpt-4o-mini", 0.15, 0.075, 0.15, 0.6},
    ListPrice{"o3", 2, 0.5, 2, 8},
    ListPrice{"o3-mini", 1.1, 0.55, 1.1, 4.4},
    ListPrice{"o4-mini", 1.1, 0.275, 1.1, 4.4},
    ListPrice{"gemini-4-neon", 3, 0.15, 3, 15},
    ListPrice{"gemini-4-hydrogen", 1.5, 0.075, 1.5, 7.5},
    ListPrice{"gemini-3.8-flash", 0.75, 0.075, 0.75, 3.75},
    ListPrice{"gemini-3.7-flash", 0.75, 0.075, 0.75, 3.75},
    ListPrice{"gemini-3.6-flash", 0.75, 0.075, 0.75, 3.75},
    ListPrice{"gemini-3.5-flash", 1.5, 0.15, 1.5, 9},
    ListPrice{"gemini-3.5-flash-lite", 0.3, 0.03, 0.3, 2.5},
    ListPrice{"gemini-3.1-pro-preview", 2, 0.2, 2, 12},
    ListPrice{"gemini-3-flash-preview", 0.5, 0.05, 0.5, 3},
    ListPrice{"gemini-2.5-pro", 1.25, 0.125, 1.25, 10},
    ListPrice{"gemini-2.5-flash", 0.3, 0.03, 0.3, 2.5},
    ListPrice{"gemini-2.5-flash-lite", 0.1, 0.01, 0.1, 0.4},
};

}  // namespace

std::span<const ListPrice> list_prices() {
    return kList;
}

}  // namespace headway::core
