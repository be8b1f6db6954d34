// SPDX-License-Identifier: Apache-2.0
#include "core/budgets/budget_fold.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/detection/rate_limit.hpp"
#include "core/text/text.hpp"

namespace headway::core {
namespace {

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t both = std::min(a, kBudgetCountMax) + std::min(b, kBudgetCountMax);
    HEADWAY_ASSERT(both - std::min(a, kBudgetCountMax) == std::min(b, kBudgetCountMax));
    return std::min(kBudgetCountMax, both);
}

Millis* clock_of(BudgetMeter& meter, BudgetClock clock) {
    switch (clock) {
        case BudgetClock::kModel:
            return &meter.model;
        case BudgetClock::kTool:
            return &meter.tool;
        case BudgetClock::kHuman:
            return &meter.human;
        case BudgetClock::kRateLimit:
            return &meter.rate_limit;
        case BudgetClock::kNone:
            break;
    }
    return nullptr;
}

/// The meter's `estimated_micros` has the costs of all answers reported with tokens, by the agent's
/// own figure or by the prices. `cost_micros` has what the agent said, also apart from tokens:
/// own_use() takes the larger sum, so that no answer is counted by both ways.
void add_parts(BudgetMeter& meter, const Usage& usage, std::uint64_t tokens) {
    if (tokens == 0 && usage.cost_usd) {
        // Reported apart: the cost of answers that were reported before. Nothing paid is no price
        // of them.
        if (meter.parts->unpriced > 0 && *usage.cost_usd > 0) meter.parts.change().unpriced = 0;
        return;
    }
    // The same answers came by another way without a cost.
    const bool prices_known = usage.known_tokens > 0 && usage.cost_usd.value_or(0) > 0;
    if (prices_known && meter.parts->unpriced > 0) {
        std::uint64_t& unpriced = meter.parts.change().unpriced;
        unpriced -= std::min(unpriced, usage.known_tokens);
    }
    UseParts more{usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens,
                  usage.output_tokens, usage.reasoning_tokens};
    if (!usage.cost_usd) more.unpriced = tokens;
    more.estimated_micros = micros_of_tokens(usage);
    if (more == UseParts{}) return;
    meter.parts.change() = added(*meter.parts, more);
}

void add_usage(BudgetMeter& meter, const std::optional<Usage>& usage) {
    if (usage) meter_usage(meter, *usage);
}

std::string kept(std::string_view text) {
    const std::string_view cut = cut_text(text, limits::kPartialResultBytesMax);
    HEADWAY_ASSERT(cut.size() <= limits::kPartialResultBytesMax);
    return std::string{cut};
}

/// One overload for each payload that concerns a budget.
struct Meter {
    SessionState& state;
    BudgetMeter& meter;
    bool replayed;

    template <class P>
    void operator()(const P&) const {
        if (reportable(P::kType)) meter.rate_limited = false;
    }

    void operator()(const SessionStarted& started) const {
        meter.limits = started.budget;
        const bool unknown = meter.limited() && started.budget_source == BudgetSource::kNone;
        meter.source = unknown ? BudgetSource::kUnknown : started.budget_source;
    }

    void operator()(const SessionAmended& amended) const {
        if (amended.budget == meter.limits) return;
        const bool had = meter.limited();
        meter.limits = amended.budget;
        if (amended.suggested_from) {
            meter.source = BudgetSource::kSuggested;
        } else if (had) {
            meter.source = meter.limited() ? BudgetSource::kMixed : BudgetSource::kNone;
        } else {
            meter.source = BudgetSource::kRequest;
        }
    }

    void operator()(const ProgressEstimated& estimate) const {
        if (!estimate.by_judge()) meter.rate_limited = false;
    }

    /// A heartbeat does not change the clock, unless the model has answered in between.
    void operator()(const Heartbeat& beat) const {
        const std::uint64_t iteration = std::min(beat.iteration.value_or(0), kBudgetCountMax);
        if (beat.usage || iteration > meter.iteration_max) meter.rate_limited = false;
        meter.iteration_max = std::max(meter.iteration_max, iteration);
        HEADWAY_ASSERT(meter.iteration_max <= kBudgetCountMax);
        add_usage(meter, beat.usage);
    }

