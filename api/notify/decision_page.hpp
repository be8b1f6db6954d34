// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/encode/parts/encode_approvals.hpp"

// Pages behind a link that lets a person decide one request. Opening the link decides nothing: the
// person decides with a button of the page. The pages have no scripts. The texts of agents are
// shown as plain text, with nothing hidden. Pure.

namespace headway::api::notify {

/// The hidden fields of the form.
struct DecisionForm {
    std::string_view request;
    std::string_view endpoint;
    std::string_view code;
};

/// True if the request may be decided by a link: it is for a tool call, is not about a dialog,
/// shows all arguments, and has no critical risk.
bool is_decided_by_link(const ApprovalDocument& document);

/// The whole request, and a button for each decision.
std::string decision_page(const ApprovalDocument& document, const DecisionForm& form);

/// The page about a decision, and the page that explains why a link has no effect.
std::string decided_page(const ApprovalDocument& document);
std::string no_decision_page(std::string_view why);

/// Headers of all pages: nothing may be loaded, embedded or sent elsewhere.
std::string_view decision_headers();

}  // namespace headway::api::notify
