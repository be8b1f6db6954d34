// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/events/event.hpp"

namespace headway::api {

/// Decodes the stored event in one line of an export (`GET /v1/sessions/{id}/events?prints=true`).
/// Cut texts stay cut, and a call keeps the fingerprint with which it was judged, if the line has
/// one. Errors: kInvalidJson, and those of decode_report(). Changes only `document`, which is
/// scratch memory.
core::Result<core::Event> decode_stored_event(JsonDocument& document, std::string_view line);

/// Like decode_stored_event(), for a line that `document` has parsed.
core::Result<core::Event> decode_stored_event_of(JsonDocument& document);

}  // namespace headway::api
