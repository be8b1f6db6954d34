// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "core/base/result.hpp"

namespace headway::storage {

/// An error: the database has an impossible value.
inline core::Error corrupt(std::string what) {
    return {core::ErrorCode::kStorageCorrupt, std::move(what), {}};
}

}  // namespace headway::storage
