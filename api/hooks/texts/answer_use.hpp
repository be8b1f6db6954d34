// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/budget_payloads.hpp"

namespace headway::api::hooks {

/// Usage of one answer of the model, from the agent's own record of its session (hook/README.md).
struct AnswerUse {
    std::string_view id;  ///< the provider's id of the answer
    core::Timestamp at = core::kNever;
    core::Usage usage;
};

inline constexpr std::size_t kAnswerUsesMax = 32;

/// Reads the value of X-Headway-Usage: items `ID;TIME;INPUT;OUTPUT`, each with or without
/// `;CACHED;CACHE_WRITE;REASONING;MODEL` at its end, separated by commas, oldest first. INPUT
/// includes cached tokens, and OUTPUT includes reasoning. AnswerUse::usage has cached tokens and
/// reasoning as separate parts. Items of any other form, and all items after the first 32, are left
/// out. Pure; the ids are views of `header`.
std::vector<AnswerUse> read_answer_uses(std::string_view header);

/// The agent's clock when it sent `header`: `@TIME` as the first item, else the last answer's time,
/// else kNever. Pure.
core::Timestamp answer_clock(std::string_view header);

}  // namespace headway::api::hooks
