// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/meters/fan_out.hpp"
#include "core/text/text.hpp"

namespace headway::core {
namespace {

using namespace std::chrono_literals;

/// An attention gap below this is ordinary delay and gives no credit.
constexpr Millis kGapNoticed = 1s;
constexpr double kMicros = 1e6;

static_assert(kBudgetCountMax <= UINT64_MAX / 200, "two sums in percent fit");
static_assert(kBudgetCountMax <= INT64_MAX, "a clock can be set by it");

std::uint64_t count(Millis span) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(span.count(), 0));
}

bool counts(const BudgetRules& rules, BudgetClock clock) {
    switch (clock) {
        case BudgetClock::kNone:
            return false;
        case BudgetClock::kHuman:
            return rules.count_human;
        case BudgetClock::kRateLimit:
            return rules.count_rate_limit;
        case BudgetClock::kModel:
        case BudgetClock::kTool:
            break;
    }
    return true;
}

Millis counted_time(const BudgetRules& rules, const BudgetStatus& status) {
    Millis time = status.model + status.tool;
    if (rules.count_human) time += status.human;
    if (rules.count_rate_limit) time += status.rate_limit;
    return time;
}

void read_clocks(const BudgetMeter& meter, Millis since, BudgetStatus& status) {
    HEADWAY_ASSERT(since >= 0ms);
    status.model = meter.model + (meter.running == BudgetClock::kModel ? since : 0ms);
    status.tool = meter.tool + (meter.running == BudgetClock::kTool ? since : 0ms);
    status.human = meter.human + (meter.running == BudgetClock::kHuman ? since : 0ms);
    status.rate_limit = meter.rate_limit + (meter.running == BudgetClock::kRateLimit ? since : 0ms);
}

void read_children(const BudgetMeter& meter, BudgetStatus& status) {
    status.children = *meter.ended_children;
    for (const ChildUse& child : meter.children)
        status.children = added(status.children, child.use);
    HEADWAY_ASSERT(meter.children.size() <= limits::kChildrenMax);
    status.children_open = meter.children.size();
    status.children_ended = meter.ended_count;
    status.children_evicted = meter.evicted->count;
}

void weigh(const BudgetRules& rules, BudgetStatus& status) {
    const std::array<std::pair<BudgetDimension, const BudgetFigure*>, 4> all{
        {{BudgetDimension::kTime, &status.time},
         {BudgetDimension::kSteps, &status.steps},
         {BudgetDimension::kTokens, &status.tokens},
         {BudgetDimension::kCost, &status.cost}}};
    const auto any_reaches = [&all](std::uint64_t percent) {
        return std::any_of(all.begin(), all.end(),
                           [percent](const auto& d) { return d.second->reaches(percent); });
    };
    for (const auto& [dimension, figure] : all) {
        if (!figure->limit || figure->percent() <= status.pressure) continue;
        status.pressure = figure->percent();
        status.dimension = dimension;
    }
    HEADWAY_ASSERT((status.dimension == BudgetDimension::kNone) == (status.pressure == 0));
    if (any_reaches(rules.force_exit_percent)) {
        status.level = BudgetLevel::kExhausted;
    } else if (any_reaches(rules.warn_percent)) {
        status.level = BudgetLevel::kCritical;
    } else if (any_reaches(rules.wrap_up_percent) ||
               status.time.reaches(rules.time_wrap_up_percent)) {
        status.level = BudgetLevel::kLow;
    }
}

}  // namespace

double shown_percent(double percent) {
    return std::floor(percent * 10) / 10;
}

double BudgetFigure::percent() const {
    if (!limit) return 0;
    if (*limit == 0) return 100;
    return 100.0 * static_cast<double>(used) / static_cast<double>(*limit);
}

bool BudgetFigure::reaches(std::uint64_t percent) const {
    if (!limit) return false;
    return std::min(used, kBudgetCountMax) * 100 >= std::min(*limit, kBudgetCountMax) * percent;
}

