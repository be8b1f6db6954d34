// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/calls/tool_class.hpp"
#include "core/session/session.hpp"

// The daemon's own approval rules.

namespace headway::core {

namespace {

bool covered_by(const std::vector<std::string>& rules, std::string_view tool) {
    return std::any_of(rules.begin(), rules.end(),
                       [tool](const std::string& rule) { return rule_covers(rule, tool); });
}

bool let_by(const std::vector<std::string>& rules, std::string_view tool) {
    return std::any_of(rules.begin(), rules.end(),
                       [tool](const std::string& rule) { return rule_lets(rule, tool); });
}

}  // namespace

bool ApprovalRules::must_ask(const Policy& policy, std::string_view tool) const {
    if (covered_by(require_tools, tool)) return true;
    return std::any_of(policy.tools.begin(), policy.tools.end(), [tool](const ToolPolicy& own) {
        return own.requires_approval && rule_covers(own.tool, tool);
    });
}

bool ApprovalRules::must_ask(std::span<const Policy* const> above, std::string_view tool) const {
    return std::any_of(above.begin(), above.end(),
                       [&](const Policy* policy) { return must_ask(*policy, tool); });
}

bool ApprovalRules::time_may_approve(const Policy& policy, const Approval& asked) const {
    return asked.kind == ApprovalKind::kTool && let_by(approve_on_expiry, asked.tool) &&
           !must_ask(policy, asked.tool) && asked.risk != Risk::kCritical && !asked.unseen;
}

Result<> ApprovalRules::check_request(const Policy& policy, const ApprovalRequested& asked) const {
    if (asked.on_expiry != OnExpiry::kApprove) return {};
    const auto wrong = [](std::string detail, std::string field) {
        return Error{ErrorCode::kInvalidField, std::move(detail), std::move(field)};
    };
    if (asked.kind != ApprovalKind::kTool) {
        return wrong("only calls of tools can be approved by expiry; use hold, reject or escalate",
                     "/on_expiry");
    }
    if (must_ask(policy, asked.tool)) {
        return wrong(
            "calls of this tool need a person's approval (approvals.require_tools, or the policy "
            "of the session); use hold, reject or escalate",
            "/on_expiry");
    }
    if (!let_by(approve_on_expiry, asked.tool)) {
        return wrong(
            "an agent cannot have its own request approved; the operator names the tools whose "
            "calls time may approve in approvals.approve_on_expiry",
            "/on_expiry");
    }
    if (asked.risk == Risk::kCritical || asked.hidden_bytes != 0) {
        return wrong(
            "expiry cannot approve a critical risk, nor parts that the approver does not see; "
            "use hold, reject or escalate",
            "/on_expiry");
    }
    const auto least = static_cast<std::uint64_t>(approve_on_expiry_after.count());
    if (asked.expires_in_ms.value_or(0) >= least) return {};
    return wrong("with on_expiry approve it must be at least " + std::to_string(least) +
                     " ms (approvals.approve_on_expiry_after)",
                 "/expires_in_ms");
}

}  // namespace headway::core
