// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/approvals/approvals.hpp"
#include "core/base/result.hpp"

// Documents about approvals as JSON text, appended to `out`. Pure; the shapes are those of API.md.

namespace headway::api {

class JsonWriter;

/// Texts that a decision left for the agent and that only the journal holds whole.
struct DecisionTexts {
    std::string reason;
    core::ExactJson edited_args;
    core::Text response;
};

/// One approval as a reply to a report shows it.
struct ApprovalNotice {
    core::Approval approval;
    std::string request_id;  ///< its alias
    DecisionTexts texts;
};
void write_notices(JsonWriter& json, std::string_view session,
                   std::span<const ApprovalNotice> notices);

/// One approval as the person who decides sees it.
struct ApprovalDocument {
    std::string session;
    std::string request_id;  ///< its alias
    core::Approval approval;
    core::ApprovalRequested asked;  ///< whole, from the journal
    DecisionTexts texts;
    std::uint64_t identical = 0;  ///< pending requests of any session that are equal, itself too
    bool granted = false;         ///< its grant is in force
};
void append_approval(std::string& out, const ApprovalDocument& document);

/// `{"approval":{...},"also":[ids]}` to the caller that decided: `also` are the identical ones.
void append_decided(std::string& out, const ApprovalDocument& document,
                    std::span<const std::string> also);

/// The member `winner` of the problem that the second decision gets.
void append_winner(std::string& out, std::string_view session, const core::Approval& approval);

/// Reply of approve-agent: the outcome of the request, and those that still wait, in the names of
/// the first design (`AwaitingAgentApproval`).
void append_approve_agent(std::string& out, const ApprovalDocument& decided,
                          std::span<const ApprovalDocument> pending);

}  // namespace headway::api
