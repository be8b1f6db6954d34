// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/approval_alias.hpp"
#include "core/assert.hpp"
#include "core/limits.hpp"
#include "core/words.hpp"
#include "server/supervisor_turn.hpp"

// Approvals: request, decision, use.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error unknown_approval(std::string_view session, std::uint64_t n) {
    return {ErrorCode::kUnknownApproval,
            "no approval " + core::approval_id(session, n) +
                " was ever asked for; GET /v1/approvals lists them",
            "id"};
}

std::string alias_of(const storage::StoredApproval& stored) {
    return core::approval_alias(stored.session_id, stored.approval.n, stored.approval.requested_at,
                                stored.cursor);
}

Answer body(std::string text, int status = 200, std::string headers = {}) {
    BodyReply reply;
    reply.status = status;
    reply.body = std::move(text);
    reply.headers = std::move(headers);
    return Answer{std::move(reply)};
}

/// The answer to a later, conflicting decision.
Answer lost_to(const Error& error, std::string_view session, const core::Approval& approval) {
    BodyReply reply;
    reply.status = 409;
    reply.lost = error;
    api::append_winner(reply.body, session, approval);
    return Answer{std::move(reply)};
}

std::string list_of_ids(std::string_view session, const core::Approvals& approvals) {
    std::string ids;
    for (const core::Approval& approval : approvals.requests) {
        if (!approval.pending()) continue;
        ids += (ids.empty() ? "" : ", ") + core::approval_id(session, approval.n);
    }
    return ids;
}

/// The request that approve-agent refers to.
Result<std::uint64_t> request_meant(const core::Session& session, const std::string& request_id) {
    const core::Approvals& approvals = session.state().approvals;
    if (!request_id.empty()) {
        const auto ref = core::parse_approval_id(request_id);
        if (!ref) {
            return Error{ErrorCode::kInvalidField,
                         "must be the id of an approval (session-1.a7), or its request_id, a UUID",
                         "/request_id"};
        }
        if (ref->session == session.id()) return ref->n;
        return Error{ErrorCode::kUnknownApproval,
                     "this request belongs to session " + ref->session +
                         " and cannot be decided for another",
                     "/request_id"};
    }
    const std::size_t pending = approvals.pending();
    if (pending == 1) return approvals.oldest_pending()->n;
    return Error{ErrorCode::kApprovalUnclear,
                 pending == 0 ? "no request of this session waits for a decision"
                              : "several requests wait; name one as request_id: " +
                                    list_of_ids(session.id(), approvals),
                 "/request_id"};
}

/// JSON pointer, into the original report, of the event at `place` of its remaining events.
std::string pointer_to(const api::Advice& advice, std::size_t place) {
    if (!advice.batch) return "/data";
    std::size_t original = 0;
    for (const auto& [n, known] : advice.results) {
        if (!known && place-- == 0) break;
        ++original;
    }
    return "/" + std::to_string(original) + "/data";
}

}  // namespace

/// Checks a request of an agent. The field of the error is below `pointer`.
Result<> Supervisor::check_request(const Resident* resident, const core::ApprovalRequested& asked,
                                   const std::string& pointer) const {
    const core::Policy& policy =
        resident != nullptr ? resident->session.state().policy : settings_.policy;
    auto allowed = settings_.approvals.check_request(policy, asked);
    if (allowed && asked.extend) {
        allowed = core::check_at_most(*asked.extend, settings_.budget.bounds, "/extend");
    }
    if (allowed) return {};
    Error error = std::move(allowed).error();
    error.field = pointer + error.field;
    return error;
}

/// The same for the requests of a report, after drop_known().
Result<> Supervisor::check_requests(const Resident* resident, std::span<const core::Event> events,
                                    const api::Advice& advice) const {
    for (std::size_t place = 0; place < events.size(); ++place) {
        const auto* asked = std::get_if<core::ApprovalRequested>(&events[place].payload);
        if (asked == nullptr) continue;
        HEADWAY_CHECK(check_request(resident, *asked, pointer_to(advice, place)));
    }
    return {};
}

