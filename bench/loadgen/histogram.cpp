// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headway::bench {

// Values below kSub have a bucket each; above, every power of two is cut into kSub buckets.
std::size_t Histogram::index_of(std::uint64_t value) {
    if (value < kSub) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return shift * kSub + (value >> shift);
}

std::uint64_t Histogram::middle_of(std::size_t index) {
    if (index < 2 * kSub) return index;
    const std::size_t shift = index / kSub - 1;
    const std::uint64_t low = (index - shift * kSub) << shift;
    return low + ((std::uint64_t{1} << shift) >> 1);
}

void Histogram::add(std::int64_t nanoseconds) {
    const std::int64_t value = std::max<std::int64_t>(nanoseconds, 0);
    ++buckets_[index_of(static_cast<std::uint64_t>(value))];
    ++count_;
    max_ = std::max(max_, value);
}

std::int64_t Histogram::at(double quantile) const {
    const auto wanted =
        static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        seen += buckets_[i];
        if (seen >= wanted && seen > 0) {
            return std::min(static_cast<std::int64_t>(middle_of(i)), max_);
        }
    }
    return max_;
}

}  // namespace headway::bench
