// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/fields.hpp"

// Running quantiles over sessions, in whole numbers: a histogram with eight buckets for each
// doubling of the value, so that a quantile is within 6.25 % of an observed value. Pure.

namespace headway::core {

/// A bucket's number and the weight of its values; in Samples, the weight is a count.
struct SketchBucket {
    std::uint32_t index = 0;
    std::uint32_t weight = 0;
    bool operator==(const SketchBucket&) const = default;
    static constexpr auto fields() {
        return field_list(field("index", &SketchBucket::index),
                          field("weight", &SketchBucket::weight));
    }
};

/// The greatest bucket number: values from 2^40 on share this bucket.
inline constexpr std::uint32_t kSketchBucketLast = 303;

/// The bucket of a value. Values below 16 have one bucket each.
std::uint32_t bucket_of(std::uint64_t value) noexcept;
/// The middle of a bucket. Precondition: `index` is at most kSketchBucketLast.
std::uint64_t value_of_bucket(std::uint32_t index) noexcept;

/// Counts of one session by bucket, ascending, at most limits::kSamplesBucketsMax. Beyond that, a
/// value counts for the nearest bucket.
struct Samples {
    std::vector<SketchBucket> counts;

    void add(std::uint64_t value);
    bool operator==(const Samples&) const = default;
};

/// Quantiles over sessions. Each session has the same weight, for any number of samples, and there
/// is no quantile before limits::kExpectationSessionsMin sessions: so no session ever has more than
/// 5 % of the weight. From time to time all weights are halved, so that the last few hundred
/// sessions decide.
struct Sketch {
    std::vector<SketchBucket> buckets;  ///< ascending
    std::uint64_t sessions = 0;         ///< sessions that have contributed

    /// Adds one session. Without samples nothing changes.
    void learn(const Samples& samples);
    /// True if enough sessions have contributed for a quantile.
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

/// True if learn() could have produced the sketch: for sketches read from a disk.
bool is_valid(const Sketch& sketch) noexcept;

/// The weight of one session.
inline constexpr std::uint32_t kSessionWeight = 1U << 16;

}  // namespace headway::core
