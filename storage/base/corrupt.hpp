// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "core/base/result.hpp"

namespace headway::storage {

/// The error for an impossible value in the database.
inline core::Error corrupt(std::string what) {
    return {core::ErrorCode::kStorageCorrupt, std::move(what), {}};
}

}  // namespace headway::storage
