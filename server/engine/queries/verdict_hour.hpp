// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/base/time.hpp"
#include "core/values/verdict.hpp"

namespace headway::server {

/// Counts of open sessions by verdict, at the end of each recent minute since the daemon's start.
/// Only turns change the counts, so each turn begins by noting the minutes that have ended since
/// the last turn. Kept in memory only, for at most kMinutesMax minutes. Engine thread only.
class VerdictHour {
public:
    using Counts = std::array<std::uint64_t, core::kVerdictCount>;
    static constexpr std::size_t kMinutesMax = 60;

    /// `open` are the counts that have been in force since the last turn.
    void note(core::Timestamp now, const Counts& open);
    /// Drops all counts, so that they start again.
    void forget() { minutes_.clear(), noted_ = {}; }

    /// The counts of the last minutes, oldest first; the last minute ended at until().
    const std::deque<Counts>& minutes() const { return minutes_; }
    core::Timestamp until() const { return noted_; }

private:
    std::deque<Counts> minutes_;
    std::chrono::sys_time<std::chrono::minutes> noted_{};  ///< the minutes up to this time are
                                                           ///< noted
};

}  // namespace headway::server
