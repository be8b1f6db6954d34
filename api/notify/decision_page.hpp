// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/encode/parts/encode_approvals.hpp"

// Pages for a link by which a person decides one request. They have no scripts, and opening one
// decides nothing. Agents' texts are shown as text, with nothing hidden. Pure.

namespace headway::api::notify {

/// The hidden fields of the form.
struct DecisionForm {
    std::string_view request;
    std::string_view endpoint;
    std::string_view code;
};

/// True if a link may decide the request: for a tool call outside of a dialog, with all arguments
/// shown, and without critical risk.
bool is_decided_by_link(const ApprovalDocument& document);

/// The whole request, and a button for each decision.
std::string decision_page(const ApprovalDocument& document, const DecisionForm& form);

/// Page about the decision, or about why a link has no effect.
std::string decided_page(const ApprovalDocument& document);
std::string no_decision_page(std::string_view why);

/// Headers of all pages: nothing may be loaded, embedded or sent elsewhere.
std::string_view decision_headers();

}  // namespace headway::api::notify
