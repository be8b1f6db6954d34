// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/engine/links/decision_link.hpp"

// Links in messages to people. A GET shows, a POST of the form that it shows decides.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kCodeBytesMax = 64;

Error missing_part(const char* field) {
    return {ErrorCode::kInvalidParameter, "is missing or no part of a link; open the link again",
            field};
}

Result<DecisionLink> link_of(const api::Query& query) {
    const std::string* id = query.find("id");
    const auto ref = id != nullptr ? core::parse_approval_id(*id) : std::nullopt;
    if (!ref) return missing_part("id");
    const std::string* from = query.find("from");
    if (from == nullptr || from->size() > core::limits::kStringBytesMax)
        return missing_part("from");
    const std::string* code = query.find("code");
    if (code == nullptr || code->size() > kCodeBytesMax) return missing_part("code");
    return DecisionLink{ref->session, ref->n, *from, *code};
}

}  // namespace

Result<> endpoints::show_decision_link(Call& call) {
    HEADWAY_TRY(DecisionLink link, link_of(call.query));
    return call.read(LinkQuery{std::move(link), &call.on.access.decision_links()});
}

Result<> endpoints::decide_by_link(Call& call) {
    HEADWAY_TRY(const api::Query form,
                api::Query::parse(call.request.body, "id from code decision"));
    HEADWAY_TRY(DecisionLink link, link_of(form));
    const std::string* decision = form.find("decision");
    LinkDecideCommand command{std::move(link), &call.on.access.decision_links()};
    if (decision == nullptr || (*decision != "approve" && *decision != "reject"))
        return Error{ErrorCode::kInvalidParameter, "must be approve or reject", "decision"};
    if (*decision == "approve") command.decision = core::Decision::kApprove;
    const std::string session = command.link.session;
    return call.write(std::move(command), session);
}

}  // namespace headway::server