/// The calls of a report that need a person's permission, as requests.
Result<std::vector<core::CallToAllow>> Supervisor::calls_to_allow(const Resident* resident,
                                                                  const ReportCommand& command) {
    std::vector<core::CallToAllow> asks;
    const core::Policy& policy =
        resident != nullptr ? resident->session.state().policy : settings_.policy;
    std::size_t explicit_ones = 0;
    for (std::size_t place = 0; place < command.events.size(); ++place) {
        const core::Payload& payload = command.events[place].payload;
        if (std::holds_alternative<core::ApprovalRequested>(payload)) ++explicit_ones;
        const auto* call = std::get_if<core::ToolStarted>(&payload);
        if (call == nullptr) continue;
        const bool must_ask = settings_.approvals.must_ask(policy, call->tool);
        if (!must_ask && !call->requires_approval) continue;
        std::string_view args = call->args.kept;
        std::string_view shown = args;
        for (const api::WholeArgs& whole : command.whole_args) {
            if (whole.place != place) continue;
            args = whole.text;
            shown = whole.redacted;
        }
        auto asked = api::request_for_call(tape_, *call, args, shown);
        if (!asked) {
            Error error = std::move(asked).error();
            error.field =
                (command.batch ? "/" + std::to_string(place) : "") + "/data" + error.field;
            return error;
        }
        if (must_ask) asked->source = "policy";
        asks.push_back({place, *std::move(asked)});
    }
    if (asks.empty()) return asks;
    const std::size_t all = asks.size() + explicit_ones;
    if (resident != nullptr) {
        HEADWAY_CHECK(resident->session.admit_requests(all));
    } else {
        HEADWAY_CHECK(core::Session{command.session}.admit_requests(all));
    }
    return asks;
}

Result<Answer> Supervisor::handle(AskCommand& command, const core::Context& context, Turn& turn) {
    if (!command.idempotency_key.empty()) {
        HEADWAY_TRY(const auto use, store_.find_idempotency_key(command.idempotency_key));
        const auto ref = use ? core::parse_approval_id(use->session) : std::nullopt;
        Resident* asker = nullptr;
        if (ref) {
            HEADWAY_TRY(asker, find_resident(ref->session));
        }
        if (asker != nullptr && use->fingerprint != command.idempotency_fingerprint) {
            return Error{ErrorCode::kIdempotencyMismatch,
                         "this key was used with another body; use a new key", "Idempotency-Key"};
        }
        if (asker != nullptr) {
            HEADWAY_TRY(const auto document, approval_document(*asker, ref->n));
            std::string text;
            api::append_approval(text, document);
            return body(std::move(text), 200, "Idempotent-Replayed: true\r\n");
        }
    }
    HEADWAY_TRY(Resident * resident, find_resident(command.session));
    const core::Approval* before =
        resident == nullptr ? nullptr
                            : resident->session.state().approvals.asked_before(command.asked);
    std::uint64_t n = before != nullptr ? before->n : 0;
    const int status = n != 0 ? 200 : 201;
    if (n == 0) {
        HEADWAY_CHECK(check_request(resident, command.asked, {}));
        std::vector<core::Event> events(1);
        events.front().payload = std::move(command.asked);
        const core::Session fresh{command.session};
        HEADWAY_CHECK((resident != nullptr ? resident->session : fresh).admit(events));
        events_.clear();
        HEADWAY_CHECK(
            open_if_new(resident, command.session, with_floor(context, command.controls)));
        const std::size_t place = events_.size();
        resident->session.report(events, context, events_);
        // A credit for an attention gap may come before it.
        const auto asked =
            std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(place), events_.end(),
                         [](const core::Event& event) {
                             return std::holds_alternative<core::ApprovalRequested>(event.payload);
                         });
        HEADWAY_ASSERT(asked != events_.end());
        n = asked->n;
        HEADWAY_CHECK(store_events(*resident, events_, turn));
    }
    const std::string id = core::approval_id(command.session, n);
    if (!command.idempotency_key.empty()) {
        HEADWAY_CHECK(store_.add_idempotency_key(
            command.idempotency_key, {command.idempotency_fingerprint, id}, context.now));
    }
    HEADWAY_TRY(const auto document, approval_document(*resident, n));
    std::string text;
    api::append_approval(text, document);
    return body(std::move(text), status, "Location: /v1/approvals/" + id + "\r\n");
}

