// SPDX-License-Identifier: Apache-2.0
#include "server/time/clock.hpp"

#include <algorithm>

namespace headway::server {
namespace {

std::int64_t count(core::Timestamp stamp) {
    return stamp.time_since_epoch().count();
}

}  // namespace

Clock::Clock() : steady_at_start_(steady()), stamp_at_start_ms_(count(wall())), watch_(now()) {}

Clock::Clock(core::Timestamp frozen)
    : frozen_(true),
      steady_at_start_(steady()),
      stamp_at_start_ms_(count(frozen)),
      watch_(frozen) {}

core::Timestamp Clock::now() const {
    if (frozen_) return core::Timestamp{core::Millis{stamp_at_start_ms_.load()}};
    const auto since_start = std::chrono::duration_cast<core::Millis>(steady() - steady_at_start_);
    return core::Timestamp{core::Millis{stamp_at_start_ms_.load()} + since_start};
}

core::Timestamp Clock::wall() {
    return std::chrono::time_point_cast<core::Millis>(time_source::wall());
}

core::Timestamp Clock::earliest() const {
    return frozen_ ? now() : std::min(now(), wall());
}

ClockSteps::Reading Clock::reading() const {
    const time_source::Uptime up = time_source::uptime();
    return {now(), frozen_ ? now() : wall(), up.slept, up.steady};
}

void Clock::advance_to(core::Timestamp stamp) {
    const core::Millis ahead = stamp - now();
    if (ahead <= core::Millis{0}) return;
    {
        const std::scoped_lock lock{mutex_};
        watch_.begin_anew(stamp);
    }
    stamp_at_start_ms_.fetch_add(ahead.count());
}

void Clock::follow_shared(core::Timestamp stamp) {
    // Less behind is the way of the answer, and no step.
    constexpr core::Millis kWay{250};
    const core::Millis ahead = stamp - now();
    if (ahead > core::Millis{0} || ahead < -kWay) stamp_at_start_ms_.fetch_add(ahead.count());
}

core::Watch Clock::watch() const {
    const std::scoped_lock lock{mutex_};
    return watch_;
}

void Clock::begin_turn() {
    turn_since_ms_.store(count(now()));
}

void Clock::end_turn(const core::Watch& watch) {
    {
        const std::scoped_lock lock{mutex_};
        watch_ = watch;
    }
    turn_since_ms_.store(kNoTurn);
}

core::Timestamp Clock::heard_until() const {
    const std::int64_t turn_since = turn_since_ms_.load();
    return turn_since == kNoTurn ? now() : core::Timestamp{core::Millis{turn_since}};
}

}  // namespace headway::server
