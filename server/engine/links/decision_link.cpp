// SPDX-License-Identifier: Apache-2.0
#include "server/engine/links/decision_link.hpp"

#include <utility>
#include <variant>

#include "api/notify/decision_page.hpp"
#include "api/text/timestamp.hpp"
#include "server/engine/queries/queries.hpp"

namespace headway::server {
namespace {

using core::Result;
namespace notify = api::notify;

bool is_proven(const DecisionLinks& links, const DecisionLink& link,
               const core::Approval& approval) {
    const std::string id = core::approval_id(link.session, approval.n);
    std::string at;
    api::append_timestamp(at, approval.requested_at);
    return links.proves(link.code, {link.endpoint, id, approval.tool, approval.args_digest, at});
}

/// Whether there is no such request or no such code is not said.
LinkPage invalid_page() {
    return {notify::no_decision_page("This link is not valid. Open the dashboard to decide.")};
}

/// Why a request that waits is not decided by its link; nothing: it is.
std::optional<LinkPage> obstacle_of(const api::ApprovalDocument& document, core::Timestamp now) {
    const core::Approval& approval = document.approval;
    if (!approval.pending()) return LinkPage{notify::decided_page(document)};
    const bool late = approval.expires_at != core::kNever && now >= approval.expires_at;
    if (late || approval.overdue)
        return LinkPage{
            notify::no_decision_page("The request has expired. Open the dashboard to decide.")};
    if (!notify::is_decided_by_link(document))
        return LinkPage{notify::no_decision_page(
            "This request is of critical risk, or too large to be shown whole. "
            "Open the dashboard to decide.")};
    return std::nullopt;
}

}  // namespace

Result<LinkPage> LinkQuery::operator()(Reader& reader) const {
    const auto found = ApprovalQuery{link.session, link.n}(reader);
    if (!found && is_storage_error(found.error().code)) return found.error();
    if (!found || !is_proven(*links, link, found->document.approval)) return invalid_page();
    const api::ApprovalDocument& document = found->document;
    if (auto page = obstacle_of(document, reader.now())) return *std::move(page);
    const std::string id = core::approval_id(link.session, link.n);
    return LinkPage{notify::decision_page(document, {id, link.endpoint, link.code})};
}

Result<> LinkDecideCommand::name(Reader&, SessionNames& names) {
    return name_one(names, link.session);
}

Result<LinkPage> LinkDecideCommand::operator()(Transaction& transaction) {
    const auto found = ApprovalQuery{link.session, link.n}(transaction.reader());
    if (!found && is_storage_error(found.error().code)) return found.error();
    if (!found || !is_proven(*links, link, found->document.approval)) return invalid_page();
    if (auto page = obstacle_of(found->document, transaction.now())) return *std::move(page);
    DecideCommand decide;
    decide.session = link.session;
    decide.n = link.n;
    decide.ruling.decision = decision;
    decide.ruling.by = "link of " + link.endpoint;
    decide.ruling.channel = "link";
    HEADWAY_TRY(auto done, decide(transaction));
    if (const auto* decided = std::get_if<Decided>(&done))
        return LinkPage{notify::decided_page(decided->document)};
    return LinkPage{notify::no_decision_page("Another decision came first.")};
}

}  // namespace headway::server
