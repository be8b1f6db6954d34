// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/lazy_optional.hpp"
#include "core/base/time.hpp"
#include "core/events/budget_payloads.hpp"

// The budget meter of a session, a part of the session's state. Costs are whole millionths of a
// dollar, so that a sum does not depend on the order of its parts.

namespace headway::core {

/// The clock that runs, named after the thing that the session waits for.
enum class BudgetClock : std::uint8_t { kNone, kModel, kTool, kHuman, kRateLimit };
template <>
struct EnumNames<BudgetClock> {
    static constexpr std::array<std::string_view, 5> kNames{"none", "model", "tool", "human",
                                                            "rate_limit"};
};

/// Counters saturate at this value. It is far above real use, and a value a hundred times as large
/// still fits into the type.
inline constexpr std::uint64_t kBudgetCountMax = 1'000'000'000'000'000;

/// The total usage of one or more sessions.
struct BudgetUse {
    std::uint64_t steps = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;
    UseParts parts{};
    bool operator==(const BudgetUse&) const = default;
    static constexpr auto fields() {
        return field_list(field("steps", &BudgetUse::steps), field("tokens", &BudgetUse::tokens),
                          field("cost_micros", &BudgetUse::cost_micros),
                          field("parts", &BudgetUse::parts));
    }
};

/// The descendants of a session.
struct FanOut {
    std::uint64_t open = 0;   ///< number of open descendants
    std::uint64_t all = 0;    ///< number of all descendants so far
    std::uint64_t depth = 0;  ///< greatest number of levels of descendants
    bool operator==(const FanOut&) const = default;
    static constexpr auto fields() {
        return field_list(field("open", &FanOut::open), field("all", &FanOut::all),
                          field("depth", &FanOut::depth));
    }
};

/// The last totals of an open child.
struct ChildUse {
    std::uint64_t child = 0;  ///< digest of the child's id
    BudgetUse use;
    BudgetLevel level = BudgetLevel::kNominal;
    FanOut below;  ///< the child's descendants
    bool operator==(const ChildUse&) const = default;
    static constexpr auto fields() {
        return field_list(field("child", &ChildUse::child), field("use", &ChildUse::use),
                          field("level", &ChildUse::level), field("below", &ChildUse::below));
    }
};

/// Number of evicted children whose use is known. The use of more counts again when they report.
inline constexpr std::size_t kEvictedChildrenMax = 1'536;

/// Open children that gave up their places in BudgetMeter::children.
struct EvictedChildren {
    std::uint64_t count = 0;
    /// The part of BudgetMeter::ended_children of each child, so that it counts once when the child
    /// reports again; the last evicted last, at most kEvictedChildrenMax.
    std::vector<ChildUse> known;
    bool operator==(const EvictedChildren&) const = default;
    static constexpr auto fields() {
        return field_list(field("count", &EvictedChildren::count),
                          field("known", &EvictedChildren::known));
    }
};

/// The agent's last message and the last result, for the partial result of an ended session.
struct LastWords {
    std::string message;
    std::string tool;
    std::string result;  ///< compact JSON if result_is_json, else text
    bool result_is_json = false;
    bool message_is_newer = false;
    bool operator==(const LastWords&) const = default;
    static constexpr auto fields() {
        using W = LastWords;
        return field_list(field("message", &W::message), field("tool", &W::tool),
                          field("result", &W::result), field("result_is_json", &W::result_is_json),
                          field("message_is_newer", &W::message_is_newer));
    }
};

/// The budget level of an ancestor session, as last reported to the agent.
struct ParentBudget {
    std::string session;
    std::string directive;  ///< id of the directive in force, if any
    BudgetLevel level = BudgetLevel::kNominal;
    bool operator==(const ParentBudget&) const = default;
    static constexpr auto fields() {
        using P = ParentBudget;
        return field_list(field("session", &P::session), field("directive", &P::directive),
                          field("level", &P::level));
    }
};

/// The sums that hooks and telemetry have reported. Both report the same answers of the model, so
/// the session is charged only the larger sum.
struct ChannelUse {
    std::uint64_t agent_tokens = 0;
    std::uint64_t agent_micros = 0;  ///< costs that hooks reported
    std::uint64_t telemetry_tokens = 0;
    std::uint64_t telemetry_micros = 0;
    bool operator==(const ChannelUse&) const = default;
    static constexpr auto fields() {
        using C = ChannelUse;
        return field_list(field("agent_tokens", &C::agent_tokens),
                          field("agent_micros", &C::agent_micros),
                          field("telemetry_tokens", &C::telemetry_tokens),
                          field("telemetry_micros", &C::telemetry_micros));
    }
};

/// The meter. The fold writes it (budget_fold.hpp), and budget.hpp reads it.
struct BudgetMeter {
    BudgetLimits limits;  ///< the limits in force now
    Timestamp clock_at = kNever;
    Millis model{0};
    Millis tool{0};
    Millis human{0};
    Millis rate_limit{0};
    /// The part of `human` that passed since the last action of a person or of the agent.
    Millis waited{0};
    std::uint64_t iteration_max = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;
    std::vector<ChildUse> children;  ///< open children, most recent report last; at most
                                     ///< kChildrenMax
    /// Total usage of the children that ended or were evicted.
    LazyOptional<BudgetUse> ended_children;
    LazyOptional<EvictedChildren> evicted;
    LazyOptional<BudgetUse> hook_children;    ///< use of all children with ChildProgress::of_hooks
    std::uint64_t ended_count = 0;            ///< number of ended children
    std::string directive;                    ///< id of the directive in force, if any
    std::vector<std::string> extended_calls;  ///< calls in flight that have extra time
    std::uint64_t extension_seconds = 0;      ///< extra time of `extended_calls` beyond the limit
    bool extended = false;  ///< the extra time was granted; it is granted only once
    /// The last words, at most one entry; kept only under a budget.
    std::vector<LastWords> last_words;
    BudgetClock running = BudgetClock::kNone;        ///< the clock that has run since clock_at
    BudgetLevel level = BudgetLevel::kNominal;       ///< the level last journaled
    BudgetLevel told_level = BudgetLevel::kNominal;  ///< the level that `directive` reports
    bool rate_limited = false;
    BudgetSource source = BudgetSource::kNone;  ///< source of `limits`
    LazyOptional<ParentBudget> parent;
    bool stop_sent = false;  ///< a reply has carried the stop: another step ends the session
    LazyOptional<UseParts> parts;
    LazyOptional<ChannelUse> channels;
    LazyOptional<FanOut> alarmed;  ///< the descendants at the last alarm about them
    /// `all` counts the descendants of ended children; `depth` is the greatest depth so far.
    LazyOptional<FanOut> below_ended;

