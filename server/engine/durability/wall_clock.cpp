// SPDX-License-Identifier: Apache-2.0
#include "server/engine/durability/wall_clock.hpp"

#include <string>

namespace headway::server {
namespace {

std::string ms(core::Millis span) {
    return std::to_string(span.count()) + " ms";
}

}  // namespace

void WallClock::follow(core::Watch& watch) {
    using Change = ClockSteps::Change;
    const ClockSteps::Step step = steps_.look(clock_.reading());
    if (step.follow > core::Millis{0}) {
        clock_.advance_to(clock_.now() + step.follow);
        watch.begin_anew(clock_.now());
    }
    switch (step.change) {
        case Change::kNothing:
            return;
        case Change::kFollowed:
            return report_(false, "the wall clock went " + ms(step.by) +
                                      " ahead (a suspend, or the clock was set); that time is not "
                                      "held against any session");
        case Change::kDoubted:
            return report_(true, "the wall clock went " + ms(step.by) +
                                     " ahead while the machine did not sleep; event times follow, "
                                     "and what is due by then happens, when it has stood for " +
                                     ms(confirm_));
        case Change::kReturned:
            return report_(false, "the wall clock is back from " + ms(step.by) +
                                      " ahead; nothing followed from it");
        case Change::kConfirmed:
            return report_(
                false,
                "the wall clock has stood " + ms(step.by) +
                    " ahead; event times follow, and that time is not held against any session");
        case Change::kBehind:
            return report_(false,
                           "the wall clock went back; event times go on from where they were, " +
                               ms(step.by) + " ahead of it");
    }
}

core::Result<> WallClock::start_after(storage::Store& store) {
    const auto newest = store.read_stream(store.head() - 1, 1);
    if (!newest && newest.error().code != core::ErrorCode::kStorageCorrupt) return newest.error();
    core::Timestamp last = core::kNever;
    if (!newest) {
        report_(true, "the newest event cannot be read: " + newest.error().detail);
        last += core::Millis{1};  // the largest age, so that nothing is deleted at once
    } else if (!newest->events.empty()) {
        last = newest->events.back().event.at;
    }
    const core::Millis behind = last == core::kNever ? core::Millis{0} : last - clock_.now();
    if (behind > core::Millis{0}) {
        clock_.advance_to(last);
        report_(true, "the wall clock is " + ms(behind) +
                          " behind the newest event of the journal; event times go on from there");
    }
    if (started_) return {};
    started_ = true;
    steps_.start(clock_.reading(), last);
    if (!trusted()) {
        report_(false, "the newest event of the journal is " + ms(clock_.now() - last) +
                           " old; nothing is deleted before the wall clock has stood for " +
                           ms(confirm_));
    }
    return {};
}

}  // namespace headway::server
