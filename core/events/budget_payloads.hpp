// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/event_type.hpp"
#include "core/values/verdict.hpp"

// Events about budgets (api/API.md, "Budgets"), and parts of the events about sessions and reports.
// The rules of session_payloads.hpp apply. Names follow docs/first-designs.md (`timeout_seconds`).

namespace headway::core {

/// Limits of the resources that a session uses; absent = no limit.
struct BudgetLimits {
    std::optional<std::uint64_t> timeout_seconds;
    std::optional<std::uint64_t> max_steps;
    std::optional<std::uint64_t> max_tokens;
    std::optional<double> max_cost_usd;
    bool operator==(const BudgetLimits&) const = default;
    static constexpr auto fields() {
        return field_list(field("timeout_seconds", &BudgetLimits::timeout_seconds),
                          field("max_steps", &BudgetLimits::max_steps),
                          field("max_tokens", &BudgetLimits::max_tokens),
                          field("max_cost_usd", &BudgetLimits::max_cost_usd));
    }
};

/// How the used part of a budget becomes a level. The rules are journaled with the session, so that
/// a replay does not depend on today's configuration. A value equal to its default here is not
/// written, so never change these defaults; change those of the configuration.
struct BudgetRules {
    /// Level `low` from this percentage of the worst dimension.
    std::uint64_t wrap_up_percent = 70;
    std::uint64_t warn_percent = 80;        ///< level `critical` from this percentage
    std::uint64_t force_exit_percent = 90;  ///< level `exhausted` from this percentage
    /// Level `low` is also reached at this percentage of the time, whatever wrap_up_percent is.
    std::uint64_t time_wrap_up_percent = 80;
    bool count_human = false;      ///< whether time spent waiting for a person counts
    bool count_rate_limit = true;  ///< whether time spent waiting for a provider's rate limit
                                   ///< counts
    bool roll_up = true;           ///< whether steps, tokens and cost of child sessions count
    /// Extra time for a call in flight when the time is up; 0 = none.
    std::uint64_t in_flight_extension_seconds = 60;
    bool updates = false;  ///< whether each step writes a `budget.updated`
    /// Upper bound of the limit plus extensions, unless the limit alone exceeds it; 0 = no bound.
    std::uint64_t timeout_seconds_max = 0;
    bool operator==(const BudgetRules&) const = default;
    static constexpr auto fields() {
        using R = BudgetRules;
        return field_list(
            field("wrap_up_percent", &R::wrap_up_percent), field("warn_percent", &R::warn_percent),
            field("force_exit_percent", &R::force_exit_percent),
            field("time_wrap_up_percent", &R::time_wrap_up_percent),
            field("count_human", &R::count_human), field("count_rate_limit", &R::count_rate_limit),
            field("roll_up", &R::roll_up),
            field("in_flight_extension_seconds", &R::in_flight_extension_seconds),
            field("updates", &R::updates), field("timeout_seconds_max", &R::timeout_seconds_max));
    }
};

/// The origin of the limits in force. Values are stored: append only.
enum class BudgetSource : std::uint8_t {
    kNone,       ///< no limits
    kRequest,    ///< given in the opening
    kConfig,     ///< the daemon's configuration, for the agent type or for all
    kBuiltin,    ///< from docs/first-designs.md, for `plan` and `explore`
    kMixed,      ///< some from the opening, others from the daemon
    kOperator,   ///< set or extended while the session ran
    kUnknown,    ///< opened by an older version, which did not record the source
    kSuggested,  ///< at least one limit comes from expectations, at the opening's request
};
template <>
struct EnumNames<BudgetSource> {
    static constexpr std::array<std::string_view, 8> kNames{
        "none", "request", "config", "builtin", "mixed", "operator", "unknown", "suggested"};
};

/// The source of a report. Set by Headway. Values are stored: append only.
enum class Channel : std::uint8_t {
    kReport,     ///< events of a client
    kAgent,      ///< the agent's hooks, or its stored session
    kTelemetry,  ///< OTLP, which may report the same work as kAgent
};
template <>
struct EnumNames<Channel> {
    static constexpr std::array<std::string_view, 3> kNames{"report", "agent", "telemetry"};
};

/// The tokens and cost that the agent has used since its last such report; part of a heartbeat, a
/// message or a call. The five parts do not overlap: `input_tokens` were neither read from the
/// provider's cache nor written to it, and `output_tokens` exclude reasoning if the agent reports
/// that separately.
struct Usage {
    std::uint64_t tokens = 0;  ///< all tokens; the sum of the parts counts if it is larger
    std::uint64_t input_tokens = 0;
    std::uint64_t output_tokens = 0;
    std::optional<double> cost_usd;  ///< absent: not known
    std::uint64_t cached_tokens = 0;
    std::uint64_t cache_write_tokens = 0;
    std::uint64_t reasoning_tokens = 0;
    std::string model{};     ///< the model that answered; empty = the session's model
    bool estimated = false;  ///< set by Headway: `cost_usd` was computed from Headway's prices
    Channel channel = Channel::kReport;  ///< set by Headway
    /// Set by Headway: tokens and micro-dollars of the report that this usage leaves out, because
    /// they had already been reported through the other channel (kAgent or kTelemetry).
    std::uint64_t known_tokens = 0;
    std::uint64_t known_micros = 0;
    bool operator==(const Usage&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("tokens", &Usage::tokens), field("input_tokens", &Usage::input_tokens),
            field("output_tokens", &Usage::output_tokens), field("cost_usd", &Usage::cost_usd),
            field("cached_tokens", &Usage::cached_tokens),
            field("cache_write_tokens", &Usage::cache_write_tokens),
            field("reasoning_tokens", &Usage::reasoning_tokens), field("model", &Usage::model),
            field("estimated", &Usage::estimated), internal("channel", &Usage::channel),
            internal("known_tokens", &Usage::known_tokens),
            internal("known_micros", &Usage::known_micros));
    }
};

