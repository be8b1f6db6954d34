// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/time.hpp"

namespace headway::core {

/// Since when Headway has been listening, and the gaps in it (a commit that hung, a process that
/// stood still): what is not heard in one of them proves nothing about an agent. A value; small
/// enough to go with every command.
class Watch {
public:
    static constexpr std::size_t kGapsMax = 32;  ///< half a kilobyte; long ones outlive short ones

    Watch() = default;
    /// Without a gap since then.
    Watch(Timestamp since) noexcept : since_(since) {}

    /// Whatever was before `now` is forgotten: a start, a suspend, a step of the clock.
    void begin_anew(Timestamp now) noexcept;
    /// Nobody was heard from `from` to `to`, which is later than any gap before. One that overlaps
    /// the last continues it. Where there are too many the shortest are forgotten.
    void note_gap(Timestamp from, Timestamp to) noexcept;

    /// Since when an agent that is asked to beat every `asked` could not be overheard. A gap of a
    /// quarter of that begins the count anew. A shorter one cannot make an agent late that is on
    /// time: the beat that is due in it is heard at its end, the next may wait as long for its
    /// reply, and silence takes a whole interval more than a beat. Were each counted, nobody would
    /// ever be silent beside a slow disk.
    Timestamp since(Millis asked) const noexcept;

    /// How much of the time after `at` nobody listened for, as far as kGapCounted and longer gaps
    /// go.
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
    std::array<Gap, kGapsMax> gaps_{};  ///< the first count_, in the order of time
    std::size_t count_ = 0;
};

}  // namespace headway::core
