#include "server/supervisor_turn.hpp"

// What becomes of steps of the wall clock.

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// A step of the wall clock; less is how clocks are, and would be told again and again.
constexpr core::Millis kStepNoticed = 2s;

}  // namespace

/// Stamps follow the wall clock ahead: nobody is blamed for time in which the machine slept, or
/// which there never was. Backwards they do not follow.
void Supervisor::follow_wall_clock() {
    const core::Timestamp wall = Clock::wall();
    const core::Millis ahead = wall - clock_.now();
    if (ahead > kStepNoticed) {
        clock_.advance_to(wall);
        watch_.begin_anew(clock_.now());
        wall_behind_ = core::Millis{0};
        report_(
            false,
            "the wall clock went " + std::to_string(ahead.count()) +
                " ms ahead (a suspend, or somebody set it); no session is blamed for that time");
    } else if (-ahead > wall_behind_ + kStepNoticed) {
        wall_behind_ = -ahead;
        report_(false, "the wall clock went back; event times go on from where they were, " +
                           std::to_string(wall_behind_.count()) + " ms ahead of it");
    }
}

/// A clock that was set back must not put new events before old ones.
core::Result<> Supervisor::start_after_journal() {
    HEADWAY_TRY(const auto newest, store_.read_stream(store_.head() - 1, 1));
    if (newest.empty() || newest.back().event.at <= clock_.now()) return {};
    wall_behind_ = newest.back().event.at - clock_.now();
    clock_.advance_to(newest.back().event.at);
    report_(true, "the wall clock is " + std::to_string(wall_behind_.count()) +
                      " ms behind the newest event of the journal; event times go on from there");
    return {};
}

}  // namespace headway::server
