// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/events/event.hpp"

namespace headway::api {

/// One line of an export (`GET /v1/sessions/{id}/events?prints=true`) as the event that it
/// was: texts that were cut stay cut, and a call is compared by the fingerprint that it was judged
/// by, if the line has one. Errors: kInvalidJson; those of decode_report() for what no event of
/// ours has. Pure; `document` is scratch memory.
core::Result<core::Event> decode_stored_event(JsonDocument& document, std::string_view line);

/// The same of a line that `document` has parsed.
core::Result<core::Event> decode_stored_event_of(JsonDocument& document);

}  // namespace headway::api
