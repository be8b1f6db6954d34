// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::api {

/// Parts of a finished call that the rules compare (detection.md 2.1). `data` is the call's JSON as
/// received, `call` its decoded form. Arguments: keys sorted, nulls and volatile keys dropped, 1.0
/// as 1, `./a/` as `a`, JSON inside a string read as JSON. Results: likewise, and volatile text
/// masked. A client's digest replaces text that the client left out, and is appended to text that
/// the client cut. Pure.
core::CallFingerprint fingerprint_of(JsonValue data, const core::ToolFinished& call);

/// One text for all spellings of the same arguments. Pure; for tests.
std::string canonical_arguments(JsonValue args);

}  // namespace headway::api
