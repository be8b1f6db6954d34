// SPDX-License-Identifier: Apache-2.0
#pragma once

// Assertions that stay on in release: a broken invariant stops the process, systemd restarts it,
// and the journal restores the state. Use for programmer errors only; anything a client can cause
// is a Result.

namespace headway::core {

/// Prints the place and the message to stderr and aborts. Any thread. Cold, so that the compiler
/// keeps the calls out of the hot path: an event passes hundreds of assertions, and that path
/// exceeds the L1 instruction cache.
[[noreturn, gnu::cold]] void assertion_failed(const char* expression, const char* file,
                                              int line) noexcept;

}  // namespace headway::core

#define HEADWAY_ASSERT(expression) \
    ((expression) ? void(0) : ::headway::core::assertion_failed(#expression, __FILE__, __LINE__))