    void operator()(const Message& message) const {
        meter.rate_limited = false;
        add_usage(meter, message.usage);
        const bool of_agent = message.role != "user" && message.role != "operator" &&
                              message.role != "system" && message.role != "tool";
        if (!meter.limited() || !of_agent || message.text.empty()) return;
        meter.words().message = kept(message.text.kept);
        meter.words().message_is_newer = true;
    }

    void operator()(const ToolFinished& call) const {
        if (replayed) return;
        add_usage(meter, call.usage);
        meter.rate_limited =
            !call.ok && call.error &&
            is_rate_limit(call.error->error_class, std::nullopt, call.error->message.kept);
        if (!meter.limited() || !call.ok || call.result.empty()) return;
        meter.words().tool = kept(call.tool);
        meter.words().result = kept(call.result.kept);
        meter.words().result_is_json =
            call.result.whole() && meter.words().result.size() == call.result.kept.size();
        meter.words().message_is_newer = false;
    }

    void operator()(const ErrorReported& error) const {
        meter.rate_limited = is_rate_limit(error.error_class, error.status, error.message.kept);
    }

    void operator()(const BudgetSet& set) const {
        meter.limits = set.limits;
        meter.source = meter.limited() ? BudgetSource::kOperator : BudgetSource::kNone;
        end_extension();
    }

    void operator()(const BudgetExtended& extended) const {
        if (extended.calls.empty()) {
            meter.limits = extended_limits(meter.limits, extended.added);
            if (extended.automatic) return;  // a credit of time
            meter.source = BudgetSource::kOperator;
            end_extension();
            return;
        }
        meter.extended = true;
        meter.extended_calls = extended.calls;
        meter.extension_seconds = extended.added.timeout_seconds.value_or(0);
    }

    void operator()(const BudgetLevelChanged& change) const {
        meter.level = change.to;
        if (change.to >= meter.told_level) return;
        withdraw();  // the advice no longer holds
        HEADWAY_ASSERT(meter.directive.empty());
        meter.told_level = BudgetLevel::kNominal;
        meter.stop_sent = false;
    }

    void operator()(const DirectiveIssued& directive) const {
        if (!directive.budget) return;
        if (!directive.from.empty()) {
            heed(directive);
            return;
        }
        withdraw();  // the new directive replaces the old one
        meter.directive = directive.id;
        meter.told_level = *directive.budget;
        meter.stop_sent = meter.told_level == BudgetLevel::kExhausted && !directive.unasked;
    }

    void operator()(const ChildProgress& child) const {
        const std::uint64_t key = child_key(child.child);
        auto place = std::find_if(meter.children.begin(), meter.children.end(),
                                  [key](const ChildUse& c) { return c.child == key; });
        const BudgetUse use{child.steps, child.tokens, cost_micros(child.cost_usd.value_or(0)),
                            child.parts};
        const ChildUse* const counted = counted_child(meter, key);
        if (child.of_hooks) add_hook_child(use, counted != nullptr ? counted->use : BudgetUse{});
        take_evicted(key);
        FanOut& below = meter.below_ended.change();
        below.depth =
            std::max(below.depth,
                     std::min<std::uint64_t>(child.children_depth, limits::kFamilyDepthMax) + 1);
        if (child.ended) {
            below.all = sum(below.all, child.children_all);
            if (place != meter.children.end()) meter.children.erase(place);
            meter.ended_children.change() = added(*meter.ended_children, use);
            ++meter.ended_count;
            HEADWAY_ASSERT(meter.ended_children->steps <= kBudgetCountMax);
            return;
        }
        if (place == meter.children.end()) {
            if (meter.children.size() >= limits::kChildrenMax) evict_child();
            meter.children.push_back({key, {}, {}, {}});
        } else {
            std::rotate(place, std::next(place), meter.children.end());
        }
        place = std::prev(meter.children.end());
        HEADWAY_ASSERT(meter.children.size() <= limits::kChildrenMax && place->child == key);
        place->use = use;
        place->level = child.level;
        place->below = {child.children_open, child.children_all, child.children_depth};
    }