std::uint64_t BudgetFigure::left() const {
    const std::uint64_t rest = limit && *limit > used ? *limit - used : 0;
    HEADWAY_ASSERT(!limit || rest <= *limit);
    return rest;
}

std::optional<std::uint64_t> BudgetStatus::remaining_seconds() const {
    if (!time.limit) return std::nullopt;
    const std::uint64_t limit = *time.limit / 1000;
    const std::uint64_t spent = std::min(limit, elapsed_seconds());
    HEADWAY_ASSERT(spent <= limit);
    return limit - spent;
}

std::optional<std::uint64_t> BudgetStatus::steps_remaining() const {
    return steps.limit ? std::optional{steps.left()} : std::nullopt;
}

BudgetStatus budget_status(const SessionState& state, Timestamp now, const Watch& watch) {
    const BudgetMeter& meter = state.budget;
    const BudgetRules& rules = *state.about.budget_rules;
    BudgetStatus status;
    status.source = meter.source;
    const Timestamp from = meter.clock_at + unheard_gap(state, watch);
    read_clocks(meter, std::max(now - from, 0ms), status);
    read_children(meter, status);
    BudgetUse use = own_use(meter);
    use.steps = own_steps(state);
    if (rules.roll_up) use = added(use, status.children);

    const BudgetLimits& limits = meter.limits;
    status.time.used = count(counted_time(rules, status));
    if (limits.timeout_seconds) {
        status.time.limit = std::min(*limits.timeout_seconds, kBudgetCountMax / 1000) * 1000;
    }
    status.extension = std::chrono::seconds{
        static_cast<std::int64_t>(std::min(meter.extension_seconds, kBudgetCountMax / 1000))};
    status.steps = {use.steps, limits.max_steps};
    status.tokens = {use.tokens, limits.max_tokens};
    status.cost.used = use.cost_micros;
    status.parts = use.parts;
    if (limits.max_cost_usd) status.cost.limit = cost_micros(*limits.max_cost_usd);
    HEADWAY_ASSERT(status.cost.used <= kBudgetCountMax);
    HEADWAY_ASSERT(status.time.limit.has_value() == limits.timeout_seconds.has_value());
    if (meter.limited()) weigh(rules, status);
    return status;
}

std::uint64_t own_steps(const SessionState& state) {
    return std::max<std::uint64_t>(state.ledger->rounds, state.budget.iteration_max);
}

Millis unheard_gap(const SessionState& state, const Watch& watch) {
    const Millis gap = watch.unheard_after(state.budget.clock_at);
    const Millis noticed = gap >= kGapNoticed ? gap : 0ms;
    HEADWAY_ASSERT(noticed >= 0ms);
    return noticed;
}

Timestamp budget_deadline(const SessionState& state, const Watch& watch) {
    const BudgetMeter& meter = state.budget;
    const BudgetRules& rules = *state.about.budget_rules;
    if (!meter.limits.timeout_seconds || state.ended() || !counts(rules, meter.running)) {
        return kNever;
    }
    const BudgetStatus status = budget_status(state, meter.clock_at, watch);
    const std::array<std::pair<BudgetLevel, std::uint64_t>, 4> levels{
        {{BudgetLevel::kLow, rules.wrap_up_percent},
         {BudgetLevel::kLow, rules.time_wrap_up_percent},
         {BudgetLevel::kCritical, rules.warn_percent},
         {BudgetLevel::kExhausted, rules.force_exit_percent}}};
    std::uint64_t percent = 100;
    for (const auto& [level, at] : levels) {
        if (level > meter.level) percent = std::min(percent, at);
    }
    HEADWAY_ASSERT(percent <= 100 && status.time.limit.has_value());
    if (waits_for_extension(status)) return kNever;
    std::uint64_t needed = (*status.time.limit * percent + 99) / 100;
    if (percent == 100) needed += count(status.extension);
    const std::uint64_t left = needed > status.time.used ? needed - status.time.used : 0;
    return meter.clock_at + unheard_gap(state, watch) + Millis{static_cast<std::int64_t>(left)};
}

