// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/canonical_json.hpp"
#include "core/events/work_payloads.hpp"

// Calls that hand in work which goes on elsewhere: `place_order`, `aws ec2 run-instances`, a POST
// with curl.

namespace headway::api {

/// Shapes the answer of such a call as a receipt: "queued" in it is no state of what the call waits
/// for, and its ids are left out of `canonical`. False for other calls, and where shape_receipt()
/// has to decide about `canonical`.
bool shape_handed_in(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                     const std::optional<JsonValue>& args, std::string_view command,
                     std::string_view plain, std::string& canonical);

}  // namespace headway::api
