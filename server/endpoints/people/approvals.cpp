// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode/decode_approvals.hpp"
#include "core/approvals/approval_alias.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"

// Requests about approvals.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

constexpr std::size_t kInboxPageMax = 100;

ApprovalAlias alias_of(const Target& target, const Principal& caller) {
    return {target.alias, caller.grants};
}

struct ReadRequest {
    decltype(AskCommand::asked) asked;
    core::Digest digest{};  ///< of the body
};

Result<ReadRequest> read_request(api::JsonDocument& document, std::string_view body) {
    ReadRequest read;
    HEADWAY_TRY(read.asked, api::decode_approval_request(document, body));
    read.digest = core::digest_of(body);
    return read;
}

}  // namespace

Result<> endpoints::ask_approval(Call& call) {
    HEADWAY_CHECK(call.idempotency_key());  // before the body is read
    return call.read_body(read_request, [](Call& from, ReadRequest&& read) -> Result<> {
        AskCommand command;
        command.session = from.session();
        command.controls = from.controls();
        command.asked = std::move(read.asked);
        HEADWAY_TRY(command.idempotency_key, from.idempotency_key());
        if (!command.idempotency_key.empty()) {
            command.idempotency_fingerprint =
                "approval:" + from.session() + ":" + core::to_hex(read.digest);
        }
        return from.write(std::move(command), from.session());
    });
}

Result<> endpoints::decide_approval(Call& call) {
    return call.read_body(api::decode_decision, [](Call& from, api::DecodedDecision&& decoded) {
        decoded.ruling.by = signed_by(from.caller, std::move(decoded.ruling.by));
        DecideCommand command{from.session(), from.target().approval, std::move(decoded.ruling),
                              decoded.apply_to_identical, alias_of(from.target(), from.caller)};
        return from.write(std::move(command), from.session());
    });
}

Result<> endpoints::redeem_approval(Call& call) {
    return call.read_body(api::decode_redeem, [](Call& from, auto decoded) {
        RedeemCommand command{from.session(), from.target().approval, std::move(decoded),
                              alias_of(from.target(), from.caller)};
        return from.write(std::move(command), from.session());
    });
}

Result<> endpoints::revoke_grant(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_revoke(call.on.document, call.request.body));
    decoded.by = signed_by(call.caller, std::move(decoded.by));
    RevokeCommand command{call.session(), call.target().approval, std::move(decoded),
                          alias_of(call.target(), call.caller)};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::acknowledge_alarms(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_acknowledge(call.on.document, call.request.body));
    decoded.by = signed_by(call.caller, std::move(decoded.by));
    AcknowledgeCommand command{call.session(), std::move(decoded)};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::approve_agent(Call& call) {
    HEADWAY_TRY(auto decoded, api::decode_approve_agent(call.on.document, call.request.body));
    ApproveAgentCommand command{call.session(), std::move(decoded), signed_by(call.caller, {})};
    return call.write(std::move(command), call.session());
}

Result<> endpoints::show_approval(Call& call) {
    const core::ApprovalRef ref{call.session(), call.target().approval};
    const std::string& alias = call.target().alias;
    return call.read_document(
        ApprovalQuery{ref.session, ref.n, alias_of(call.target(), call.caller)},
        alias.empty() ? core::approval_id(ref.session, ref.n) : core::lower(alias));
}

Result<> endpoints::list_approvals(Call& call) {
    const api::Query& query = call.query;
    InboxQuery inbox;
    inbox.page.pending = true;
    if (const std::string* status = query.find("status")) {
        if (*status != "pending" && *status != "resolved" && *status != "all") {
            return Error{ErrorCode::kInvalidParameter, "must be pending, resolved or all",
                         "status"};
        }
        inbox.page.pending = *status == "pending";
        if (*status == "all") inbox.page.pending.reset();
    }
    if (const std::string* session = query.find("session")) {
        if (!api::valid_id(*session)) {
            return Error{ErrorCode::kInvalidId, "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : -",
                         "session"};
        }
        inbox.session = *session;
    }
    if (const std::string* kind = query.find("kind")) {
        if (!core::parse_name(*kind, inbox.page.kind.emplace())) {
            return Error{ErrorCode::kInvalidParameter,
                         "must be tool, question, auth or budget_extension", "kind"};
        }
    }
    if (const std::string* risk = query.find("risk")) {
        const bool known = core::parse_name(*risk, inbox.page.risk.emplace());
        if (!known || *inbox.page.risk < core::Risk::kHigh)
            return Error{ErrorCode::kInvalidParameter, "must be high or critical", "risk"};
        if (!inbox.page.pending.value_or(false))
            return Error{ErrorCode::kInvalidParameter, "needs status=pending", "risk"};
    }
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(inbox.page.limit, api::parse_number(*limit, "limit", 1, kInboxPageMax));
    }
    if (const std::string* cursor = query.find("cursor")) {
        HEADWAY_TRY(const auto from, api::parse_number(*cursor, "cursor", 1, INT64_MAX));
        inbox.page.from = static_cast<storage::Cursor>(from);
    }
    return call.read(std::move(inbox));
}

}  // namespace headway::server
