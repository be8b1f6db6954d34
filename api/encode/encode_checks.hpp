// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/time.hpp"
#include "core/events/judge_payloads.hpp"
#include "core/judgement/estimate_scores.hpp"

namespace headway::api {

/// A status check, finished or under way.
struct CheckDocument {
    std::string session;
    core::CheckRequested asked;
    std::uint64_t asked_n = 0;
    core::Timestamp asked_at = core::kNever;
    std::optional<core::CheckCompleted> done;  ///< the result; absent while the check is under way
    std::uint64_t done_n = 0;
    core::Timestamp done_at = core::kNever;
};

/// The reply to `GET /check-status/{id}`, and to the POST that requested the check. Changes only
/// `out`.
void append_check(std::string& out, const CheckDocument& document);

/// The reply to `GET /v1/analytics/estimates`. Changes only `out`.
void append_estimates(std::string& out, std::span<const core::EstimateSummary> summaries);

}  // namespace headway::api
