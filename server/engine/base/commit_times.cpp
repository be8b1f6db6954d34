// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/commit_times.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {

void CommitTimes::note(std::chrono::microseconds took) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
    const auto time = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
    if (times_.size() < core::limits::kCommitTimesMax) {
        times_.push_back(time);
    } else {
        times_[commits_ % core::limits::kCommitTimesMax] = time;
    }
    ++commits_;
    microseconds_ += count;
}

std::chrono::microseconds CommitTimes::last() const {
    if (times_.empty()) return {};
    return std::chrono::microseconds{times_[(commits_ - 1) % times_.size()]};
}

double CommitTimes::percentile_ms(std::size_t percent) const {
    HEADWAY_ASSERT(percent <= 100);
    std::vector<std::uint32_t> times = times_;
    if (times.empty()) return 0;
    const auto place =
        times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) * percent / 100);
    std::nth_element(times.begin(), place, times.end());
    return static_cast<double>(*place) / 1000;
}

}  // namespace headway::server
