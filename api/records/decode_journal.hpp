// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "api/json/json_tape.hpp"
#include "core/base/result.hpp"
#include "core/events/event.hpp"

namespace headway::api {

/// One line of an export (`GET /v1/sessions/{id}/events?prints=true`) as the event that it was:
/// texts that were cut stay cut, and a call is compared by the print that it was judged by, if the
/// line has one. Errors: kInvalidJson; those of decode_report() for what no event of ours has.
/// Pure; `tape` is scratch memory.
core::Result<core::Event> decode_stored_event(JsonTape& tape, std::string_view line);

/// The same of a line that `tape` has parsed.
core::Result<core::Event> decode_taped_stored_event(JsonTape& tape);

}  // namespace headway::api
