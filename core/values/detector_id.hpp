// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/fields.hpp"

namespace headway::core {

/// A detector, identified by the place of its field in `Detectors` (core/detectors/detectors.hpp);
/// the name of that field is the name of the detector. The place and the name are both stored.
/// `kIdOf<ExactRepeat>` is the id of a detector's type. Policies use this id and need neither the
/// types nor their list.
enum class DetectorId : std::uint8_t {};

template <>
struct EnumNames<DetectorId> {
    static const std::span<const std::string_view> kNames;
};

}  // namespace headway::core
