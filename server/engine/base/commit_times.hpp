// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace headway::server {

/// The durations of the newest commits, at most limits::kCommitTimesMax. Pure.
class CommitTimes {
public:
    void note(std::chrono::microseconds took);
    void note_failure() noexcept { ++failures_; }

    std::uint64_t commits() const noexcept { return commits_; }
    std::uint64_t failures() const noexcept { return failures_; }
    std::uint64_t microseconds() const noexcept { return microseconds_; }
    /// The newest duration; 0 before the first commit.
    std::chrono::microseconds last() const;
    /// A percentile of the newest durations; 0 before the first commit. `percent` is at most 100.
    double percentile_ms(std::size_t percent) const;

private:
    std::uint64_t commits_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t microseconds_ = 0;    ///< total duration of all commits
    std::vector<std::uint32_t> times_;  ///< durations in microseconds, a ring
};

}  // namespace headway::server
