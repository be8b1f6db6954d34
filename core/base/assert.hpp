// SPDX-License-Identifier: Apache-2.0
#pragma once

// Assertions that stay on in release: a broken invariant stops the process, systemd restarts it,
// and the journal restores the state. Use for programmer errors only; anything a client can cause
// is a Result.

namespace headway::core {

/// Prints the place and the message to stderr and aborts. Callable on any thread. Cold, so that the
/// compiler moves the calls to this function out of the hot path: each event runs hundreds of
/// assertions, and the hot path is larger than the L1 instruction cache.
[[noreturn, gnu::cold]] void assertion_failed(const char* expression, const char* file,
                                              int line) noexcept;

}  // namespace headway::core

#define HEADWAY_ASSERT(expression) \
    ((expression) ? void(0) : ::headway::core::assertion_failed(#expression, __FILE__, __LINE__))
