// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::core {

/// The build: `version` of the project; `git`, the output of git describe ("unknown" outside of a
/// checkout); `compiler`.
struct VersionInfo {
    std::string_view version;
    std::string_view git;
    std::string_view compiler;
};

/// Pure.
const VersionInfo& version() noexcept;

}  // namespace headway::core
