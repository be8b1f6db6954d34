// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace headway::server {

/// The delay before the next try at an endpoint after a question failed there `tries` times (1 or
/// more). Full jitter by `random`, so that questions that failed together are not retried together:
/// 0 to limits::kJudgeBackoffBase, doubled with each try up to kJudgeBackoffMax. At least
/// `retry_after`, up to kJudgeRetryAfterMax. Pure.
std::chrono::milliseconds backoff(std::uint32_t tries, std::uint64_t random,
                                  std::optional<std::chrono::milliseconds> retry_after);

}  // namespace headway::server
