// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/circuit_breaker.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {

CircuitBreaker::Permit CircuitBreaker::admit(Instant now) {
    switch (state(now)) {
        case BreakerState::kClosed:
            return Permit::kRegular;
        case BreakerState::kOpen:
            return Permit::kNone;
        case BreakerState::kHalfOpen:
            break;
    }
    if (probing_) return Permit::kNone;
    probing_ = true;
    return Permit::kProbe;
}

void CircuitBreaker::succeeded(Permit permit) {
    HEADWAY_ASSERT(permit != Permit::kNone);
    if (permit == Permit::kProbe) probing_ = false;
    failures_ = 0;
    open_ = false;
    open_for_ = std::chrono::milliseconds{0};
}

void CircuitBreaker::failed(Permit permit, Instant now) {
    HEADWAY_ASSERT(permit != Permit::kNone);
    if (permit == Permit::kProbe) {
        probing_ = false;
        // An older request may have closed it meanwhile: then this is the first failure since.
        if (open_) return open(now);
    }
    if (open_) return;
    if (++failures_ >= core::limits::kJudgeFailuresToOpen) open(now);
}

void CircuitBreaker::abandoned(Permit permit) {
    HEADWAY_ASSERT(permit != Permit::kNone);
    if (permit == Permit::kProbe) probing_ = false;
}

BreakerState CircuitBreaker::state(Instant now) const {
    if (!open_) return BreakerState::kClosed;
    return now < open_until_ ? BreakerState::kOpen : BreakerState::kHalfOpen;
}

void CircuitBreaker::open(Instant now) {
    open_for_ = open_for_.count() == 0 ? core::limits::kJudgeOpenFor
                                       : std::min(2 * open_for_, core::limits::kJudgeOpenForMax);
    open_ = true;
    open_until_ = now + open_for_;
    failures_ = 0;
}

}  // namespace headway::server
