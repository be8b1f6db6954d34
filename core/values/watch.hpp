// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/base/time.hpp"

namespace headway::core {

/// Since when Headway has been listening, and its attention gaps (a hung commit, a suspended
/// process): silence in a gap proves nothing about an agent (docs/detection.md, section 11). A
/// value, small enough for a copy in every command.
class Watch {
public:
    static constexpr std::size_t kGapsMax = 32;  ///< half a kilobyte; long gaps outlive short ones

    Watch() = default;
    /// Attention since `since`, without gaps.
    Watch(Timestamp since) noexcept : since_(since) {}

    /// Starts attention with the daemon: requests from before the start no longer wait for it.
    void start(Timestamp now) noexcept {
        begin_anew(now);
        started_ = now;
    }
    Timestamp started() const noexcept { return started_; }

    /// Forgets everything before `now`; for use after a suspend or a clock step.
    void begin_anew(Timestamp now) noexcept;
    /// Records that Headway did not listen from `from` to `to`, later than any earlier gap. An
    /// overlap extends the last gap. When full, the shortest gap is dropped.
    void note_gap(Timestamp from, Timestamp to) noexcept;

    /// Start of uninterrupted attention for a heartbeat interval of `asked`. A gap of at least a
    /// quarter of `asked` restarts the count. Shorter gaps are ignored: a heartbeat due in a gap is
    /// received at its end, well before the two-interval timeout. Counting them would hide real
    /// silence on a slow disk, where every commit is a gap.
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
    std::array<Gap, kGapsMax> gaps_{};  ///< the first count_, in the order of time
    std::size_t count_ = 0;
};

}  // namespace headway::core
