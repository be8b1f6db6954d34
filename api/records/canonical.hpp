// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::api {

/// The parts of a finished call that the rules compare (detection.md 2.1). `data` is the call's
/// JSON as received, `call` its decoded form. In arguments, keys are sorted, nulls and volatile
/// keys are dropped, 1.0 becomes 1, `./a/` becomes `a`, and JSON inside a string is read as JSON.
/// Results are treated in the same way, and volatile text in them is masked. If the client left out
/// a text, the client's digest of that text is used instead; if the client cut the text, the
/// client's digest is appended. Pure.
core::CallFingerprint fingerprint_of(JsonValue data, const core::ToolFinished& call);

/// A text that is the same for all spellings of the same arguments. Pure; for tests.
std::string canonical_arguments(JsonValue args);

}  // namespace headway::api