/// Finds an approval by its UUID; empty if the text is no UUID or unknown.
Result<std::optional<storage::StoredApproval>> Supervisor::find_alias(std::string_view alias) {
    const auto cursor = core::cursor_of_alias(alias);
    if (!cursor) return std::optional<storage::StoredApproval>{};
    HEADWAY_TRY(auto stored, store_.approval_at(*cursor));
    const bool same = stored && core::lower(alias) == alias_of(*stored);
    if (!same) stored.reset();
    return stored;
}

/// Resolves an alias to session and number. Without access to the session the answer is the same as
/// for an unknown alias.
Result<> Supervisor::resolve(const ApprovalAlias& alias, AliasUse use, std::string& session,
                             std::uint64_t& n) {
    if (alias.id.empty()) return {};
    HEADWAY_TRY(const auto stored, find_alias(alias.id));
    const auto may = [&] {
        if (use == AliasUse::kDecide) return alias.grants.has(core::Scope::kApprove);
        if (use == AliasUse::kRedeem) return alias.grants.may_report(stored->session_id);
        return alias.grants.may_read(stored->session_id);
    };
    if (!stored || !may()) {
        return Error{
            ErrorCode::kUnknownApproval,
            "no approval " + alias.id + " was ever asked for; GET /v1/approvals lists them", "id"};
    }
    session = stored->session_id;
    n = stored->approval.n;
    return {};
}

/// Finds the session and its approval; an old approval comes from the index.
Result<Resident*> Supervisor::require_approval(std::string_view session, std::uint64_t n,
                                               core::Approval& found) {
    HEADWAY_TRY(Resident * resident, find_resident(session));
    if (resident == nullptr) return unknown_approval(session, n);
    if (const core::Approval* known = resident->session.state().approvals.find(n)) {
        found = *known;
        return resident;
    }
    HEADWAY_TRY(auto stored, store_.find_approval(resident->key, n));
    if (!stored) return unknown_approval(session, n);
    found = std::move(stored->approval);
    return resident;
}

Result<Answer> Supervisor::handle(DecideCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_CHECK(resolve(command.alias, AliasUse::kDecide, command.session, command.n));
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(command.session, command.n, approval));
    if (command.ruling.decision == core::Decision::kEdit) {
        command.ruling.edited_question =
            api::question_of_call(tape_, approval.tool, command.ruling.edited_args.text);
    }
    auto open = core::check_ruling(approval, command.ruling, context.now);
    if (!open && open.error().code == ErrorCode::kAlreadyDecided) {
        return lost_to(open.error(), command.session, approval);
    }
    HEADWAY_TRY(const bool decides, std::move(open));
    std::vector<std::string> also;
    if (decides) {
        events_.clear();
        HEADWAY_CHECK(resident->session.decide(command.n, command.ruling, context, events_));
        HEADWAY_CHECK(store_events(*resident, events_, turn));
        if (command.identical) {
            HEADWAY_TRY(also, decide_identical(approval.identity_digest, std::move(command.ruling),
                                               context, turn));
        }
    }
    HEADWAY_TRY(const auto document, approval_document(*resident, command.n));
    std::string text;
    api::append_decided(text, document, also);
    return body(std::move(text));
}