bool is_spent(const BudgetStatus& status) {
    HEADWAY_ASSERT(status.extension >= 0ms);
    if (waits_for_extension(status)) return false;
    const bool steps = status.steps.limit && status.steps.used > *status.steps.limit;
    const bool time = status.time.reaches(100) &&
                      status.time.used >= *status.time.limit + count(status.extension);
    return steps || time || status.tokens.reaches(100) || status.cost.reaches(100);
}

bool waits_for_extension(const BudgetStatus& status) {
    constexpr std::uint64_t kRefusedStepsMax = 16;  // an agent tries a few calls before it gives up
    const auto empty = [](const BudgetFigure& figure) { return figure.limit == std::uint64_t{0}; };
    const bool any =
        empty(status.time) || empty(status.steps) || empty(status.tokens) || empty(status.cost);
    return any && status.steps.used <= kRefusedStepsMax;
}

bool in_flight(const SessionState& state, std::string_view call_id) {
    if (state.in_flight_beat && state.in_flight_beat->call_id == call_id) return true;
    return std::any_of(state.open_calls.begin(), state.open_calls.end(),
                       [call_id](const OpenCall& call) { return call.call_id == call_id; });
}

BudgetLimits extended_limits(const BudgetLimits& limits, const BudgetLimits& added) {
    const auto sum = [](auto& to, const auto& more) {
        if (to && more) *to += *more;
    };
    const auto whole = [](auto& to, const auto& more) {
        if (to && more)
            *to = std::min(std::min(*to, kBudgetCountMax) + std::min(*more, kBudgetCountMax),
                           kBudgetCountMax);
        HEADWAY_ASSERT(!to || !more || *to <= kBudgetCountMax);
    };
    BudgetLimits extended = limits;
    whole(extended.timeout_seconds, added.timeout_seconds);
    whole(extended.max_steps, added.max_steps);
    whole(extended.max_tokens, added.max_tokens);
    sum(extended.max_cost_usd, added.max_cost_usd);
    HEADWAY_ASSERT(extended.max_steps.has_value() == limits.max_steps.has_value());
    HEADWAY_ASSERT(extended.timeout_seconds.has_value() == limits.timeout_seconds.has_value());
    return extended;
}

std::uint64_t cost_micros(double usd) {
    if (!(usd > 0)) return 0;
    const double micros = std::round(usd * kMicros);
    HEADWAY_ASSERT(micros >= 0);
    return micros < static_cast<double>(kBudgetCountMax) ? static_cast<std::uint64_t>(micros)
                                                         : kBudgetCountMax;
}

double dollars(std::uint64_t micros) {
    return static_cast<double>(micros) / kMicros;
}

std::uint64_t child_key(std::string_view id) {
    return digest_of(id).low;
}

UseParts added(const UseParts& a, const UseParts& b) {
    UseParts both;
    for_each_field<UseParts>([&](const auto& field, std::size_t) {
        both.*(field.member) =
            std::min(kBudgetCountMax, std::min(a.*(field.member), kBudgetCountMax) +
                                          std::min(b.*(field.member), kBudgetCountMax));
    });
    return both;
}

BudgetUse added(const BudgetUse& a, const BudgetUse& b) {
    const auto sum = [](std::uint64_t x, std::uint64_t y) {
        return std::min(kBudgetCountMax,
                        std::min(x, kBudgetCountMax) + std::min(y, kBudgetCountMax));
    };
    const BudgetUse both{sum(a.steps, b.steps), sum(a.tokens, b.tokens),
                         sum(a.cost_micros, b.cost_micros), added(a.parts, b.parts)};
    HEADWAY_ASSERT(both.steps >= std::min(a.steps, kBudgetCountMax));
    HEADWAY_ASSERT(both.tokens >= std::min(b.tokens, kBudgetCountMax));
    return both;
}

