// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/session_payloads.hpp"

// How good estimates were, once the real end is known. Pure.

namespace headway::core {

inline constexpr std::size_t kDeciles = 10;

/// One estimate that waits for the end of its session.
struct EstimateMade {
    std::uint64_t n = 0;  ///< its event
    double percent = 0;
    std::uint64_t calls = 0;  ///< that had finished by then
    std::string source;       ///< "judge" or "agent"
    std::string model;        ///< of a judge
    bool operator==(const EstimateMade&) const = default;
};

/// Estimates of one source, in one tenth of the scale, against the ends of their sessions. Errors
/// are what was said less what was so, in thousandths of a point, summed up: whole numbers, so that
/// the sums do not depend on their order.
struct EstimateScore {
    std::string source;
    std::string model;
    std::uint64_t decile = 0;  ///< 0 = below 10 percent, 9 = 90 and above
    std::uint64_t count = 0;
    std::uint64_t completed = 0;  ///< in sessions that completed
    std::int64_t abs_error_milli = 0;
    std::int64_t signed_error_milli = 0;
    bool operator==(const EstimateScore&) const = default;
};

/// A session has ended after `calls` finished calls: how far each estimate was from the share of
/// them that had been made. Nothing of a session without calls, which has no share. One score for
/// each source, model and decile, in that order.
std::vector<EstimateScore> score_estimates(std::span<const EstimateMade> made, std::uint64_t calls,
                                           Outcome outcome);

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
    double mean_abs_error = 0;  ///< points
    double bias = 0;            ///< mean of the signed errors: above 0 = said too much
    std::array<DecileSummary, kDeciles> deciles{};
};

/// By source and model, in that order.
std::vector<EstimateSummary> summarize_estimates(std::span<const EstimateScore> scores);

}  // namespace headway::core
