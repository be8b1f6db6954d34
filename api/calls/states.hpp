// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/events/work_payloads.hpp"

namespace headway::api {

/// Sets the properties of the fingerprint that show the state of work that runs elsewhere, as the
/// answer reports it: running, busy or over. Changes only `fingerprint`.
void shape_state(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result);

/// True if a short answer with a word such as "running" reports the state of something: "job 7 is
/// running", {"status":"pending"}. False if the answer announces a step of the call itself
/// ("Starting import", followed by its end), or reports that the work is over. Pure; linear.
bool reports_state(std::string_view answer);

}  // namespace headway::api
