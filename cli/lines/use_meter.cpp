// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/use_meter.hpp"

#include <algorithm>

#include "core/budget_settings.hpp"

namespace headway::cli {
namespace {

std::uint64_t beyond(std::uint64_t now, std::uint64_t before) {
    return now > before ? now - before : 0;
}

/// In all its life.
constexpr std::uint64_t kUsedTokensMax = 1'000'000'000'000;

}  // namespace

LineUse believable(LineUse told) {
    if (told.input_tokens > kUsedTokensMax) told.input_tokens = 0;
    if (told.output_tokens > kUsedTokensMax) told.output_tokens = 0;
    const double cost = told.cost_usd.value_or(0);
    if (!(cost >= 0 && cost <= core::kMaxCostUsdMax)) told.cost_usd.reset();
    return told;
}

std::optional<LineUse> UseMeter::add(const LineUse& said) {
    const LineUse told = believable(said);
    const bool total = told.answer.empty();
    const std::uint64_t tokens = told.input_tokens + told.output_tokens;
    if (total && tokens < total_) *this = {};
    if (total) total_ = tokens;
    if (!total && told.answer != answer_.answer) {
        answer_ = {};
        answer_.answer = told.answer;
    }
    LineUse& before = total ? counted_ : answer_;
    LineUse used;
    used.input_tokens = beyond(told.input_tokens, before.input_tokens);
    used.output_tokens = beyond(told.output_tokens, before.output_tokens);
    const double known = total ? cost_ : before.cost_usd.value_or(0);
    const double cost = std::max(0.0, told.cost_usd.value_or(0) - known);
    if (cost > 0) used.cost_usd = cost;
    if (!total) {
        answer_.input_tokens += used.input_tokens;
        answer_.output_tokens += used.output_tokens;
        answer_.cost_usd = known + cost;
    }
    counted_.input_tokens += used.input_tokens;
    counted_.output_tokens += used.output_tokens;
    cost_ += cost;
    const bool nothing = used.input_tokens == 0 && used.output_tokens == 0 && cost <= 0;
    return nothing ? std::nullopt : std::optional{used};
}

}  // namespace headway::cli
