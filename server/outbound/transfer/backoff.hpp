// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace headway::server {

/// The delay before the next try at an endpoint after a question failed there `tries` times (1 or
/// more). It is chosen with `random` between 0 and an upper end (full jitter), so that questions
/// that failed together are not retried together. The upper end is limits::kJudgeBackoffBase after
/// the first failure and doubles with each further failure, up to kJudgeBackoffMax. With
/// `retry_after`, the delay is at least the smaller of `retry_after` and kJudgeRetryAfterMax. Pure.
std::chrono::milliseconds backoff(std::uint32_t tries, std::uint64_t random,
                                  std::optional<std::chrono::milliseconds> retry_after);

}  // namespace headway::server
