// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/canonical_json.hpp"
#include "core/events/work_payloads.hpp"

// Calls that submit work that continues elsewhere: `place_order`, `aws ec2 run-instances`, a POST
// with curl.

namespace headway::api {

/// Treats the answer of such a call as a receipt: "queued" in it does not mean that the call waits
/// for something, and its new ids are removed from `canonical`. Returns false for other calls, and
/// if shape_receipt() must decide about `canonical`.
bool shape_handed_in(core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                     const std::optional<JsonValue>& args, std::string_view command,
                     std::string_view plain, std::string& canonical);

}  // namespace headway::api