/// Applies the decision once to every identical pending request; returns their ids.
Result<std::vector<std::string>> Supervisor::decide_identical(const std::string& identity,
                                                              core::Ruling ruling,
                                                              const core::Context& context,
                                                              Turn& turn) {
    std::vector<std::string> also;
    ruling.scope = core::GrantScope::kOnce;
    ruling.match = core::GrantMatch::kArgs;
    ruling.until = core::kNever;
    HEADWAY_TRY(const auto equal,
                store_.identical_approvals(identity, core::limits::kIdenticalMax));
    for (const storage::StoredApproval& stored : equal) {
        auto found = find_resident(stored.session_id);
        if (!found && found.error().code == ErrorCode::kInternal) continue;  // damaged
        HEADWAY_TRY(Resident * resident, std::move(found));
        if (resident == nullptr) continue;
        events_.clear();
        const auto decided = resident->session.decide(stored.approval.n, ruling, context, events_);
        if (!decided || !*decided) continue;
        HEADWAY_CHECK(store_events(*resident, events_, turn));
        also.push_back(core::approval_id(stored.session_id, stored.approval.n));
    }
    return also;
}

Result<Answer> Supervisor::handle(RedeemCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_CHECK(resolve(command.alias, AliasUse::kRedeem, command.session, command.n));
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(command.session, command.n, approval));
    const api::DecodedRedeem& said = command.redeem;
    HEADWAY_TRY(const bool open, core::check_redeem(approval, said.args_digest, said.key));
    if (open) {
        events_.clear();
        HEADWAY_CHECK(
            resident->session.redeem(command.n, said.args_digest, said.key, context, events_));
        HEADWAY_CHECK(store_events(*resident, events_, turn));
    }
    HEADWAY_TRY(const auto document, approval_document(*resident, command.n));
    std::string text;
    api::append_approval(text, document);
    return body(std::move(text));
}

Result<Answer> Supervisor::handle(RevokeCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_CHECK(resolve(command.alias, AliasUse::kDecide, command.session, command.n));
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(command.session, command.n, approval));
    events_.clear();
    HEADWAY_CHECK(resident->session.revoke(command.n, std::move(command.revoke.by),
                                           std::move(command.revoke.reason), context, events_));
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    HEADWAY_TRY(const auto document, approval_document(*resident, command.n));
    std::string text;
    api::append_approval(text, document);
    return body(std::move(text));
}

Result<Answer> Supervisor::handle(AcknowledgeCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    events_.clear();
    HEADWAY_CHECK(
        resident->session.acknowledge_alarms(command.said.n.value_or(0), std::move(command.said.by),
                                             std::move(command.said.reason), context, events_));
    if (!events_.empty()) HEADWAY_CHECK(store_events(*resident, events_, turn));
    return Answer{document(resident->session, 200, {})};
}

Result<Answer> Supervisor::handle(ApproveAgentCommand& command, const core::Context& context,
                                  Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    HEADWAY_TRY(const auto named, find_alias(command.said.request_id));
    if (named) command.said.request_id = core::approval_id(named->session_id, named->approval.n);
    HEADWAY_TRY(const std::uint64_t n, request_meant(resident->session, command.said.request_id));
    core::Approval approval;
    HEADWAY_TRY(resident, require_approval(command.session, n, approval));
    core::Ruling ruling;
    ruling.decision = command.said.approved ? core::Decision::kApprove : core::Decision::kReject;
    ruling.reason = std::move(command.said.reason);
    ruling.channel = "approve-agent";
    ruling.by = command.by;
    auto open = core::check_ruling(approval, ruling, context.now);
    if (!open && open.error().code == ErrorCode::kAlreadyDecided) {
        return lost_to(open.error(), command.session, approval);
    }
    HEADWAY_TRY(const bool decides, std::move(open));
    if (decides) {
        events_.clear();
        HEADWAY_CHECK(resident->session.decide(n, std::move(ruling), context, events_));
        HEADWAY_CHECK(store_events(*resident, events_, turn));
        approval = *resident->session.state().approvals.find(n);
    }
    HEADWAY_TRY(const auto document, approval_document(*resident, n));
    std::vector<api::ApprovalDocument> pending;
    for (const core::Approval& other : resident->session.state().approvals.requests) {
        if (!other.pending()) continue;
        HEADWAY_TRY(pending.emplace_back(), approval_document(*resident, other.n));
    }
    std::string text;
    api::append_approve_agent(text, document, pending);
    return body(std::move(text));
}

}  // namespace headway::server
