// SPDX-License-Identifier: Apache-2.0
#include "core/base/sketch.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::core {
namespace {

constexpr unsigned kStepBits = 3;                        ///< eight buckets for each doubling
constexpr std::uint64_t kSketchSteps = 1U << kStepBits;  ///< in one doubling
constexpr std::uint64_t kValueMax = (1ULL << 40) - 1;    ///< greater values count as this

/// All weights are halved when as much has been added.
constexpr std::uint64_t kWeightMax = std::uint64_t{kSessionWeight} * limits::kSketchSessionsMax;

/// Far beyond any real number of sessions; one more still counts.
constexpr std::uint64_t kSessionsMax = std::numeric_limits<std::int64_t>::max() / 2;

static_assert(kWeightMax <= std::numeric_limits<std::uint32_t>::max(), "weights have 32 bits");
static_assert(limits::kSamplesBucketsMax < kSessionWeight, "the rest of a division fits");

constexpr std::uint32_t index_of(std::uint64_t value) noexcept {
    if (value < kSketchSteps) return static_cast<std::uint32_t>(value);
    const auto doublings = static_cast<unsigned>(std::bit_width(value)) - 1 - kStepBits;
    const std::uint64_t step = (value >> doublings) - kSketchSteps;
    return static_cast<std::uint32_t>((doublings + 1) * kSketchSteps + step);
}

static_assert(index_of(kValueMax) == kSketchBucketLast);
static_assert(index_of(15) == 15 && index_of(16) == 16 && index_of(17) == 16);

bool below(const SketchBucket& bucket, std::uint32_t index) {
    return bucket.index < index;
}

/// The bucket that is nearest to `index`. Precondition: there is one.
SketchBucket& nearest(std::vector<SketchBucket>& buckets, std::uint32_t index) {
    HEADWAY_ASSERT(!buckets.empty());
    const auto above = std::lower_bound(buckets.begin(), buckets.end(), index, below);
    if (above == buckets.begin()) return *above;
    const auto under = std::prev(above);
    if (above == buckets.end()) return *under;
    return above->index - index < index - under->index ? *above : *under;
}

void add_weight(std::vector<SketchBucket>& buckets, std::uint32_t index, std::uint32_t weight) {
    HEADWAY_ASSERT(index <= kSketchBucketLast);
    auto place = std::lower_bound(buckets.begin(), buckets.end(), index, below);
    if (place == buckets.end() || place->index != index)
        place = buckets.insert(place, SketchBucket{index, 0});
    HEADWAY_ASSERT(place->weight <= std::numeric_limits<std::uint32_t>::max() - weight);
    place->weight += weight;
}

std::uint64_t total(const std::vector<SketchBucket>& buckets) noexcept {
    std::uint64_t sum = 0;
    for (const SketchBucket& bucket : buckets)
        sum += bucket.weight;
    return sum;
}

/// Whole numbers fall: what is worth less than one part is forgotten.
void halve(std::vector<SketchBucket>& buckets) {
    for (SketchBucket& bucket : buckets)
        bucket.weight /= 2;
    std::erase_if(buckets, [](const SketchBucket& bucket) { return bucket.weight == 0; });
}

}  // namespace

std::uint32_t bucket_of(std::uint64_t value) noexcept {
    const std::uint32_t index = index_of(std::min(value, kValueMax));
    HEADWAY_ASSERT(index <= kSketchBucketLast);
    return index;
}

std::uint64_t value_of_bucket(std::uint32_t index) noexcept {
    HEADWAY_ASSERT(index <= kSketchBucketLast);
    if (index < 2 * kSketchSteps) return index;
    const std::uint64_t doublings = index / kSketchSteps - 1;
    const std::uint64_t low = (kSketchSteps + index % kSketchSteps) << doublings;
    const std::uint64_t middle = low + (1ULL << doublings) / 2;
    HEADWAY_ASSERT(index_of(middle) == index);
    return middle;
}

void Samples::add(std::uint64_t value) {
    const std::uint32_t index = bucket_of(value);
    auto place = std::lower_bound(counts.begin(), counts.end(), index, below);
    if (place == counts.end() || place->index != index) {
        if (counts.size() < limits::kSamplesBucketsMax) {
            place = counts.insert(place, SketchBucket{index, 0});
        } else {
            const SketchBucket& near = nearest(counts, index);
            place = counts.begin() + (&near - counts.data());
        }
    }
    if (place->weight < std::numeric_limits<std::uint32_t>::max()) ++place->weight;
    HEADWAY_ASSERT(place->weight > 0 && counts.size() <= limits::kSamplesBucketsMax);
}

void Sketch::learn(const Samples& samples) {
    const std::uint64_t count = total(samples.counts);
    if (count == 0) return;
    if (weight() + kSessionWeight > kWeightMax) halve(buckets);
    const std::uint64_t before = weight();
    std::uint32_t rest = kSessionWeight;
    const SketchBucket* most = &samples.counts.front();
    for (const SketchBucket& sample : samples.counts) {
        if (sample.weight > most->weight) most = &sample;
        const auto part =
            static_cast<std::uint32_t>(sample.weight * std::uint64_t{kSessionWeight} / count);
        HEADWAY_ASSERT(part <= rest);
        rest -= part;
        if (part > 0) add_weight(buckets, sample.index, part);
    }
    HEADWAY_ASSERT(rest < limits::kSamplesBucketsMax);
    if (rest > 0) add_weight(buckets, most->index, rest);
    if (sessions < std::numeric_limits<std::uint64_t>::max()) ++sessions;
    HEADWAY_ASSERT(weight() == before + kSessionWeight && weight() <= kWeightMax);
}

bool Sketch::ready() const noexcept {
    return weight() >= std::uint64_t{kSessionWeight} * limits::kExpectationSessionsMin;
}

std::uint64_t Sketch::quantile(unsigned percent) const {
    HEADWAY_ASSERT(percent <= 100);
    const std::uint64_t all = weight();
    if (all == 0) return 0;
    const std::uint64_t rank = std::max<std::uint64_t>((all * percent + 99) / 100, 1);
    std::uint64_t seen = 0;
    for (const SketchBucket& bucket : buckets) {
        seen += bucket.weight;
        if (seen >= rank) return value_of_bucket(bucket.index);
    }
    HEADWAY_ASSERT(seen == all && rank <= all);
    return value_of_bucket(buckets.back().index);
}

std::uint64_t Sketch::weight() const noexcept {
    return total(buckets);
}

bool is_valid(const Sketch& sketch) noexcept {
    const auto& buckets = sketch.buckets;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i].index > kSketchBucketLast || buckets[i].weight == 0) return false;
        if (i > 0 && buckets[i - 1].index >= buckets[i].index) return false;
    }
    // More sessions than have weight is right, since weights are halved.
    return sketch.weight() <= kWeightMax && sketch.sessions <= kSessionsMax &&
           (buckets.empty() || sketch.sessions >= sketch.weight() / kSessionWeight);
}

}  // namespace headway::core
