// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/call_fingerprint.hpp"

namespace headway::api {

/// The parts of a call that the rules compare, as one word: the fields in order, hexadecimal, with
/// commas. Part of an export, since cut or redacted arguments do not determine the fingerprint.
/// Pure.
std::string fingerprint_text(const core::CallFingerprint& fingerprint);

/// Reads a word of fingerprint_text(), also from older versions with fewer fields. False for other
/// text. Pure.
bool parse_fingerprint(std::string_view text, core::CallFingerprint& fingerprint);

}  // namespace headway::api
