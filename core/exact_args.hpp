// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/call_print.hpp"

// The digest of the exact arguments of a call: what an approval is bound to, and what a finished
// call is compared by.

namespace headway::core {

/// Of `{}`, which stands for a call without arguments.
inline constexpr std::string_view kNoArgsDigest =
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/// Whether it is "sha256:" and 64 hexadecimal digits: then it is that of the canonical arguments.
/// Pure.
bool is_args_digest(std::string_view text) noexcept;

/// What a digest that a client made stands for. One of another kind says nothing about arguments
/// to us: a SHA-256 made of it takes its place, so that the same text is known again, and neither
/// another nor any arguments are equal to it. Pure.
std::string bound_digest(std::string_view told);

/// Keeps a digest of is_args_digest() in the print.
void keep_args(CallPrint& print, std::string_view digest);

/// That digest; empty when the print has none. Pure.
std::string args_of(const CallPrint& print);

}  // namespace headway::core
