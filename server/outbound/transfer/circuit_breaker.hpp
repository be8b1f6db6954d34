// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/base/fields.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

enum class BreakerState : std::uint8_t {
    kClosed,    ///< requests may pass
    kOpen,      ///< no request may pass
    kHalfOpen,  ///< one request, the probe, may pass
};

/// Stops requests to an endpoint that fails. After limits::kJudgeFailuresToOpen consecutive
/// failures, it opens for kJudgeOpenFor; then one probe decides. A failed probe opens the breaker
/// again for twice the previous time, at most kJudgeOpenForMax. Time is an argument. Pure.
class CircuitBreaker {
public:
    using Instant = Clock::Steady::time_point;

    /// How a request was admitted. Each permit must be returned with succeeded(), failed() or
    /// abandoned().
    enum class Permit : std::uint8_t { kNone, kRegular, kProbe };

    /// Returns kNone if the breaker is open, or if a probe is under way.
    Permit admit(Instant now);
    /// The request succeeded. Closes the breaker even if the request is older than the failures.
    void succeeded(Permit permit);
    /// The request failed. Ignored if the request started before the breaker opened.
    void failed(Permit permit, Instant now);
    /// The request proves nothing about the endpoint, for example because it was cancelled.
    void abandoned(Permit permit);

    BreakerState state(Instant now) const;
    /// Time at which the breaker becomes half open; valid only while open.
    Instant reopens_at() const { return open_until_; }

private:
    void open(Instant now);

    std::uint32_t failures_ = 0;  ///< consecutive failures
    bool open_ = false;           ///< open, or half open after open_until_
    bool probing_ = false;
    Instant open_until_{};
    std::chrono::milliseconds open_for_{
        0};  ///< duration of the last opening; 0 = not opened since the last success
};

}  // namespace headway::server

template <>
struct headway::core::EnumNames<headway::server::BreakerState> {
    static constexpr std::array<std::string_view, 3> kNames{"closed", "open", "half_open"};
};
