// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/traces/trace.hpp"

namespace headway::tests {

/// A trace that fills every table that a session keeps: more questions, files, contents, verifiers,
/// failing tools, loops and phases than are remembered, with long names and messages.
Trace crowded_trace(std::uint64_t seed, std::size_t calls);

}  // namespace headway::tests
