// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/detectors.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

constexpr auto kNamesById = kFieldsOf<Detectors>([](const auto&... field) {
    return std::array<std::string_view, kDetectorCount>{field.name...};
});

template <class D>
constexpr const DetectorTraits& traits_of(const Field<Detectors, D>&) {
    return D::kTraits;
}

constexpr auto kTraitsById = kFieldsOf<Detectors>([](const auto&... field) {
    return std::array<DetectorTraits, kDetectorCount>{traits_of(field)...};
});

/// Size of a structure whose members are these fields, in their order.
template <class... Members>
constexpr std::size_t size_of(const Field<Detectors, Members>&...) {
    std::size_t end = 0;
    const auto align = [&end](std::size_t to) { end = (end + to - 1) / to * to; };
    ((align(alignof(Members)), end += sizeof(Members)), ...);
    align(alignof(Detectors));
    return end;
}

constexpr bool are_unique(std::array<std::string_view, kDetectorCount> names) {
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

static_assert(kFieldsOf<Detectors>([](const auto&... field) { return size_of(field...); }) ==
                  sizeof(Detectors),
              "a member without a field is neither asked nor stored");
static_assert(are_unique(kNamesById));
static_assert(kDetectorCount <= UINT8_MAX, "DetectorId is one byte");
static_assert(std::all_of(kTraitsById.begin(), kTraitsById.end(), [](const DetectorTraits& one) {
    return one.balanced.rise() && one.strict.rise();
}));

}  // namespace

constinit const std::span<const std::string_view> EnumNames<DetectorId>::kNames{kNamesById};

const DetectorTraits& traits_of(DetectorId detector) {
    HEADWAY_ASSERT(static_cast<std::size_t>(detector) < kTraitsById.size());
    return kTraitsById[static_cast<std::size_t>(detector)];
}

Thresholds thresholds_of(const Policy& policy, DetectorId detector) {
    const DetectorTraits& traits = traits_of(detector);
    Thresholds limits = policy.profile == Profile::kStrict ? traits.strict : traits.balanced;
    if (detector == kIdOf<HeartbeatRule>) {
        limits.suspect = policy.heartbeat_limit;
        limits.stuck = policy.profile == Profile::kStrict ? policy.heartbeat_limit
                                                          : 4 * policy.heartbeat_limit;
    }
    for (const DetectorPolicy& own : policy.detectors) {
        if (own.detector != detector) continue;
        if (own.off) return {};
        if (own.suspect != 0) limits.suspect = own.suspect;
        if (own.stuck != 0) limits.stuck = own.stuck;
    }
    if (limits.stuck != 0) limits.suspect = std::min(limits.suspect, limits.stuck);
    HEADWAY_ASSERT(limits.rise());
    return limits;
}

}  // namespace headway::core
