// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::api {

/// Parts of a finished call that the rules compare (detection.md 2.1): `data` is its JSON as it
/// came, `call` the same decoded. Arguments: keys sorted, nulls and volatile keys dropped, 1.0 as
/// 1, `./a/` as `a`, JSON inside a string read as JSON. Results: the same and volatile text masked.
/// A digest of the client stands for what it left out, and is added to what it cut. Pure.
core::CallFingerprint fingerprint_of(JsonValue data, const core::ToolFinished& call);

/// The same call, wherever it is written differently, gives the same text. Pure; for tests.
std::string canonical_arguments(JsonValue args);

}  // namespace headway::api
