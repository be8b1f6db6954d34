// SPDX-License-Identifier: Apache-2.0
#include "core/meters/fan_out.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

/// "20 sub-agents at once, more than 16"; the parts that are within their limits are left out.
std::string words(const FanOut& now, const FanOutRules& rules, std::string_view between) {
    std::string text;
    const auto add = [&](std::uint64_t count, std::uint32_t limit, std::string_view what) {
        if (excess(count, limit) == 0) return;
        if (!text.empty()) text += between;
        text += std::to_string(count) + std::string{what} + ", more than " + std::to_string(limit);
    };
    add(now.open, rules.at_once, " sub-agents at once");
    add(now.all, rules.in_all, " sub-agents in all");
    add(now.depth, rules.depth, " generations of sub-agents");
    return text;
}

}  // namespace

FanOut fan_out_of(const BudgetMeter& meter) {
    FanOut all;
    const auto count = [](std::uint64_t n) { return std::min(n, kBudgetCountMax); };
    all.all = count(count(meter.ended_count) + count(meter.below_ended->all));
    all.depth = meter.below_ended->depth;
    for (const ChildUse& child : meter.children) {
        all.open = count(all.open + 1 + count(child.below.open));
        all.all = count(all.all + 1 + count(child.below.all));
    }
    HEADWAY_ASSERT(all.open >= meter.children.size() && all.all >= meter.children.size());
    return all;
}

std::uint32_t excess(std::uint64_t count, std::uint32_t limit) {
    if (limit == 0 || count <= limit) return 0;
    std::uint32_t steps = 1;
    for (std::uint64_t bound = limit; count > 2 * bound; bound *= 2)  // ends: counts are bounded
        ++steps;
    return steps;
}

bool exceeds_anew(const FanOut& before, const FanOut& now, const FanOutRules& rules) {
    const auto rises = [](std::uint64_t from, std::uint64_t to, std::uint32_t limit) {
        return excess(to, limit) > excess(from, limit);
    };
    return rises(before.open, now.open, rules.at_once) ||
           rises(before.all, now.all, rules.in_all) ||
           // Each generation more is one more for each that there is.
           (rules.depth != 0 && now.depth > rules.depth && now.depth > before.depth);
}

std::string excess_words(const FanOut& now, const FanOutRules& rules) {
    return words(now, rules, "; ");
}

std::string excess_advice(const FanOut& now, const FanOutRules& rules) {
    std::string advice = "There are " + words(now, rules, "; there are ") + ". ";
    if (excess(now.open, rules.at_once) != 0) {
        advice += "Wait for them to end before you launch more.";
    } else if (excess(now.depth, rules.depth) != 0) {
        advice += "Let them do their work themselves instead of handing it on.";
    } else {
        advice += "Launch no more of them: finish with what they have found.";
    }
    return advice;
}

std::string excess_question(const FanOut& now, const FanOutRules& rules) {
    return "There are " + words(now, rules, "; there are ") + ". May it go on like this?";
}

}  // namespace headway::core