    /// The last words, created if needed.
    LastWords& words() {
        if (last_words.empty()) last_words.emplace_back();
        return last_words.front();
    }
    bool limited() const noexcept { return limits != BudgetLimits{}; }
    bool operator==(const BudgetMeter&) const = default;
    static constexpr auto fields() {
        using M = BudgetMeter;
        return field_list(
            field("limits", &M::limits), field("clock_at", &M::clock_at),
            field("running", &M::running), field("model", &M::model), field("tool", &M::tool),
            field("human", &M::human), field("rate_limit", &M::rate_limit),
            field("rate_limited", &M::rate_limited), field("iteration_max", &M::iteration_max),
            field("tokens", &M::tokens), field("cost_micros", &M::cost_micros),
            field("children", &M::children), field("ended_children", &M::ended_children),
            field("ended_count", &M::ended_count), field("level", &M::level),
            field("told_level", &M::told_level), field("directive", &M::directive),
            field("told", &M::stop_sent), field("extended_calls", &M::extended_calls),
            field("last_words", &M::last_words), field("extension_seconds", &M::extension_seconds),
            field("extended", &M::extended), field("source", &M::source),
            field("parent", &M::parent), field("waited", &M::waited), field("parts", &M::parts),
            field("below_ended", &M::below_ended), field("alarmed", &M::alarmed),
            field("channels", &M::channels), field("hook_children", &M::hook_children),
            field("evicted", &M::evicted));
    }
};

}  // namespace headway::core