BudgetUse taken_out(BudgetUse from, const BudgetUse& part) {
    const auto take = [](std::uint64_t& whole, std::uint64_t one) {
        whole -= std::min(whole, one);
    };
    take(from.steps, part.steps);
    take(from.tokens, part.tokens);
    take(from.cost_micros, part.cost_micros);
    for_each_field<UseParts>([&](const auto& field, std::size_t) {
        take(from.parts.*(field.member), part.parts.*(field.member));
    });
    return from;
}

ChildProgress child_progress_of(const std::string& id, const SessionState& child, Timestamp now,
                                const Watch& watch) {
    const BudgetStatus status = budget_status(child, now, watch);
    ChildProgress progress;
    progress.child = id;
    progress.steps = status.steps.used;
    progress.elapsed_seconds = status.elapsed_seconds();
    progress.remaining_seconds = status.remaining_seconds();
    progress.steps_remaining = status.steps_remaining();
    progress.tokens = status.tokens.used;
    if (is_shown(known_cost(status)))
        progress.cost_usd = static_cast<double>(status.cost.used) / kMicros;
    progress.parts = status.parts;
    progress.level = child.budget.level;
    progress.verdict = child.judgement->verdict;
    progress.ended = child.ended();
    const FanOut below = fan_out_of(child.budget);
    progress.children_open = progress.ended ? 0 : below.open;  // they end with it
    progress.children_all = below.all;
    progress.children_depth = below.depth;
    return progress;
}

namespace {

const ChildUse* child_in(const std::vector<ChildUse>& list, std::uint64_t key) {
    const auto known =
        std::find_if(list.begin(), list.end(), [key](const ChildUse& c) { return c.child == key; });
    return known == list.end() ? nullptr : &*known;
}

const ChildUse* known_child(const BudgetMeter& parent, const ChildProgress& child) {
    return child_in(parent.children, child_key(child.child));
}

BudgetUse use_of(const ChildProgress& child) {
    return {child.steps, child.tokens, cost_micros(child.cost_usd.value_or(0)), child.parts};
}

FanOut fan_out_in(const ChildProgress& child) {
    return {child.children_open, child.children_all, child.children_depth};
}

}  // namespace

const ChildUse* counted_child(const BudgetMeter& parent, std::uint64_t key) {
    const ChildUse* known = child_in(parent.children, key);
    return known != nullptr ? known : child_in(parent.evicted->known, key);
}

ChildProgress without_counted(ChildProgress child, const BudgetMeter& counted) {
    const ChildUse* known = counted_child(counted, child_key(child.child));
    if (known == nullptr) return child;
    const BudgetUse left = taken_out(use_of(child), known->use);
    child.steps = left.steps;
    child.tokens = left.tokens;
    child.parts = left.parts;
    if (child.cost_usd) child.cost_usd = dollars(left.cost_micros);
    return child;
}

bool is_use_of_nothing(const ChildProgress& child) {
    return use_of(child) == BudgetUse{};
}

bool knows_child(const BudgetMeter& parent, const ChildProgress& child) {
    return counted_child(parent, child_key(child.child)) != nullptr;
}

bool child_moved(const BudgetMeter& parent, const ChildProgress& child) {
    const ChildUse* known = known_child(parent, child);
    // A child that is new counts, whatever it has used.
    if (child.ended || known == nullptr) return true;
    return known->use != use_of(child) || known->level != child.level ||
           known->below != fan_out_in(child);
}

bool child_moved_far(const BudgetMeter& parent, const ChildProgress& child, bool opened) {
    const ChildUse* known = known_child(parent, child);
    if (child.ended) return true;
    // Beyond these they are only counted, as they open.
    if (known == nullptr) return opened || parent.children.size() < limits::kChildrenMax;
    const BudgetUse use = use_of(child);
    const auto far = [](std::uint64_t before, std::uint64_t now) { return now / 5 * 4 > before; };
    return known->below != fan_out_in(child) || far(known->use.tokens, use.tokens) ||
           far(known->use.cost_micros, use.cost_micros);
}

}  // namespace headway::core
