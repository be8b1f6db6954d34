// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/time.hpp"
#include "core/events/judge_payloads.hpp"
#include "core/judgement/estimate_scores.hpp"

namespace headway::api {

/// A status check, as far as it has come.
struct CheckDocument {
    std::string session;
    core::CheckRequested asked;
    std::uint64_t asked_n = 0;
    core::Timestamp asked_at = core::kNever;
    std::optional<core::CheckCompleted> done;  ///< nothing while it is under way
    std::uint64_t done_n = 0;
    core::Timestamp done_at = core::kNever;
};

/// The reply of `GET /check-status/{id}`, and of the POST that asked. Pure.
void append_check(std::string& out, const CheckDocument& document);

/// The reply of `GET /v1/analytics/estimates`. Pure.
void append_estimates(std::string& out, std::span<const core::EstimateSummary> summaries);

}  // namespace headway::api
