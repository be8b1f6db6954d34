// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/backoff.hpp"

#include <algorithm>

#include "core/base/limits.hpp"

namespace headway::server {

std::chrono::milliseconds backoff(std::uint32_t tries, std::uint64_t random,
                                  std::optional<std::chrono::milliseconds> retry_after) {
    using core::limits::kJudgeBackoffBase;
    using core::limits::kJudgeBackoffMax;
    constexpr std::uint32_t kDoublingsMax = 16;  // far beyond the bound, and no overflow
    const std::uint32_t doublings = std::min(std::max(tries, 1U) - 1, kDoublingsMax);
    const auto most = std::min(kJudgeBackoffBase * (1 << doublings), kJudgeBackoffMax);
    const auto range = static_cast<std::uint64_t>(most.count()) + 1;
    const std::chrono::milliseconds jitter{random % range};
    if (!retry_after) return jitter;
    return std::max(jitter, std::min(*retry_after, core::limits::kJudgeRetryAfterMax));
}

}  // namespace headway::server
