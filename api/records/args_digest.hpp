// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "api/json/json_document.hpp"
#include "core/calls/exact_args.hpp"

namespace headway::api {

/// The canonical text of a JSON value: compact, keys sorted by their bytes at every depth, with all
/// values as received; nothing is masked or left out. Pure.
std::string canonical_json(JsonValue json);

/// The digest of the canonical text: "sha256:" and 64 hexadecimal digits. Approvals are bound to
/// this digest. Pure.
std::string args_digest(JsonValue args);

/// The digest as bytes. Pure.
core::ArgsDigest args_digest_bytes(JsonValue args);

/// Digest of `{}`, which represents a call without arguments.
std::string no_args_digest();

}  // namespace headway::api
