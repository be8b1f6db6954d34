// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/session_payloads.hpp"

// Bodies of requests, as decoded and as described in openapi.json. For the decoders only.

namespace headway::api {

/// The effect that a rejection may ask for.
enum class Then : std::uint8_t { kStop, kChangeApproach };

}  // namespace headway::api

template <>
struct headway::core::EnumNames<headway::api::Then> {
    static constexpr std::array<std::string_view, 2> kNames{"stop", "change_approach"};
};

namespace headway::api {

/// Limits of the budget. `suggested`: missing limits are taken from expectations.
struct OpenBudget {
    std::optional<std::uint64_t> timeout_seconds;
    std::optional<std::uint64_t> max_steps;
    std::optional<std::uint64_t> max_tokens;
    std::optional<double> max_cost_usd;
    bool suggested = false;
    static constexpr auto fields() {
        using B = OpenBudget;
        return field_list(
            core::field("timeout_seconds", &B::timeout_seconds),
            core::field("max_steps", &B::max_steps), core::field("max_tokens", &B::max_tokens),
            core::field("max_cost_usd", &B::max_cost_usd), core::field("suggested", &B::suggested));
    }
};

/// The body that opens a session: an `id`, and the fields of a SessionStarted.
struct OpenBody {
    std::string id;
    core::Text goal;
    core::AgentInfo agent;
    std::string parent;
    std::vector<core::Label> labels;
    core::PolicyOverride policy;
    OpenBudget budget;
    std::optional<core::Complexity> complexity;
    static constexpr auto fields() {
        return field_list(
            core::field("id", &OpenBody::id), core::field("goal", &OpenBody::goal),
            core::field("agent", &OpenBody::agent), core::field("parent", &OpenBody::parent),
            core::field("labels", &OpenBody::labels), core::field("policy", &OpenBody::policy),
            core::field("budget", &OpenBody::budget),
            core::field("complexity", &OpenBody::complexity));
    }
};

/// The data of a recorded opening.
struct RecordedAbout {
    core::Text goal;
    core::AgentInfo agent;
    std::string parent;
    std::vector<core::Label> labels;
    static constexpr auto fields() {
        using A = RecordedAbout;
        return field_list(core::field("goal", &A::goal), core::field("agent", &A::agent),
                          core::field("parent", &A::parent), core::field("labels", &A::labels));
    }
};

/// The first event of a recording.
struct RecordedOpening {
    std::string type;
    core::Timestamp at = core::kNever;
    std::string event_id;
    RecordedAbout data;
    static constexpr auto fields() {
        using O = RecordedOpening;
        return field_list(core::field("type", &O::type), core::field("at", &O::at),
                          core::field("event_id", &O::event_id), core::field("data", &O::data));
    }
};

struct PauseBody {
    std::string reason;
    std::string by;
    static constexpr auto fields() {
        return field_list(core::field("reason", &PauseBody::reason),
                          core::field("by", &PauseBody::by));
    }
};

struct NudgeBody {
    std::string text;
    std::string by;
    static constexpr auto fields() {
        return field_list(core::required("text", &NudgeBody::text),
                          core::field("by", &NudgeBody::by));
    }
};

struct ChangeBody {
    std::optional<core::BudgetLimits> set;
    std::optional<core::BudgetLimits> extend;
    std::string by;
    std::string reason;
    static constexpr auto fields() {
        return field_list(
            core::field("set", &ChangeBody::set), core::field("extend", &ChangeBody::extend),
            core::field("by", &ChangeBody::by), core::field("reason", &ChangeBody::reason));
    }
};

struct DayBody {
    std::string label;
    std::optional<core::BudgetLimits> extend;
    bool lift = false;
    static constexpr auto fields() {
        return field_list(core::field("label", &DayBody::label),
                          core::field("extend", &DayBody::extend),
                          core::field("lift", &DayBody::lift));
    }
};

struct DecisionBody {
    core::Decision decision = core::Decision::kReject;
    std::string reason;
    core::ExactJson edited_args;
    core::Text response;
    core::GrantScope scope = core::GrantScope::kOnce;
    core::Timestamp until = core::kNever;
    core::GrantMatch match = core::GrantMatch::kArgs;
    std::string by;
    std::string channel;
    std::optional<Then> then;
    bool apply_to_identical = false;
    static constexpr auto fields() {
        using B = DecisionBody;
        return field_list(
            core::required("decision", &B::decision), core::field("reason", &B::reason),
            core::field("edited_args", &B::edited_args), core::field("response", &B::response),
            core::field("scope", &B::scope), core::field("until", &B::until),
            core::field("match", &B::match), core::field("by", &B::by),
            core::field("channel", &B::channel), core::field("then", &B::then),
            core::field("apply_to_identical", &B::apply_to_identical));
    }
};

struct RedeemBody {
    std::string args_digest;
    core::ExactJson args;
    std::string key;
    static constexpr auto fields() {
        return field_list(core::field("args_digest", &RedeemBody::args_digest),
                          core::field("args", &RedeemBody::args),
                          core::field("key", &RedeemBody::key));
    }
};

}  // namespace headway::api
