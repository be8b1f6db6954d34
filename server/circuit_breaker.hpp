// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/fields.hpp"
#include "server/clock.hpp"

namespace headway::server {

enum class BreakerState : std::uint8_t {
    kClosed,    ///< requests may pass
    kOpen,      ///< none may
    kHalfOpen,  ///< one may, the probe
};

/// Keeps requests from an endpoint that fails: opens after limits::kJudgeFailuresToOpen failures in
/// a row, for kJudgeOpenFor; then one probe decides. A failed probe opens it for twice as long as
/// the last time, at most kJudgeOpenForMax. Time is an argument. Pure.
class CircuitBreaker {
public:
    using Instant = Clock::Steady::time_point;

    /// What a request was let through as; each is given back by exactly one of the three below.
    enum class Permit : std::uint8_t { kNone, kRegular, kProbe };

    /// kNone when open, or when a probe is under way.
    Permit admit(Instant now);
    /// The endpoint works. Also good news when it comes from a request older than the failures.
    void succeeded(Permit permit);
    /// It does not. What was started before the breaker opened changes nothing any more.
    void failed(Permit permit, Instant now);
    /// The request says nothing about the endpoint: it was cancelled, for example.
    void abandoned(Permit permit);

    BreakerState state(Instant now) const;
    /// When it turns half open; only while open.
    Instant reopens_at() const { return open_until_; }

private:
    void open(Instant now);

    std::uint32_t failures_ = 0;  ///< in a row
    bool open_ = false;           ///< or half open, by the time
    bool probing_ = false;
    Instant open_until_{};
    std::chrono::milliseconds open_for_{0};  ///< the last time; 0 = not since it worked
};

}  // namespace headway::server

template <>
struct headway::core::EnumNames<headway::server::BreakerState> {
    static constexpr std::array<std::string_view, 3> kNames{"closed", "open", "half_open"};
};
