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

// A hook as events of its session.

namespace headway::api::hooks {

struct HookReport {
    /// One of these per call of a kBatch; none for a kEnd, whose outcome the session knows.
    DecodedReport decoded;
    /// The request that a person may decide beside the agent's own dialog (Hook::dialog). Empty
    /// where the person could not see all of it.
    std::optional<core::ApprovalRequested> dialog;
    /// For a kPre or kPermission: digest of the arguments, as approvals are bound to it; else
    /// empty.
    std::string args_digest;
    /// In a kBatch: the places in `decoded` of calls that nothing reports as run
    /// (HookCall::untold). They are reported as refused.
    std::vector<std::size_t> untold;
};

/// Parses `document` again: the hook's arguments are gone afterwards, and its long texts with them,
/// which are in the events. Errors: those of decode_report(), of a hook whose names or numbers are
/// out of bounds.
core::Result<HookReport> take_report(JsonDocument& document, Hook& hook);

}  // namespace headway::api::hooks
