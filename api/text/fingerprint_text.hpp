// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/call_fingerprint.hpp"

namespace headway::api {

/// The parts of a call that the rules compare as one word: its fields in order, hexadecimal, with
/// commas. Part of an export, since cut or redacted arguments do not tell it. Pure.
std::string fingerprint_text(const core::CallFingerprint& fingerprint);

/// Reads such a word, of an older version too, whose fields were fewer. False for anything else.
/// Pure.
bool parse_fingerprint(std::string_view text, core::CallFingerprint& fingerprint);

}  // namespace headway::api
