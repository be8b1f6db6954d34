#pragma once

#include <cstdint>

#include "core/detector.hpp"
#include "core/fields.hpp"

namespace headway::core {

/// Alive but not moving (detection.md D21 and D22, first design `isStuck`): Thresholds::suspect
/// heartbeats in a row without a state change and with no call in flight are a suspicion. They are
/// `stuck` at Thresholds::stuck only if the agent counted iterations on the way: a loop that turns
/// and does nothing; one that stands still may be a slow tool that nobody announced, up to
/// kUnannouncedMax beats. Under the strict profile both are the same number and it is `stuck`. The
/// same number with a call in flight whose counter stands still is kSlow and never more: a long
/// tool is not a stuck agent. A beat restarts the count when its phase or in-flight counter moved;
/// its iteration number does not, since a counter that only counts beats proves nothing
/// (detection.md S32). A message of the user is a new task and restarts it too. An agent that said
/// that it is idle or waits for permission has nothing to move: its beats do not count until it
/// does something. Nor do those of one that waits for the answer to its approval request; the
/// answer restarts the count.
struct HeartbeatRule {
    static constexpr DetectorId kId = DetectorId::kHeartbeatRule;

    static constexpr std::uint64_t kUnannouncedMax = 1'000;  ///< some hours

    std::uint64_t quiet_beats = 0;    ///< in a row, nothing in flight
    std::uint64_t working_beats = 0;  ///< in a row, a call in flight, nothing moved
    std::uint64_t first_beat = 0;     ///< event number of the first of the row
    std::uint64_t last_beat = 0;
    std::uint64_t last_move =
        0;  ///< event number of what last restarted the count; 0 = nothing yet
    std::uint64_t iterations = 0;  ///< quiet beats whose iteration differs from the one before
    std::uint64_t iteration = 0;   ///< of the last beat
    bool rests = false;            ///< idle, or waiting for permission, by its own word

    void observe(const Observation& seen);
    Rung rung(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;

    bool operator==(const HeartbeatRule&) const = default;
    static constexpr auto fields() {
        return field_list(field("quiet_beats", &HeartbeatRule::quiet_beats),
                          field("working_beats", &HeartbeatRule::working_beats),
                          field("first_beat", &HeartbeatRule::first_beat),
                          field("last_beat", &HeartbeatRule::last_beat),
                          field("last_move", &HeartbeatRule::last_move),
                          field("iterations", &HeartbeatRule::iterations),
                          field("iteration", &HeartbeatRule::iteration),
                          field("rests", &HeartbeatRule::rests));
    }

private:
    void restart(std::uint64_t n);
    void count(std::uint64_t& beats, std::uint64_t& other, std::uint64_t n);
};

static_assert(Detector<HeartbeatRule>);

}  // namespace headway::core
