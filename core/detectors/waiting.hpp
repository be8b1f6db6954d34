// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/detection/detector.hpp"

namespace headway::core {

/// Counts waits (docs/detection.md, section 8). A wait is a poll of something under way, or any
/// unfinished call of a waiting tool. An unchanged answer to a wait is neutral. A changed answer is
/// progress (P4); after it, the detector claims nothing. A sleep with nothing to wait for is idle
/// time, which the detector counts.
struct Waiting {
    static constexpr DetectorTraits kTraits{
        .kind = EvidenceKind::kWait,
        .balanced = {22, 30},  // sleeps with nothing to wait for
        .advice = "Nothing is under way to wait for: do the next step, or say what you wait for.",
        .always_on = true,
    };

    /// Bounds for queries about something that has ended. After kOverWaits waits or kOverPatience,
    /// a person is needed; kOverLooks queries without a wait are suspicious.
    static constexpr std::uint32_t kOverWaits = 4;
    /// Replaces kOverWaits if a port stays closed.
    static constexpr std::uint32_t kClosedWaits = 12;
    static constexpr Millis kOverPatience{15 * 60'000};
    static constexpr std::uint32_t kOverLooks = 12;
    /// If a resource stays taken, or the awaited thing is missing, a person is needed after this
    /// number of waits.
    static constexpr std::uint32_t kBusyWaits = 20;

    bool waits = false;
    bool live = false;        ///< the last poll found something under way
    bool moves = false;       ///< the last poll got a changed answer
    bool closed = false;      ///< `over` counts queries of a closed port
    bool busy = false;        ///< according to the last answer, the awaited resource is taken
    std::uint8_t missed = 0;  ///< consecutive waits that found nothing, at most kBusyWaits
    std::uint64_t since_n = 0;
    std::uint32_t unchanged = 0;  ///< consecutive polls after the first one
    std::uint32_t idle = 0;       ///< consecutive sleeps with nothing under way
    std::uint64_t first_idle_n = 0;
    std::uint64_t last_idle_n = 0;
    std::uint32_t pressed = 0;      ///< consecutive refusals and unchanged polls, with no pause in
                                    ///< between
    std::uint32_t unmoved = 0;      ///< consecutive waits in which nothing external changed
    Timestamp unmoved_at = kNever;  ///< time of the first such wait
    std::uint32_t over = 0;         ///< consecutive queries whose answer names an end
                                    ///< (Shape::kOver)
    std::uint32_t over_of = 0;      ///< low half of these queries' question digest
    Timestamp over_at = kNever;     ///< time of the first such query
    std::uint32_t over_said = 0;    ///< low half of the digest of these queries' answer
    /// Seconds that the waits in `unmoved` took, from the durations of the calls.
    std::uint32_t rested = 0;

    void observe(const Observation& seen);
    /// True if the awaited thing has not changed for `polls` polls or for `patience`, has ended, or
    /// is still taken.
    bool needs_somebody(std::uint32_t polls, Millis patience, Timestamp now) const;
    Severity severity(Thresholds limits, const Ledger& ledger) const;
    Finding finding(const Ledger& ledger) const;
    bool is_valid(const Ledger& ledger, std::uint64_t newest) const;

    bool operator==(const Waiting&) const = default;
    static constexpr auto fields() {
        using D = Waiting;
        return field_list(
            field("waits", &D::waits), field("live", &D::live), field("moves", &D::moves),
            field("since_n", &D::since_n), field("unchanged", &D::unchanged),
            field("idle", &D::idle), field("first_idle_n", &D::first_idle_n),
            field("last_idle_n", &D::last_idle_n), field("pressed", &D::pressed),
            field("unmoved", &D::unmoved), field("unmoved_at", &D::unmoved_at),
            field("over", &D::over), field("over_of", &D::over_of), field("over_at", &D::over_at),
            field("closed", &D::closed), field("busy", &D::busy), field("over_said", &D::over_said),
            field("rested", &D::rested), field("missed", &D::missed));
    }

private:
    void count_sleep(const Observation& seen);
    void count_unmoved(const CallSeen& call, bool still, Tier tier, const Event& event);
    void count_over(const CallSeen& call, Tier tier, Timestamp now);
    void count_rest(const ToolFinished& call);
    bool looks_at_an_end() const {
        return !waits && over >= kOverLooks && idle == 0 && pressed == 0;
    }
};

static_assert(Detector<Waiting>);

}  // namespace headway::core
