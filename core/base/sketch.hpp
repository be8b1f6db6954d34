// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/fields.hpp"

// Running quantiles over sessions, in whole numbers. They come from a histogram with eight buckets
// for each doubling of the value, so a quantile differs from an observed value by at most 6.25 %.
// Pure.

namespace headway::core {

/// The number of a bucket, and the weight of the values in it; in Samples the weight is their
/// count.
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

/// The values of one session, counted in buckets: in ascending order, at most
/// limits::kSamplesBucketsMax. A value that needs a further bucket is counted in the nearest one.
struct Samples {
    std::vector<SketchBucket> counts;

    void add(std::uint64_t value);
    bool operator==(const Samples&) const = default;
};

/// Quantiles over sessions. Each new session gets the same weight, however many samples it has.
/// There is no quantile before limits::kExpectationSessionsMin sessions. Thus no session ever has
/// more than 5 % of the weight. From time to time all weights so far are halved, so that the last
/// few hundred sessions decide.
struct Sketch {
    std::vector<SketchBucket> buckets;  ///< ascending
    std::uint64_t sessions = 0;         ///< sessions that have contributed

    /// Adds one session. Without samples nothing changes.
    void learn(const Samples& samples);
    /// True if enough sessions have contributed for a quantile to exist.
    bool ready() const noexcept;
    /// Nearest rank: the smallest value such that at least `percent` % of the weight is at or below
    /// it. 0 if there is no weight.
    std::uint64_t quantile(unsigned percent) const;
    std::uint64_t weight() const noexcept;

    bool operator==(const Sketch&) const = default;
    static constexpr auto fields() {
        return field_list(field("buckets", &Sketch::buckets), field("sessions", &Sketch::sessions));
    }
};

/// True if learn() could have produced the sketch. Used for sketches read from the disk.
bool is_valid(const Sketch& sketch) noexcept;

/// The weight of one session.
inline constexpr std::uint32_t kSessionWeight = 1U << 16;

}  // namespace headway::core
