// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/fields.hpp"

// Running quantiles over sessions, in whole numbers: a histogram with eight buckets for each
// doubling of the value, so that a quantile is within 6.25 % of a value that was seen. Pure.

namespace headway::core {

/// Values of a bucket, by number; of a session's own samples the weight is a count.
struct SketchBucket {
    std::uint32_t index = 0;
    std::uint32_t weight = 0;
    bool operator==(const SketchBucket&) const = default;
    static constexpr auto fields() {
        return field_list(field("index", &SketchBucket::index),
                          field("weight", &SketchBucket::weight));
    }
};

/// The greatest bucket number: values from 2^40 on share it.
inline constexpr std::uint32_t kSketchBucketLast = 303;

/// The bucket of a value. Values below 16 have one each.
std::uint32_t bucket_of(std::uint64_t value) noexcept;
/// The middle of a bucket. Precondition: `index` is at most kSketchBucketLast.
std::uint64_t value_of_bucket(std::uint32_t index) noexcept;

/// Counts of one session by bucket, ascending, at most limits::kSamplesBucketsMax. A value beyond
/// that counts for the nearest bucket.
struct Samples {
    std::vector<SketchBucket> counts;

    void add(std::uint64_t value);
    bool operator==(const Samples&) const = default;
};

/// Quantiles over sessions. Each session has the same weight, however many samples it brings, and
/// nothing is said before limits::kExpectationSessionsMin have contributed: so none ever has more
/// than one of so many parts, 5 %. From time to time all weights are halved, so that the last
/// few hundred sessions decide.
struct Sketch {
    std::vector<SketchBucket> buckets;  ///< ascending
    std::uint64_t sessions = 0;         ///< that have contributed

    /// Adds one session. Without samples nothing changes.
    void learn(const Samples& samples);
    /// Whether enough sessions have contributed for a quantile.
    bool ready() const noexcept;
    /// Nearest rank: the smallest value that at least `percent` of the weight does not exceed. 0
    /// without any weight.
    std::uint64_t quantile(unsigned percent) const;
    std::uint64_t weight() const noexcept;

    bool operator==(const Sketch&) const = default;
    static constexpr auto fields() {
        return field_list(field("buckets", &Sketch::buckets), field("sessions", &Sketch::sessions));
    }
};

/// Whether learn() can have produced it: for sketches that were read from a disk.
bool is_valid(const Sketch& sketch) noexcept;

/// The weight of one session.
inline constexpr std::uint32_t kSessionWeight = 1U << 16;

}  // namespace headway::core
