// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/approvals/approvals.hpp"
#include "core/base/result.hpp"

// Documents about approvals as JSON text, appended to `out`. Functions change only arguments;
// shapes as in API.md.

namespace headway::api {

class JsonWriter;

/// A decision's texts for the agent. Only the journal holds them whole.
struct DecisionTexts {
    std::string reason;
    core::ExactJson edited_args;
    core::Text response;
};

/// One approval as shown in a reply to a report.
struct ApprovalNotice {
    core::Approval approval;
    std::string request_id;  ///< the approval's alias
    DecisionTexts texts;
};
void write_notices(JsonWriter& json, std::string_view session,
                   std::span<const ApprovalNotice> notices);

/// One approval as shown to the person who decides.
struct ApprovalDocument {
    std::string session;
    std::string request_id;  ///< the approval's alias
    core::Approval approval;
    core::ApprovalRequested asked;  ///< the whole request, from the journal
    DecisionTexts texts;
    /// Number of equal pending requests of all sessions, including this one.
    std::uint64_t identical = 0;
    bool granted = false;  ///< the grant that this approval made is in force
};
void append_approval(std::string& out, const ApprovalDocument& document);

/// The reply to the caller that decided, `{"approval":{...},"also":[ids],"left":0}`. `also`: the
/// identical approvals that were decided too; `left`: how many are still pending.
void append_decided(std::string& out, const ApprovalDocument& document,
                    std::span<const std::string> also, std::uint64_t left);

/// The member `winner` of the problem document with which a second decision is refused.
void append_winner(std::string& out, std::string_view session, const core::Approval& approval);

/// The reply of approve-agent: the outcome of the request, and the requests still pending. The
/// names are those of the first design (`AwaitingAgentApproval`).
void append_approve_agent(std::string& out, const ApprovalDocument& decided,
                          std::span<const ApprovalDocument> pending);

}  // namespace headway::api
