// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// Latencies in buckets of 1.6 % width: constant memory, a few nanoseconds per value.

namespace headway::bench {

class Histogram {
public:
    void add(std::int64_t nanoseconds);
    /// The `quantile` (0..1) of all values, in nanoseconds; 0 when empty.
    std::int64_t at(double quantile) const;
    std::int64_t max() const { return max_; }
    std::uint64_t count() const { return count_; }

private:
    static constexpr unsigned kSubBits = 6;
    static constexpr std::size_t kSub = std::size_t{1} << kSubBits;

    static std::size_t index_of(std::uint64_t value);
    static std::uint64_t middle_of(std::size_t index);

    std::array<std::uint64_t, (64 - kSubBits + 1) * kSub> buckets_{};
    std::uint64_t count_ = 0;
    std::int64_t max_ = 0;
};

}  // namespace headway::bench