enum class BudgetLevel : std::uint8_t { kNominal, kLow, kCritical, kExhausted };
template <>
struct EnumNames<BudgetLevel> {
    static constexpr std::array<std::string_view, 4> kNames{"nominal", "low", "critical",
                                                            "exhausted"};
};

enum class BudgetDimension : std::uint8_t { kNone, kTime, kSteps, kTokens, kCost };
template <>
struct EnumNames<BudgetDimension> {
    static constexpr std::array<std::string_view, 5> kNames{"none", "time", "steps", "tokens",
                                                            "cost"};
};

/// The operator replaced the session's limits.
struct BudgetSet {
    static constexpr EventType kType = EventType::kBudgetSet;
    BudgetLimits limits;
    std::string by;
    std::string reason;
    bool operator==(const BudgetSet&) const = default;
    static constexpr auto fields() {
        return field_list(field("limits", &BudgetSet::limits), field("by", &BudgetSet::by),
                          field("reason", &BudgetSet::reason));
    }
};

/// An addition to the limits in force. If `calls` is not empty, the addition is extra time for
/// these calls only.
struct BudgetExtended {
    static constexpr EventType kType = EventType::kBudgetExtended;
    BudgetLimits added;
    std::string by;
    std::string reason;
    std::string approval;  ///< the approved request, or empty
    /// Made by Headway, for a call in flight or for Headway's own downtime.
    bool automatic = false;
    /// How long Headway had not listened before this event; this time is not charged.
    std::uint64_t credited_ms = 0;
    std::vector<std::string> calls;  ///< the calls in flight when the time was used up, each listed
                                     ///< once
    bool operator==(const BudgetExtended&) const = default;
    static constexpr auto fields() {
        return field_list(field("added", &BudgetExtended::added), field("by", &BudgetExtended::by),
                          field("reason", &BudgetExtended::reason),
                          field("approval", &BudgetExtended::approval),
                          field("automatic", &BudgetExtended::automatic),
                          field("credited_ms", &BudgetExtended::credited_ms),
                          field("calls", &BudgetExtended::calls));
    }
};