    void add_hook_child(const BudgetUse& now, const BudgetUse& before) const {
        BudgetUse& all = meter.hook_children.change();
        all.tokens = sum(all.tokens, now.tokens - std::min(now.tokens, before.tokens));
        all.cost_micros =
            sum(all.cost_micros, now.cost_micros - std::min(now.cost_micros, before.cost_micros));
    }

    /// The child that was quiet for longest gives its place; its use stays counted.
    void evict_child() const {
        meter.ended_children.change() = added(*meter.ended_children, meter.children.front().use);
        auto& [count, known] = meter.evicted.change();
        if (known.size() >= kEvictedChildrenMax) known.erase(known.begin());
        known.push_back(meter.children.front());
        meter.children.erase(meter.children.begin());
        ++count;
    }

    /// Its new totals contain what was counted as it was evicted.
    void take_evicted(std::uint64_t key) const {
        if (!meter.evicted.has_value()) return;
        auto& [count, known] = meter.evicted.change();
        const auto place = std::find_if(known.begin(), known.end(),
                                        [key](const ChildUse& c) { return c.child == key; });
        if (place == known.end()) return;
        meter.ended_children.change() = taken_out(*meter.ended_children, place->use);
        known.erase(place);
        --count;
    }

    /// Directives about the budget of an ancestor session; one at a time.
    void heed(const DirectiveIssued& directive) const {
        ParentBudget& parent = meter.parent.change();
        std::erase_if(state.directives,
                      [&parent](const Directive& d) { return d.id == parent.directive; });
        parent = {directive.from, directive.id, *directive.budget};
    }

    /// New limits allow another extension.
    void end_extension() const {
        meter.extended = false;
        meter.extended_calls.clear();
        meter.extension_seconds = 0;
    }

    void withdraw() const {
        std::erase_if(state.directives,
                      [this](const Directive& d) { return d.id == meter.directive; });
        meter.directive.clear();
    }
};

/// True if a child has used more than is known of it: its work is work of its parent. Nothing known
/// is no use.
bool child_worked(const BudgetMeter& meter, const ChildProgress& child) {
    const ChildUse* const counted = counted_child(meter, child_key(child.child));
    const BudgetUse before = counted != nullptr ? counted->use : BudgetUse{};
    return child.steps > before.steps || child.tokens > before.tokens;
}

/// True if the event shows that the model continued, which a waiting agent does not send. `meter`:
/// as it was before the event.
bool shows_work(const Payload& payload, const BudgetMeter& meter) {
    if (const auto* beat = std::get_if<Heartbeat>(&payload)) {
        return beat->usage.has_value() || beat->iteration.value_or(0) > meter.iteration_max;
    }
    if (const auto* child = std::get_if<ChildProgress>(&payload))
        return child_worked(meter, *child);
    if (const auto* message = std::get_if<Message>(&payload))
        return message->role == "assistant" || message->role == "agent";
    if (const auto* estimate = std::get_if<ProgressEstimated>(&payload))
        return !estimate->by_judge();
    return std::holds_alternative<ToolStarted>(payload) ||
           std::holds_alternative<ToolFinished>(payload) ||
           std::holds_alternative<PhaseStarted>(payload) ||
           std::holds_alternative<PhaseCompleted>(payload) ||
           std::holds_alternative<PlanUpdated>(payload) ||
           std::holds_alternative<TestResult>(payload) ||
           std::holds_alternative<FactLearned>(payload) ||
           std::holds_alternative<Reflection>(payload);
}

/// True if a person answered or resumed the agent. Expiry and coverage by an earlier grant are not
/// a person's answer.
bool person_answered(const Payload& payload) {
    if (const auto* decided = std::get_if<ApprovalDecided>(&payload)) {
        return decided->channel != "expiry" && decided->channel != "grant";
    }
    const auto* directive = std::get_if<DirectiveIssued>(&payload);
    return directive != nullptr && directive->kind == DirectiveKind::kContinue &&
           directive->from.empty();
}

/// An open question or a stated wait must not make time free: work reported before the person
/// answers claims the time before it.
void settle_wait(SessionState& state, const Event& event, bool works) {
    BudgetMeter& meter = state.budget;
    const bool answered = person_answered(event.payload);
    if (answered || !state.waits_for_human()) {
        state.calls_while_asked = 0;
    } else if (works && std::holds_alternative<ToolFinished>(event.payload)) {
        state.calls_while_asked =
            std::min(state.calls_while_asked, limits::kCallsBesideQuestion) + 1;
    }
    HEADWAY_ASSERT(state.calls_while_asked <= limits::kCallsBesideQuestion + 1);
    if (works && !answered) {
        const Millis worked = std::min(meter.waited, Millis{limits::kWorkBesideQuestionMsMax});
        HEADWAY_ASSERT(worked <= meter.human);
        const Millis both = meter.human + meter.model;
        meter.human -= worked;
        meter.model += worked;
        HEADWAY_ASSERT(meter.human >= Millis{0} && meter.human + meter.model == both);
    }
    if (works || answered) meter.waited = Millis{0};
}

BudgetClock clock_after(const SessionState& state) {
    if (state.ended()) return BudgetClock::kNone;
    if (waits_for_human(state)) return BudgetClock::kHuman;
    if (state.budget.rate_limited) return BudgetClock::kRateLimit;
    return state.call_in_flight() ? BudgetClock::kTool : BudgetClock::kModel;
}

}  // namespace

