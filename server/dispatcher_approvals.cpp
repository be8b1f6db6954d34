// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/decode_approvals.hpp"
#include "core/approval_alias.hpp"
#include "core/limits.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "server/dispatcher_call.hpp"

// Requests about approvals.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

constexpr std::size_t kInboxPageMax = 100;

ApprovalAlias alias_of(const api::Target& target, const Principal& caller) {
    return {target.alias, caller.grants};
}

Error busy() {
    return {ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

}  // namespace

Result<> Dispatcher::route_approvals(Call& call) {
    switch (call.request.target.route) {
        case api::Route::kAsk:
            return ask_approval(call);
        case api::Route::kApprovals:
            return approvals(call);
        case api::Route::kApproval:
            return approval(call);
        case api::Route::kDecide:
            return decide(call);
        case api::Route::kRedeem:
            return redeem(call);
        case api::Route::kRevoke:
            return revoke(call);
        case api::Route::kAlarmsSeen:
            return acknowledge(call);
        default:
            return approve_agent(call);
    }
}

Result<> Dispatcher::ask_approval(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    AskCommand command;
    command.session = call.session();
    command.controls = access_.may_control(*call.caller, call.request.head);
    HEADWAY_TRY(command.asked, api::decode_approval_request(tape_, call.request.body));
    const std::string_view key = call.request.head.idempotency_key;
    if (key.size() > limits::kRedeemKeyBytesMax) {
        return Error{ErrorCode::kInvalidField, "must be 1 to 255 bytes", "Idempotency-Key"};
    }
    if (!key.empty()) {
        command.idempotency_key = own_key(*call.caller, key);
        command.idempotency_fingerprint =
            "approval:" + call.session() + ":" + core::to_hex(core::digest_of(call.request.body));
    }
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::decide(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_decision(tape_, call.request.body));
    decoded.ruling.by = signed_by(*call.caller, std::move(decoded.ruling.by));
    DecideCommand command{call.session(), call.request.target.approval, std::move(decoded.ruling),
                          decoded.apply_to_identical, alias_of(call.request.target, *call.caller)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::redeem(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_redeem(tape_, call.request.body));
    RedeemCommand command{call.session(), call.request.target.approval, std::move(decoded),
                          alias_of(call.request.target, *call.caller)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::revoke(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_revoke(tape_, call.request.body));
    decoded.by = signed_by(*call.caller, std::move(decoded.by));
    RevokeCommand command{call.session(), call.request.target.approval, std::move(decoded),
                          alias_of(call.request.target, *call.caller)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::acknowledge(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_acknowledge(tape_, call.request.body));
    decoded.by = signed_by(*call.caller, std::move(decoded.by));
    AcknowledgeCommand command{call.session(), std::move(decoded)};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::approve_agent(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    HEADWAY_TRY(auto decoded, api::decode_approve_agent(tape_, call.request.body));
    ApproveAgentCommand command{call.session(), std::move(decoded), signed_by(*call.caller, {})};
    return submit(call, std::move(command), call.session(), call.request.body.size());
}

Result<> Dispatcher::approval(Call& call) {
    constexpr std::string_view kKnown[] = {"wait"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
    const core::ApprovalRef ref{call.session(), call.request.target.approval};
    const std::string& alias = call.request.target.alias;
    HEADWAY_CHECK(wait_for_document(
        call, query, alias.empty() ? core::approval_id(ref.session, ref.n) : core::lower(alias)));
    ApprovalQuery asked{ref.session, ref.n, alias_of(call.request.target, *call.caller)};
    if (ask(call.to, std::move(asked), {}, 0)) return {};
    document_waits_.answered(call.to);
    return busy();
}

/// Takes `wait` of the query: the reply may be kept back so long.
Result<> Dispatcher::wait_for_document(Call& call, const api::Query& query, std::string id) {
    const std::string* wait = query.find("wait");
    if (wait == nullptr) return {};
    HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*wait, "wait"));
    if (core::Millis{ms} > limits::kWaitMax) {
        return Error{ErrorCode::kInvalidParameter, "at most 10m; wait again after that", "wait"};
    }
    if (ms <= 0 || draining_) return {};
    HEADWAY_CHECK(document_waits_.add(call.to, std::move(id), clock_.now() + core::Millis{ms}));
    arm_wait_timer();
    return {};
}

bool Dispatcher::ask_document(const ReplyTo& to, const std::string& id) {
    constexpr std::string_view kCheck = "check/";
    if (id.starts_with(kCheck)) {  // whether it may be read was decided with the first document
        return ask(to, CheckQuery{id.substr(kCheck.size()), core::Grants::all()}, {}, 0);
    }
    if (core::cursor_of_alias(id))
        return ask(to, ApprovalQuery{{}, 0, {id, core::Grants::all()}}, {}, 0);
    const auto ref = core::parse_approval_id(id);
    return ref && ask(to, ApprovalQuery{ref->session, ref->n}, {}, 0);
}

void Dispatcher::answer_document(const ReplyTo& to, DocumentReply& reply) {
    if (document_waits_.keeps_waiting(to, reply.pending)) return;
    Response response;
    response.body = std::move(reply.body);
    put(to, response);
}

Result<> Dispatcher::approvals(Call& call) {
    constexpr std::string_view kKnown[] = {"status", "session", "kind", "limit", "cursor"};
    HEADWAY_TRY(const api::Query query, api::Query::parse(call.query(), kKnown));
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
            return Error{ErrorCode::kInvalidId, "a session id is 1 to 128 of A-Z a-z 0-9 . _ : -",
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
    if (const std::string* limit = query.find("limit")) {
        HEADWAY_TRY(inbox.page.limit, api::parse_number(*limit, "limit", 1, kInboxPageMax));
    }
    if (const std::string* cursor = query.find("cursor")) {
        HEADWAY_TRY(const auto from, api::parse_number(*cursor, "cursor", 1, INT64_MAX));
        inbox.page.from = static_cast<storage::Cursor>(from);
    }
    if (!ask(call.to, std::move(inbox), {}, 0)) return busy();
    return {};
}

}  // namespace headway::server
