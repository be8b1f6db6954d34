// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace headway::storage {

/// Milliseconds since 1970, as stored in columns.
inline std::int64_t ms_of(core::Timestamp at) {
    return at.time_since_epoch().count();
}
inline core::Timestamp time_of(std::int64_t ms) {
    return core::Timestamp{core::Millis{ms}};
}

}  // namespace headway::storage
