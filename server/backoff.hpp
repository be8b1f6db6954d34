// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace headway::server {

/// How long an endpoint is left alone after a question failed there `tries` times (1 or more):
/// anything from nothing to limits::kJudgeBackoffBase, doubled with each try up to
/// kJudgeBackoffMax, by `random` (full jitter: questions that failed together do not come back
/// together). At least what the endpoint asked for, up to kJudgeRetryAfterMax. Pure.
std::chrono::milliseconds backoff(std::uint32_t tries, std::uint64_t random,
                                  std::optional<std::chrono::milliseconds> retry_after);

}  // namespace headway::server
