// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/hooks/hook.hpp"
#include "api/json/json_document.hpp"
#include "core/base/result.hpp"
#include "core/events/approval_payloads.hpp"

// Turns a hook into events of its session.

namespace headway::api::hooks {

struct HookReport {
    /// The hook's events: one for each call of a kBatch; none for a kEnd without an error, because
    /// the engine ends the session itself, with the outcome that it knows.
    DecodedReport decoded;
    /// The request that a person may decide in Headway as well as in the agent's own dialog
    /// (Hook::dialog). Empty if a person could not see the whole request.
    std::optional<core::ApprovalRequested> dialog;
    /// For a kPre, kPermission or kRequest: digest of the arguments, to which approvals are bound;
    /// else empty.
    std::string args_digest;
    /// In a kBatch: positions in `decoded` of the calls with HookCall::untold. The events of these
    /// calls report them as refused.
    std::vector<std::size_t> untold;
};

/// Makes the report of the hook. Afterwards the hook has neither arguments nor long texts, because
/// these have moved into the events. `document` is used for further parsing. Errors: as in
/// decode_report(), if a name or a number of the hook exceeds the limits of events.
core::Result<HookReport> take_report(JsonDocument& document, Hook& hook);

}  // namespace headway::api::hooks
