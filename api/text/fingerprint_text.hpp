// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/call_fingerprint.hpp"

namespace headway::api {

/// A fingerprint as one word: its fields in order, in hexadecimal, separated by commas. An export
/// includes it, because it cannot be computed from arguments that are cut or redacted. Pure.
std::string fingerprint_text(const core::CallFingerprint& fingerprint);

/// Reads a word made by fingerprint_text(), or by the fingerprint_text() of an older version, which
/// had fewer fields. False for other text. Changes only `fingerprint`.
bool parse_fingerprint(std::string_view text, core::CallFingerprint& fingerprint);

}  // namespace headway::api
