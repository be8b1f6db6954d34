// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/events/work_payloads.hpp"

namespace headway::api {

/// Reads from the answer the state of work that runs elsewhere.
void shape_state(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result);

/// True if a short answer with a word such as "running" reports the state of something: "job 7 is
/// running", {"status":"pending"}. False where it announces what the call itself did next
/// ("Starting import", and then the end of it), or says that it is over. Pure; linear.
bool reports_state(std::string_view answer);

}  // namespace headway::api
