// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::core {

/// What was built: `version` of the project, `git` describe of the checkout ("unknown" outside
/// one), `compiler`.
struct VersionInfo {
    std::string_view version;
    std::string_view git;
    std::string_view compiler;
};

/// Pure.
const VersionInfo& version() noexcept;

}  // namespace headway::core
