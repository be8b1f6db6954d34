// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decode/check_policy.hpp"
#include "api/decode/decode.hpp"
#include "api/json/decode_fields.hpp"

// The opening of a session.

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Limits, and whether the others are taken from expectations.
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

/// Takes `id` out of the opening body, which is otherwise a SessionStarted.
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

}  // namespace

Result<DecodedOpen> decode_open(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    OpenBody open;
    if (auto decoded = fields::decode_object(document.root(), open); !decoded) {
        core::Error error = std::move(decoded).error();
        if (error.field == "/policy/risk")
            error.detail =
                "is gone: the learned risk told no more than the number of calls; leave it out";
        return error;
    }
    if (auto checked = check_policy(open.policy); !checked) {
        return fields::under(std::move(checked).error(), "policy");
    }
    if (!open.parent.empty() && !valid_id(open.parent)) {
        return fields::under(
            fields::wrong("must be a session id: 1 to 128 of A-Z a-z 0-9 . _ ~ : -"), "parent");
    }
    if (!open.id.empty() && !valid_id(open.id)) {
        return Error{ErrorCode::kInvalidId,
                     "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..", "/id"};
    }
    DecodedOpen decoded;
    decoded.id = std::move(open.id);
    decoded.about.goal = std::move(open.goal);
    decoded.about.agent = std::move(open.agent);
    decoded.about.parent = std::move(open.parent);
    decoded.about.labels = std::move(open.labels);
    decoded.about.policy = open.policy;
    const OpenBudget& budget = open.budget;
    decoded.about.budget = {budget.timeout_seconds, budget.max_steps, budget.max_tokens,
                            budget.max_cost_usd};
    decoded.about.complexity = open.complexity;
    decoded.suggested = open.budget.suggested;
    // Stored sorted, so that the same labels in another order are the same opening.
    std::sort(decoded.about.labels.begin(), decoded.about.labels.end(),
              [](const core::Label& a, const core::Label& b) { return a.key < b.key; });
    return decoded;
}

}  // namespace headway::api
