// SPDX-License-Identifier: Apache-2.0
#include "core/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace headway::core {

void assertion_failed(const char* expression, const char* file, int line) noexcept {
    std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace headway::core
