// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headway::core {

/// The form of a well-known service's tokens: a prefix, then letters, digits, `_` and `-`.
struct TokenShape {
    std::string_view start;
    std::size_t bytes_min;  ///< minimum length of the whole token
};
inline constexpr std::array<TokenShape, 40> kTokenShapes{
    {{"sk-", 24},     {"sk_live_", 20},    {"sk_test_", 20}, {"rk_live_", 20},  {"rk_test_", 20},
     {"whsec_", 24},  {"ghp_", 24},        {"gho_", 24},     {"ghu_", 24},      {"ghs_", 24},
     {"ghr_", 24},    {"github_pat_", 30}, {"glpat-", 20},   {"glrt-", 20},     {"gldt-", 20},
     {"glptt-", 20},  {"xoxb-", 20},       {"xoxp-", 20},    {"xoxa-", 20},     {"xoxs-", 20},
     {"xapp-", 24},   {"AKIA", 20},        {"ASIA", 20},     {"AIza", 35},      {"ya29.", 30},
     {"GOCSPX-", 30}, {"eyJ", 36},         {"hf_", 24},      {"npm_", 30},      {"pypi-", 30},
     {"hw_", 30},     {"dop_v1_", 40},     {"hvs.", 28},     {"dckr_pat_", 28}, {"shpat_", 30},
     {"glsa_", 30},   {"gsk_", 36},        {"lin_api_", 36}, {"figd_", 36},     {"sntrys_", 36}}};

/// For each first byte, the shapes that begin with it, as a bit set.
constexpr std::array<std::uint64_t, 256> token_shapes_by_start() {
    static_assert(kTokenShapes.size() <= 64);
    std::array<std::uint64_t, 256> table{};
    for (std::size_t i = 0; i < kTokenShapes.size(); ++i)
        table[static_cast<unsigned char>(kTokenShapes[i].start[0])] |= std::uint64_t{1} << i;
    return table;
}
inline constexpr std::array<std::uint64_t, 256> kTokenShapesByStart = token_shapes_by_start();

}  // namespace headway::core
