// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/digest/digest.hpp"

// Sums over the sessions of a digest. Pure.

namespace headway::api {

struct DigestSum {
    std::string name;  ///< name of the agent, model or label; empty: unknown
    std::uint64_t sessions = 0;
    core::DigestUse use;
};
/// Sorted by cost, then by tokens, largest first; at most kDigestSumsMax.
using DigestSums = std::vector<DigestSum>;
inline constexpr std::size_t kDigestSumsMax = 50;

DigestSums sums_by_agent(const DigestDocument& digest);
DigestSums sums_by_model(const DigestDocument& digest);
/// Sums have names such as "team=night". A session with two labels is in both sums.
DigestSums sums_by_label(const DigestDocument& digest);
core::DigestUse total_of(const DigestDocument& digest);

/// The session with the longest silence; null if no session was silent.
const DigestRow* longest_silence(const DigestDocument& digest);

}  // namespace headway::api
