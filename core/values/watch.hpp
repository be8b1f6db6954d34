// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/time.hpp"

namespace headway::core {

/// The time since which Headway has been listening, and its attention gaps (a hung commit, a
/// suspended process). Silence in a gap proves nothing about an agent (docs/detection.md, section
/// 11). Small enough to be copied into every command.
class Watch {
public:
    static constexpr std::size_t kGapsMax = 32;  ///< takes half a kilobyte; short gaps are dropped
                                                 ///< first

    Watch() = default;
    /// Headway has been listening since `since`, without gaps.
    Watch(Timestamp since) noexcept : since_(since) {}

    /// Begins to listen, at the start of the daemon. Dialogs opened earlier no longer wait for the
    /// daemon's answer: see started().
    void start(Timestamp now) noexcept {
        begin_anew(now);
        started_ = now;
    }
    Timestamp started() const noexcept { return started_; }

    /// Forgets everything before `now`. Used after a suspend or a clock step.
    void begin_anew(Timestamp now) noexcept;
    /// Records that Headway did not listen from `from` to `to`. Gaps are recorded in chronological
    /// order; one that overlaps the last gap extends it. If there is no room, the shortest gap is
    /// dropped.
    void note_gap(Timestamp from, Timestamp to) noexcept;

    /// The time since which Headway has listened without a gap that matters to a session with the
    /// heartbeat interval `asked`. This is the end of the last gap of at least a quarter of
    /// `asked`. Shorter gaps are ignored, because a heartbeat due in such a gap is received at the
    /// end of the gap, well before the timeout of two intervals. If these were counted, they would
    /// hide real silence on a slow disk, where every commit is a gap.
    Timestamp since(Millis asked) const noexcept;

    /// Time after `at` in which Headway did not listen, in gaps of at least kGapCounted.
    Millis unheard_after(Timestamp at) const noexcept;
    static constexpr Millis kGapCounted{1'000};

private:
    struct Gap {
        Timestamp from;
        Timestamp to;

        Millis length() const noexcept { return to - from; }
    };
    std::span<const Gap> gaps() const noexcept { return {gaps_.data(), count_}; }
    void forget(std::size_t place) noexcept;

    Timestamp since_ = kNever;
    Timestamp started_ = kNever;
    std::array<Gap, kGapsMax> gaps_{};  ///< the first count_ are used, in chronological order
    std::size_t count_ = 0;
};

}  // namespace headway::core
