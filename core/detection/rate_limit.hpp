// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/time.hpp"
#include "core/events/work_payloads.hpp"

// Rate limits and usage limits, and the times at which they end.

namespace headway::core {

/// The longest wait that is accepted as plausible. The longest limit of a plan is a month; one day
/// is added for differences of clocks and zones.
inline constexpr Millis kRetryMost{32 * 24 * 3'600'000LL};

/// True if a failure is a provider's rate limit or overload. `error_class` decides, then `status`;
/// `message` is read only if both are absent. Pure.
bool is_rate_limit(std::string_view error_class, std::optional<std::uint64_t> status,
                   std::string_view message);

/// The wait that the words of an error name ("try again in 15 hours 23 minutes", "Resets in
/// 2h39m52s"), at most kRetryMost; nothing if they name none. Pure.
std::optional<Millis> wait_in_words(std::string_view message);

/// The time from which the provider accepts requests again, according to an error at `now`: its
/// `retry_at`, or the words of its message. kNever if the time is unknown or implausible. A wait in
/// words is read only for rate limits and usage limits. Pure.
Timestamp retry_of(const ErrorReported& error, Timestamp now);

}  // namespace headway::core
