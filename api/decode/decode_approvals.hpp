// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/approvals/approvals.hpp"
#include "core/base/result.hpp"
#include "core/events/approval_payloads.hpp"
#include "core/events/work_payloads.hpp"

// Bodies about approvals. Functions change only arguments; errors name the JSON pointer and the
// fix. `document` is scratch memory.

namespace headway::api {

/// Checks a decoded approval.requested and sets the digest of its arguments and the number of
/// hidden bytes. `data` is the JSON from which the request was decoded.
core::Result<> complete_request(JsonValue data, core::ApprovalRequested& asked);

/// Stores the digest of a finished call's exact arguments in `fingerprint`; approvals recognise the
/// call by this digest. `data` is the JSON from which the call was decoded.
void keep_exact_args(JsonValue data, core::CallFingerprint& fingerprint);

core::Result<core::ApprovalRequested> decode_approval_request(JsonDocument& document,
                                                              std::string_view body);

/// The request for approval that a tool.started implies. `args` is the whole text of its arguments,
/// or empty. The digest is made from `args`, since the call will run with them; `shown` is the same
/// text without secrets. Errors: kInvalidField if `args` is too long to be shown whole;
/// kInvalidJson.
core::Result<core::ApprovalRequested> request_for_call(JsonDocument& document,
                                                       const core::ToolStarted& call,
                                                       std::string_view args,
                                                       std::string_view shown);

struct DecodedDecision {
    core::Ruling ruling;
    bool apply_to_identical = false;
};
core::Result<DecodedDecision> decode_decision(JsonDocument& document, std::string_view body);

struct DecodedRedeem {
    std::string args_digest;
    std::string key;  ///< the redeem key; may be empty
};
core::Result<DecodedRedeem> decode_redeem(JsonDocument& document, std::string_view body);

struct DecodedRevoke {
    std::string by;
    std::string reason;
    static constexpr auto fields() {
        return field_list(core::field("by", &DecodedRevoke::by),
                          core::field("reason", &DecodedRevoke::reason));
    }
};
/// An empty body means `{}`.
core::Result<DecodedRevoke> decode_revoke(JsonDocument& document, std::string_view body);

/// A person's acknowledgement of a session's alarms. Without `n` and `up_to`: all alarms.
struct DecodedAcknowledge {
    std::optional<std::uint64_t> n;      ///< number of one alarm; never with `up_to`
    std::optional<std::uint64_t> up_to;  ///< greatest number among those that the person saw
    std::string by;
    std::string reason;
    static constexpr auto fields() {
        return field_list(core::field("n", &DecodedAcknowledge::n),
                          core::field("up_to", &DecodedAcknowledge::up_to),
                          core::field("by", &DecodedAcknowledge::by),
                          core::field("reason", &DecodedAcknowledge::reason));
    }
};
/// An empty body means `{}`.
core::Result<DecodedAcknowledge> decode_acknowledge(JsonDocument& document, std::string_view body);

/// The body of approve-agent, an endpoint of the first design.
struct DecodedApproveAgent {
    std::string request_id;  ///< the request; empty: the only pending one
    bool approved = false;
    std::string reason;
    static constexpr auto fields() {
        return field_list(core::field("request_id", &DecodedApproveAgent::request_id),
                          core::required("approved", &DecodedApproveAgent::approved),
                          core::field("reason", &DecodedApproveAgent::reason));
    }
};
core::Result<DecodedApproveAgent> decode_approve_agent(JsonDocument& document,
                                                       std::string_view body);

}  // namespace headway::api
