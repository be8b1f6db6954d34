// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/digest/digest.hpp"

// Sums over the sessions of a digest. Pure.

namespace headway::api {

struct DigestSum {
    std::string name;  ///< of the agent, the model or the label; empty: not known
    std::uint64_t sessions = 0;
    core::DigestUse use;
};
/// The greatest cost first, then the most tokens; at most kDigestSumsMax.
using DigestSums = std::vector<DigestSum>;
inline constexpr std::size_t kDigestSumsMax = 50;

DigestSums sums_by_agent(const DigestDocument& digest);
DigestSums sums_by_model(const DigestDocument& digest);
/// "team=night"; a session with two labels counts in both.
DigestSums sums_by_label(const DigestDocument& digest);
core::DigestUse total_of(const DigestDocument& digest);

/// The session that was silent for the longest time; null if none was.
const DigestRow* longest_silence(const DigestDocument& digest);

}  // namespace headway::api
