// SPDX-License-Identifier: Apache-2.0
#include "server/time/clock_steps.hpp"

#include <algorithm>

namespace headway::server {

using core::Millis;

void ClockSteps::start(const Reading& now, core::Timestamp newest) {
    slept_ = now.slept;
    behind_ = std::max(now.stamps - now.wall, Millis{0});
    doubt_.reset();
    start_doubted_.reset();
    if (newest != core::kNever && now.wall - newest > kStartBelieved)
        start_doubted_ = now.steady + confirm_;
}

ClockSteps::Step ClockSteps::look(const Reading& now) {
    const Millis slept = std::max(now.slept - slept_, Millis{0});
    slept_ = now.slept;
    Millis ahead = now.wall - now.stamps;
    // Less than a step is not counted as sleep; otherwise the stamps would creep ahead.
    const Millis asleep = slept > kNoticed ? std::clamp(ahead, Millis{0}, slept) : Millis{0};
    Step step = judge(ahead - asleep, now.steady);
    if (asleep > Millis{0} && step.change == Change::kNothing) step.change = Change::kFollowed;
    if (step.change == Change::kFollowed || step.change == Change::kConfirmed) step.by += asleep;
    step.follow += asleep;
    return step;
}

ClockSteps::Step ClockSteps::judge(Millis ahead, Millis steady) {
    if (ahead <= kNoticed) {
        const bool returned = doubt_.has_value();
        const Millis was = returned ? doubt_->ahead : Millis{0};
        doubt_.reset();
        if (-ahead > behind_ + kNoticed) {
            behind_ = -ahead;
            return {Millis{0}, Change::kBehind, behind_};
        }
        return {Millis{0}, returned ? Change::kReturned : Change::kNothing, was};
    }
    behind_ = Millis{0};
    if (ahead <= kBelieved || confirm_ == Millis{0}) {
        doubt_.reset();
        return {ahead, Change::kFollowed, ahead};
    }
    // A different step restarts the wait.
    const bool same =
        doubt_ && ahead - doubt_->ahead <= kBelieved && doubt_->ahead - ahead <= kBelieved;
    if (!same) {
        doubt_ = Doubt{ahead, steady};
        return {Millis{0}, Change::kDoubted, ahead};
    }
    if (steady - doubt_->since < confirm_) return {};
    doubt_.reset();
    return {ahead, Change::kConfirmed, ahead};
}

}  // namespace headway::server