bool waits_for_human(const SessionState& state) {
    return state.waits_for_human() || state.paused() ||
           state.agent_state == AgentState::kAwaitingPermission;
}

/// Sum of all clocks.
Millis charged(const BudgetMeter& meter) {
    return meter.model + meter.tool + meter.human + meter.rate_limit;
}

void meter_usage(BudgetMeter& meter, const Usage& usage) {
    const std::uint64_t tokens = tokens_of(usage);
    meter.tokens = sum(meter.tokens, tokens);
    if (usage.channel != Channel::kReport) add_channel(meter.channels.change(), usage, tokens);
    meter.cost_micros = sum(meter.cost_micros, said_micros(usage));
    add_parts(meter, usage, tokens);
    HEADWAY_ASSERT(meter.tokens <= kBudgetCountMax && meter.cost_micros <= kBudgetCountMax);
}

void charge_clock(BudgetMeter& meter, const Event& event) {
    if (event.at <= meter.clock_at) return;  // the clock after a restart may be behind
    Millis passed = event.at - meter.clock_at;
    if (const auto* extended = std::get_if<BudgetExtended>(&event.payload)) {
        const auto credited = std::min(extended->credited_ms, kBudgetCountMax);
        passed -= std::min(passed, Millis{static_cast<std::int64_t>(credited)});
    }
    HEADWAY_ASSERT(passed >= Millis{0});
    const Millis before = charged(meter);
    if (Millis* clock = clock_of(meter, meter.running)) *clock += passed;
    if (meter.running == BudgetClock::kHuman) meter.waited += passed;
    meter.clock_at = event.at;
    // The clocks partition the time: none of it is counted twice.
    HEADWAY_ASSERT(charged(meter) <= before + passed);
    HEADWAY_ASSERT(charged(meter) <= meter.clock_at - kNever);
    HEADWAY_ASSERT(meter.waited <= meter.human);
}

void meter_event(SessionState& state, const Event& event, bool replayed) {
    BudgetMeter& meter = state.budget;
    // The reply to this report carries the stop that was issued between reports.
    if (meter.told_level == BudgetLevel::kExhausted && of_agent(event.payload)) {
        meter.stop_sent = true;
    }
    // The work of children does not end a person's pause.
    const bool held = state.paused() && std::holds_alternative<ChildProgress>(event.payload);
    const bool works = !replayed && !held && shows_work(event.payload, meter);
    std::visit(Meter{state, meter, replayed}, event.payload);
    settle_wait(state, event, works);
    if (!meter.extended_calls.empty()) {
        std::erase_if(meter.extended_calls,
                      [&](const std::string& call) { return !in_flight(state, call); });
        // The extension was for these calls.
        if (meter.extended_calls.empty()) meter.extension_seconds = 0;
    }
    meter.running = clock_after(state);
    HEADWAY_ASSERT(state.ended() == (meter.running == BudgetClock::kNone));
    HEADWAY_ASSERT(meter.last_words.size() <= 1);
}

}  // namespace headway::core
