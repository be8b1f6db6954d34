// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/encode/parts/encode_approvals.hpp"

// Pages behind a link by which one request is decided: without scripts, and reading one decides
// nothing. Agents' texts stand in them as text, with nothing hidden. Pure.

namespace headway::api::notify {

/// The hidden fields of the form.
struct DecisionForm {
    std::string_view request;
    std::string_view endpoint;
    std::string_view code;
};

/// A request that can be decided by a link: of a call whose arguments are shown whole, and not of
/// critical risk.
bool is_decided_by_link(const ApprovalDocument& document);

/// The request whole, and a button for each decision.
std::string decision_page(const ApprovalDocument& document, const DecisionForm& form);

/// How the request was decided, or why a link does nothing.
std::string decided_page(const ApprovalDocument& document);
std::string no_decision_page(std::string_view why);

/// Header of all of them: nothing is loaded, embedded or sent elsewhere.
std::string_view decision_headers();

}  // namespace headway::api::notify
