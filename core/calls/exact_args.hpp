// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/call_fingerprint.hpp"
#include "core/text/sha256.hpp"

// The digest of a call's exact arguments. It binds an approval to a call, and it shows whether a
// finished call is the approved one.

namespace headway::core {

/// Digest of `{}`, used for a call without arguments.
inline constexpr std::string_view kNoArgsDigest =
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/// True for "sha256:" and 64 hexadecimal digits: the digest of canonical arguments. Pure.
bool is_args_digest(std::string_view text) noexcept;

/// The digest to use if a client sent the text `words` as the digest of the arguments. A text that
/// is not a digest proves nothing about the arguments, so it is hashed: equal texts give equal
/// digests, and such a digest matches no real arguments. Pure.
std::string bound_digest(std::string_view words);

using ArgsDigest = Sha256Digest;

/// The text of a digest: "sha256:" and 64 hexadecimal digits. Pure.
std::string args_digest_text(const ArgsDigest& digest);

/// The bytes of a text for which is_args_digest() is true. Pure.
ArgsDigest args_digest_bytes(std::string_view text);

/// Stores the digest in the fingerprint.
void keep_args(CallFingerprint& fingerprint, const ArgsDigest& digest);
inline void keep_args(CallFingerprint& fingerprint, std::string_view digest) {
    keep_args(fingerprint, args_digest_bytes(digest));
}

/// The digest of the exact arguments; empty if the fingerprint has none. Pure.
std::string args_of(const CallFingerprint& fingerprint);

}  // namespace headway::core
