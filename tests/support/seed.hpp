// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

namespace headway::tests {

/// The seed of this run: HEADWAY_SEED; the same one for everybody without it; a new one for
/// HEADWAY_SEED=new. Print it with INFO so that a failure can be repeated.
inline std::uint64_t seed() {
    static const std::uint64_t kSeed = [] {
        const char* given = std::getenv("HEADWAY_SEED");
        if (given == nullptr) return std::uint64_t{20261122};
        if (std::string_view{given} == "new") return std::uint64_t{std::random_device{}()};
        return std::uint64_t{std::strtoull(given, nullptr, 10)};
    }();
    return kSeed;
}

/// True for the long versions of tests: HEADWAY_LONG=1.
inline bool long_run() {
    const char* given = std::getenv("HEADWAY_LONG");
    return given != nullptr && std::string_view{given} == "1";
}

}  // namespace headway::tests
