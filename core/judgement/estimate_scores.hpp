// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/session_payloads.hpp"

// The accuracy of estimates, measured when the session has ended. Pure.

namespace headway::core {

inline constexpr std::size_t kDeciles = 10;

/// An estimate whose session has not ended.
struct EstimateMade {
    std::uint64_t n = 0;  ///< number of the estimate's event
    double percent = 0;
    std::uint64_t calls = 0;  ///< finished calls when the estimate was made
    std::string source;       ///< "judge" or "agent"
    std::string model;        ///< the judge's model
    bool operator==(const EstimateMade&) const = default;
};

/// Scores of the estimates that one source and model made within one tenth of the scale. An error
/// is the estimate minus the truth, in thousandths of a point. Errors are summed as whole numbers,
/// so that the sum does not depend on the order.
struct EstimateScore {
    std::string source;
    std::string model;
    std::uint64_t decile = 0;  ///< tenth of the scale: 0 = below 10 percent, 9 = 90 and above
    std::uint64_t count = 0;
    std::uint64_t completed = 0;  ///< estimates in sessions that completed
    std::int64_t abs_error_milli = 0;
    std::int64_t signed_error_milli = 0;
    bool operator==(const EstimateScore&) const = default;
};

/// Scores the estimates of a session that ended after `calls` finished calls: the truth is the
/// share of its calls that had finished when the estimate was made. Empty for a session without
/// calls, which has no such share. The result has one score for each source, model and decile,
/// sorted in that order.
std::vector<EstimateScore> score_estimates(std::span<const EstimateMade> estimates,
                                           std::uint64_t calls, Outcome outcome);

struct DecileSummary {
    std::uint64_t count = 0;
    std::uint64_t completed = 0;
};

/// All scores of one source and model.
struct EstimateSummary {
    std::string source;
    std::string model;
    std::uint64_t count = 0;
    std::uint64_t completed = 0;
    double mean_abs_error = 0;  ///< mean size of the errors, in points
    double bias = 0;            ///< mean signed error; positive = too optimistic
    std::array<DecileSummary, kDeciles> deciles{};
};

/// One summary for each source and model, sorted by source, then by model.
std::vector<EstimateSummary> summarize_estimates(std::span<const EstimateScore> scores);

}  // namespace headway::core