/// The level changed, with the figures at that moment.
struct BudgetLevelChanged {
    static constexpr EventType kType = EventType::kBudgetLevel;
    BudgetLevel from = BudgetLevel::kNominal;
    BudgetLevel to = BudgetLevel::kNominal;
    BudgetDimension dimension = BudgetDimension::kNone;  ///< the worst dimension
    double pressure = 0;                                 ///< used percentage of that dimension
    std::uint64_t elapsed_seconds = 0;
    std::optional<std::uint64_t> remaining_seconds;
    std::uint64_t steps_completed = 0;
    std::optional<std::uint64_t> steps_remaining;
    bool operator==(const BudgetLevelChanged&) const = default;
    static constexpr auto fields() {
        return field_list(field("from", &BudgetLevelChanged::from),
                          field("to", &BudgetLevelChanged::to),
                          field("dimension", &BudgetLevelChanged::dimension),
                          field("pressure", &BudgetLevelChanged::pressure),
                          field("elapsed_seconds", &BudgetLevelChanged::elapsed_seconds),
                          field("remaining_seconds", &BudgetLevelChanged::remaining_seconds),
                          field("steps_completed", &BudgetLevelChanged::steps_completed),
                          field("steps_remaining", &BudgetLevelChanged::steps_remaining));
    }
};

/// A step was taken, with the figures at that moment; only with BudgetRules::updates.
struct BudgetUpdated {
    static constexpr EventType kType = EventType::kBudgetUpdated;
    std::uint64_t elapsed_seconds = 0;
    std::optional<std::uint64_t> remaining_seconds;
    std::uint64_t current_step = 0;
    std::optional<std::uint64_t> max_steps;
    double time_pressure = 0;  ///< used percentage of the time; 0 without a limit
    double step_pressure = 0;
    BudgetLevel level = BudgetLevel::kNominal;
    bool operator==(const BudgetUpdated&) const = default;
    static constexpr auto fields() {
        using B = BudgetUpdated;
        return field_list(
            required("elapsed_seconds", &B::elapsed_seconds),
            field("remaining_seconds", &B::remaining_seconds),
            required("current_step", &B::current_step), field("max_steps", &B::max_steps),
            required("time_pressure", &B::time_pressure),
            required("step_pressure", &B::step_pressure), required("level", &B::level));
    }
};

/// The parts of a sum of tokens, and how far its cost is known.
struct UseParts {
    std::uint64_t input = 0;
    std::uint64_t cached = 0;
    std::uint64_t cache_write = 0;
    std::uint64_t output = 0;
    std::uint64_t reasoning = 0;
    std::uint64_t unpriced = 0;          ///< tokens without a known cost
    std::uint64_t estimated_micros = 0;  ///< micro-dollars computed from Headway's table of prices
    bool operator==(const UseParts&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("input", &UseParts::input), field("cached", &UseParts::cached),
            field("cache_write", &UseParts::cache_write), field("output", &UseParts::output),
            field("reasoning", &UseParts::reasoning), field("unpriced", &UseParts::unpriced),
            field("estimated_micros", &UseParts::estimated_micros));
    }
};

/// The total usage of a child session so far, in the parent's journal. Each such event replaces the
/// child's previous one.
struct ChildProgress {
    static constexpr EventType kType = EventType::kChildProgress;
    std::string child;
    std::uint64_t steps = 0;
    std::uint64_t elapsed_seconds = 0;
    std::optional<std::uint64_t> remaining_seconds;
    std::optional<std::uint64_t> steps_remaining;
    std::uint64_t tokens = 0;
    std::optional<double> cost_usd;  ///< absent: not known
    BudgetLevel level = BudgetLevel::kNominal;
    Verdict verdict = Verdict::kStarting;
    bool ended = false;
    UseParts parts{};
    // The child's descendants: how many are open, how many there have ever been, and in how many
    // levels.
    std::uint64_t children_open = 0;
    std::uint64_t children_all = 0;
    std::uint64_t children_depth = 0;
    bool of_hooks = false;  ///< a sub-agent whose usage its parent's telemetry also reports
    bool operator==(const ChildProgress&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("child", &ChildProgress::child), field("steps", &ChildProgress::steps),
            field("elapsed_seconds", &ChildProgress::elapsed_seconds),
            field("remaining_seconds", &ChildProgress::remaining_seconds),
            field("steps_remaining", &ChildProgress::steps_remaining),
            field("tokens", &ChildProgress::tokens), field("cost_usd", &ChildProgress::cost_usd),
            field("level", &ChildProgress::level), field("verdict", &ChildProgress::verdict),
            field("ended", &ChildProgress::ended), field("parts", &ChildProgress::parts),
            field("children_open", &ChildProgress::children_open),
            field("children_all", &ChildProgress::children_all),
            field("children_depth", &ChildProgress::children_depth),
            internal("of_hooks", &ChildProgress::of_hooks));
    }
};

}  // namespace headway::core
