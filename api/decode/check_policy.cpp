// SPDX-License-Identifier: Apache-2.0
#include "api/decode/check_policy.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/json/decode_fields.hpp"
#include "core/base/limits.hpp"
#include "core/calls/tool_class.hpp"
#include "core/values/policy.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::Result;
using fields::under;
using fields::wrong;

constexpr std::uint64_t kDayMs = 24ULL * 60 * 60 * 1000;

Error of_entry(Error error, std::size_t index, std::string_view list) {
    return under(under(std::move(error), std::to_string(index)), list);
}

Result<> check_tools(const core::PolicyOverride& policy) {
    if (policy.tools.size() > core::limits::kToolPoliciesMax) {
        return under(wrong("must have at most 32 tools"), "tools");
    }
    for (std::size_t i = 0; i < policy.tools.size(); ++i) {
        const core::ToolPolicy& entry = policy.tools[i];
        if (entry.tool.empty()) {
            return of_entry(under(wrong("must not be empty"), "tool"), i, "tools");
        }
        if (std::string detail = core::wrong_tool_rule(entry.tool); !detail.empty()) {
            return of_entry(under(wrong(std::move(detail)), "tool"), i, "tools");
        }
        if (entry.patience < 1 || entry.patience > core::kPatienceMax) {
            return of_entry(under(wrong("must be from 1 to 100"), "patience"), i, "tools");
        }
        const auto before = policy.tools.begin() + static_cast<std::ptrdiff_t>(i);
        const bool again = std::any_of(policy.tools.begin(), before,
                                       [&](const auto& other) { return other.tool == entry.tool; });
        if (again) return of_entry(wrong("the tool has an entry already"), i, "tools");
    }
    return {};
}

Result<> check_detectors(const core::PolicyOverride& policy) {
    for (std::size_t i = 0; i < policy.detectors.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (policy.detectors[k].detector != policy.detectors[i].detector) continue;
            return of_entry(wrong("has an entry already"), i, "detectors");
        }
        const core::DetectorPolicy& entry = policy.detectors[i];
        if (!entry.off && entry.stuck != 0 && entry.suspect > entry.stuck) {
            return of_entry(
                under(wrong("must be at most `stuck`, or it would never be suspect"), "suspect"), i,
                "detectors");
        }
    }
    return {};
}

}  // namespace

Result<> check_policy(const core::PolicyOverride& policy) {
    const auto interval = policy.heartbeat_interval_ms.value_or(10'000);
    if (interval < 100 || interval > 3'600'000) {
        return under(wrong("must be from 100 to 3600000 ms"), "heartbeat_interval_ms");
    }
    const auto limit = policy.heartbeat_limit.value_or(5);
    if (limit < core::kHeartbeatLimitMin || limit > core::kHeartbeatLimitMax) {
        return under(wrong("must be from 2 to 1000"), "heartbeat_limit");
    }
    const double confidence = policy.min_confidence.value_or(0);
    if (confidence < 0 || confidence > 1) {
        return under(wrong("must be from 0 to 1"), "min_confidence");
    }
    const auto attempts = policy.low_confidence_attempts.value_or(3);
    if (attempts < 1 || attempts > core::kLowConfidenceAttemptsMax) {
        return under(wrong("must be from 1 to 1000"), "low_confidence_attempts");
    }
    if (policy.stats_every.value_or(10) > core::kStatsEveryMax) {
        return under(wrong("must be at most 1000"), "stats_every");
    }
    if (auto tools = check_tools(policy); !tools) return tools;
    if (policy.tool_time_limit_ms.value_or(0) > kDayMs) {
        return under(wrong("must be at most a day"), "tool_time_limit_ms");
    }
    if (policy.wait_polls.value_or(0) > core::kWaitPollsMax) {
        return under(wrong("must be at most 100000"), "wait_polls");
    }
    if (policy.wait_patience_ms.value_or(0) > 7 * kDayMs) {
        return under(wrong("must be at most a week"), "wait_patience_ms");
    }
    return check_detectors(policy);
}

}  // namespace headway::api
