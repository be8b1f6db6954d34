// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace headway::server {

/// The delay before the next try at an endpoint after a question failed there `tries` times (1 or
/// more). It is chosen with `random` from the whole range (full jitter), so that questions that
/// failed together are not retried together: from 0 to limits::kJudgeBackoffBase, doubled with each
/// try up to kJudgeBackoffMax. It is at least `retry_after`, but this only up to
/// kJudgeRetryAfterMax. Pure.
std::chrono::milliseconds backoff(std::uint32_t tries, std::uint64_t random,
                                  std::optional<std::chrono::milliseconds> retry_after);

}  // namespace headway::server
