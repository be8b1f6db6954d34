// SPDX-License-Identifier: Apache-2.0
#include "core/base/version.hpp"

#include "headway_git.hpp"  // written by core/git_version.cmake at build time

namespace headway::core {

const VersionInfo& version() noexcept {
    static constexpr VersionInfo kVersion{HEADWAY_VERSION, HEADWAY_GIT, "g++ " __VERSION__};
    return kVersion;
}

}  // namespace headway::core
