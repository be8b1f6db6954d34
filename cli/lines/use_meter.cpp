// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/use_meter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"
#include "core/meters/budget_settings.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kModelBytesMax = 200;

/// Sums of costs are not exact.
constexpr double kCostSlack = 1e-9;

/// In all its life.
constexpr std::uint64_t kUsedTokensMax = 1'000'000'000'000;

constexpr std::array<std::uint64_t LineTokens::*, 5> kParts{
    &LineTokens::input, &LineTokens::cached, &LineTokens::cache_write, &LineTokens::output,
    &LineTokens::reasoning};

/// The increase of each part, and in all of them no more than in their sum: a total may split
/// otherwise what the answers have told.
LineTokens beyond(const LineTokens& now, const LineTokens& before) {
    LineTokens used;
    std::uint64_t left = without(now.sum(), before.sum());
    for (const auto part : kParts) {
        used.*part = std::min(without(now.*part, before.*part), left);
        left -= used.*part;
    }
    return used;
}

void add_to(LineTokens& sum, const LineTokens& used) {
    for (const auto part : kParts)
        sum.*part += used.*part;
}

}  // namespace

LineUse believable(LineUse use) {
    for (const auto part : kParts) {
        if (use.tokens.*part > kUsedTokensMax) use.tokens.*part = 0;
    }
    const double cost = use.cost_usd.value_or(0);
    if (!(cost >= 0 && cost <= core::kMaxCostUsdMax)) use.cost_usd.reset();
    return use;
}

Json usage_json(const LineUse& use) {
    const LineTokens& tokens = use.tokens;
    Json usage = {{"input_tokens", tokens.input}, {"output_tokens", tokens.output}};
    if (tokens.cached > 0) usage["cached_tokens"] = tokens.cached;
    if (tokens.cache_write > 0) usage["cache_write_tokens"] = tokens.cache_write;
    if (tokens.reasoning > 0) usage["reasoning_tokens"] = tokens.reasoning;
    if (!use.model.empty()) usage["model"] = bounded_text(use.model, kModelBytesMax);
    if (use.cost_usd) usage["cost_usd"] = *use.cost_usd;
    return usage;
}

void UseMeter::start_from(const UsedBefore& before) {
    before_ = last_total_ = before;
    counted_ = before.tokens;
    cost_ = before.cost_usd;
}

void UseMeter::settle(const LineUse& first_total) {
    const UsedBefore before = std::exchange(before_, {});
    const std::uint64_t least = before.restored ? before.tokens.sum() : counted_.sum();
    const double cost = first_total.cost_usd.value_or(before.cost_usd);
    if (first_total.tokens.sum() >= least && cost + kCostSlack >= before.cost_usd) return;
    for (const auto part : kParts)
        counted_.*part = without(counted_.*part, before.tokens.*part);
    cost_ = std::max(0.0, cost_ - before.cost_usd);
}

std::optional<LineUse> UseMeter::add(const LineUse& use) {
    const LineUse line_use = believable(use);
    const bool total = line_use.answer.empty();
    const std::uint64_t tokens = line_use.tokens.sum();
    if (total) settle(line_use);
    if (total && tokens < total_) *this = {};
    if (total) total_ = tokens;
    if (!total && line_use.answer != answer_.answer) {
        answer_ = {};
        answer_.answer = line_use.answer;
    }
    LineUse used;
    used.model = line_use.model;
    used.tokens = beyond(line_use.tokens, total ? counted_ : answer_.tokens);
    const double known = total ? cost_ : answer_.cost_usd.value_or(0);
    const double cost = std::max(0.0, line_use.cost_usd.value_or(0) - known);
    if (cost > 0) used.cost_usd = cost;
    if (!total) {
        add_to(answer_.tokens, used.tokens);
        answer_.cost_usd = known + cost;
    }
    add_to(counted_, used.tokens);
    cost_ += cost;
    if (total) last_total_ = counted();
    const bool nothing = used.tokens.sum() == 0 && cost <= 0;
    return nothing ? std::nullopt : std::optional{used};
}

}  // namespace headway::cli
