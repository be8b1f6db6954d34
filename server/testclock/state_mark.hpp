// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.hpp"

namespace headway::server::testclock {

/// Claims a state directory for the test clock. The directory must be missing or empty, and is then
/// marked with a file; or it must have that mark already. Timestamps of a moved clock must never
/// get into the database of a real daemon. Error: kInvalidConfig.
core::Result<> claim_state(const std::filesystem::path& directory);

}  // namespace headway::server::testclock
