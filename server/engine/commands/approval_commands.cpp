// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/approval_commands.hpp"

#include <algorithm>
#include <utility>

#include "core/approvals/approval_alias.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/policies/policy_floor.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/family_writes.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

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
        if (!ref && core::is_uuid(request_id)) {
            return Error{
                ErrorCode::kUnknownApproval,
                "no approval " + request_id + " was ever asked for; GET /v1/approvals lists them",
                "/request_id"};
        }
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

/// Finds the session and its approval; an old approval comes from the index.
Result<Resident*> require_approval(Transaction& transaction, std::string_view session,
                                   std::uint64_t n, core::Approval& found) {
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    if (resident == nullptr) return unknown_approval(session, n);
    if (const core::Approval* known = resident->session.state().approvals.find(n)) {
        found = *known;
        return resident;
    }
    HEADWAY_TRY(auto stored, transaction.store().approvals().find_approval(resident->key, n));
    if (!stored) return unknown_approval(session, n);
    if (stored->damaged)
        return damaged_approval(transaction.store(), session, "it cannot be decoded");
    found = std::move(stored->approval);
    return resident;
}

/// The decision that the route of the first design names. It knows no answers, so a question that
/// is approved gets its "approved", with the reason, as one.
core::Ruling ruling_of(const core::Approval& approval, api::DecodedApproveAgent&& body,
                       const std::string& by) {
    core::Ruling ruling;
    ruling.decision = body.approved ? core::Decision::kApprove : core::Decision::kReject;
    ruling.channel = "approve-agent";
    ruling.by = by;
    const bool question = approval.kind == core::ApprovalKind::kQuestion && !approval.of_headway();
    const bool was_approved = approval.decision == core::Decision::kApprove;  // by older versions
    if (body.approved && question && !was_approved) {
        ruling.decision = core::Decision::kRespond;
        ruling.response =
            core::bounded_text(body.reason.empty() ? "approved" : "approved: " + body.reason);
    }
    ruling.reason = std::move(body.reason);
    return ruling;
}

std::string_view json_kind(std::string_view text) {
    if (text.empty() || text.front() == '{') return "an object";  // none: tools take objects
    if (text.front() == '[') return "an array";
    if (text.front() == 't' || text.front() == 'f') return "true or false";
    if (text.front() == 'n') return "null";
    return text.front() == '"' ? "a text" : "a number";
}

/// Edited arguments are JSON of the same kind as those of the request: the tool takes no other.
Result<> check_edited(const core::ExactJson& asked, const core::Ruling& ruling) {
    const std::string_view kind = json_kind(asked.text);
    if (ruling.decision != core::Decision::kEdit || json_kind(ruling.edited_args.text) == kind)
        return {};
    return Error{ErrorCode::kInvalidField,
                 "must be " + std::string{kind} + ", as the arguments of the request are",
                 "/edited_args"};
}

/// Before anything is appended: what cannot be shown cannot be decided about either, and its error
/// is the answer of one command.
Result<> check_shown(Transaction& transaction, const Resident& resident, std::uint64_t n,
                     const core::Ruling& ruling = {}) {
    HEADWAY_TRY(const auto document, approval_document(transaction.reader(), resident, n));
    return check_edited(document.asked.args, ruling);
}

Result<ApprovalShown> show(Transaction& transaction, const Resident& resident, std::uint64_t n) {
    HEADWAY_TRY(auto document, approval_document(transaction.reader(), resident, n));
    return ApprovalShown{std::move(document)};
}

/// The answer to a request whose idempotency key was used before; empty if the key is free.
Result<std::optional<ApprovalShown>> replay(Transaction& transaction, const AskCommand& command) {
    std::optional<ApprovalShown> none;
    if (command.idempotency_key.empty()) return none;
    HEADWAY_TRY(const auto use,
                transaction.store().idempotency().find_key(command.idempotency_key));
    const auto ref = use ? core::parse_approval_id(use->session) : std::nullopt;
    if (!ref) return none;
    HEADWAY_TRY(const Resident* asker, transaction.find(ref->session));
    if (asker == nullptr) return none;
    // The session may have been deleted, and its id be another's by now: the key is free then. The
    // other's approval of this number is not what was asked for.
    if (asker->session.state().opened_at > use->at) return none;
    if (use->fingerprint != command.idempotency_fingerprint) {
        return Error{ErrorCode::kIdempotencyMismatch,
                     "this key was used with another body; use a new key", "Idempotency-Key"};
    }
    HEADWAY_TRY(std::optional<ApprovalShown> again, show(transaction, *asker, ref->n));
    again->replayed = true;
    return again;
}

/// Asks; opens the session if it is unknown. Returns the number of the approval.
Result<std::uint64_t> ask(Transaction& transaction, Resident*& resident, AskCommand& command) {
    const EngineSettings& settings = transaction.settings();
    core::Policy first;  // of a session that begins
    if (resident == nullptr) {
        HEADWAY_TRY(const core::SessionStarted about,
                    implicit_opening(transaction, command.session));
        first = core::effective_policy(about.policy, settings.policy);
    }
    const core::Policy& policy = resident != nullptr ? *resident->session.state().policy : first;
    HEADWAY_CHECK(check_request(settings, policy, command.asked, {}));
    HEADWAY_CHECK(check_expiry_above(transaction, resident, policy, command.asked, {}));
    std::vector<core::Event> reported(1);
    reported.front().payload = std::move(command.asked);
    const core::Session fresh{command.session};
    HEADWAY_CHECK((resident != nullptr ? resident->session : fresh).admit(reported));
    std::vector<core::Event>& events = transaction.events();
    HEADWAY_CHECK(open_if_new(transaction, resident, command.session, command.controls, events));
    const auto place = static_cast<std::ptrdiff_t>(events.size());
    HEADWAY_TRY(const auto rejected, rejected_elsewhere(transaction, *resident, reported));
    core::Context asking = transaction.context();
    asking.rejected_elsewhere = rejected;
    resident->session.report(reported, asking, events);
    // A credit for an attention gap may come before it.
    const auto asked =
        std::find_if(events.begin() + place, events.end(), [](const core::Event& event) {
            return std::holds_alternative<core::ApprovalRequested>(event.payload);
        });
    HEADWAY_ASSERT(asked != events.end());
    const std::uint64_t n = asked->n;
    HEADWAY_CHECK(transaction.append(*resident, events));
    return n;
}

/// Applies the decision once to every other identical request that is still pending; returns their
/// ids.
Result<std::vector<std::string>> decide_others(Transaction& transaction,
                                               const DecideCommand& command,
                                               const std::string& identity) {
    std::vector<std::string> also;
    if (!command.identical) return also;
    core::Ruling ruling = command.ruling;
    ruling.scope = core::GrantScope::kOnce;
    ruling.match = core::GrantMatch::kArgs;
    ruling.until = core::kNever;
    HEADWAY_TRY(const auto equal, transaction.store().approvals().identical_approvals(
                                      identity, core::limits::kIdenticalMax));
    for (const storage::StoredApproval& stored : equal) {
        if (!transaction.may_change(stored.session_id)) continue;  // asked in this very turn
        auto found = transaction.find(stored.session_id);
        if (!found && is_unreadable(found.error().code)) continue;
        HEADWAY_TRY(Resident * resident, std::move(found));
        if (resident == nullptr) continue;
        std::vector<core::Event>& events = transaction.events();
        const auto decided =
            resident->session.decide(stored.approval.n, ruling, transaction.context(), events);
        if (!decided || !*decided) continue;
        HEADWAY_CHECK(transaction.append(*resident, events));
        HEADWAY_CHECK(tell_rejection(transaction, *resident, stored.approval.n));
        touch_below(transaction, *resident);
        also.push_back(core::approval_id(stored.session_id, stored.approval.n));
    }
    return also;
}

}  // namespace

Result<> resolve(const Reader& reader, const ApprovalAlias& alias, AliasUse use,
                 std::string& session, std::uint64_t& n) {
    if (alias.id.empty()) return {};
    HEADWAY_TRY(const auto stored, find_alias(reader.store(), alias.id));
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

Result<> AskCommand::name(Reader& reader, SessionNames& names) const {
    return name_opening(reader, names, session);
}

Result<ApprovalShown> AskCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(auto replayed, replay(transaction, *this));
    if (replayed) return *std::move(replayed);
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    if (resident != nullptr)
        HEADWAY_CHECK(transaction.change(*resident, &core::Session::end_lapsed));
    const core::Approval* before =
        resident == nullptr ? nullptr : resident->session.state().approvals.asked_before(asked);
    const bool created = before == nullptr;
    std::uint64_t n = created ? 0 : before->n;
    if (created) {
        HEADWAY_TRY(n, ask(transaction, resident, *this));
    }
    HEADWAY_TRY(ApprovalShown shown, show(transaction, *resident, n));
    if (!idempotency_key.empty()) {
        HEADWAY_CHECK(transaction.store().idempotency().add_key(
            idempotency_key, {idempotency_fingerprint, core::approval_id(session, n)},
            transaction.now()));
    }
    shown.asked = true;
    shown.created = created;
    return shown;
}

Result<> DecideCommand::name(Reader& reader, SessionNames& names) {
    HEADWAY_CHECK(resolve(reader, alias, AliasUse::kDecide, session, n));
    names.push_back(session);
    if (!identical) return {};
    HEADWAY_TRY(const Resident* resident, reader.find(session));
    if (resident == nullptr) return {};
    HEADWAY_TRY(const auto stored, reader.store().approvals().find_approval(resident->key, n));
    if (!stored || stored->damaged) return {};
    HEADWAY_TRY(const auto equal,
                reader.store().approvals().identical_approvals(stored->approval.identity_digest,
                                                               core::limits::kIdenticalMax));
    others.clear();  // of a try that was deferred
    for (const storage::StoredApproval& other : equal)
        others.push_back(other.session_id);
    names.insert(names.end(), others.begin(), others.end());
    return {};
}

Result<std::variant<Decided, DecisionLost>> DecideCommand::operator()(Transaction& transaction) {
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(transaction, session, n, approval));
    auto open = core::check_ruling(resident->session.state().approvals, approval, ruling,
                                   transaction.now());
    if (!open && open.error().code == ErrorCode::kAlreadyDecided)
        return DecisionLost{std::move(open).error(), session, std::move(approval)};
    HEADWAY_TRY(const bool decides, std::move(open));
    Decided done;
    if (decides) {
        HEADWAY_CHECK(check_shown(transaction, *resident, n, ruling));
        // A grant covers requests that wait, but none that was rejected above.
        const auto waiting = waiting_requests(resident->session.state().approvals);
        HEADWAY_TRY(const auto rejected, rejected_elsewhere(transaction, *resident, waiting));
        HEADWAY_CHECK(transaction.change(
            *resident, [&](core::Session& decided, core::Context context, auto& events) {
                context.rejected_elsewhere = rejected;
                return decided.decide(n, ruling, context, events);
            }));
        HEADWAY_CHECK(tell_rejection(transaction, *resident, n));
        if (resident->session.state().stopped) touch_below(transaction, *resident);
    }
    HEADWAY_TRY(done.also, decide_others(transaction, *this, approval.identity_digest));
    HEADWAY_TRY(done.left,
                transaction.store().approvals().count_identical(approval.identity_digest));
    HEADWAY_TRY(done.document, approval_document(transaction.reader(), *resident, n));
    return done;
}

Result<> RedeemCommand::name(Reader& reader, SessionNames& names) {
    HEADWAY_CHECK(resolve(reader, alias, AliasUse::kRedeem, session, n));
    return name_one(names, session);
}

Result<ApprovalShown> RedeemCommand::operator()(Transaction& transaction) {
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(transaction, session, n, approval));
    if (approval.let_go && approval.redeemed_at == core::kNever) {
        return Error{ErrorCode::kAlreadyRedeemed,
                     "the reply to the call's hook let it go; request another approval",
                     {}};
    }
    HEADWAY_TRY(const bool open, core::check_redeem(approval, redeem.args_digest, redeem.key));
    if (open) {
        const AskedCall call{approval.tool, approval.run_digest, approval.call_id};
        HEADWAY_TRY(const Above above, above_of(transaction, *resident, call));
        if (above.paused || !above.stop.empty())
            return Error{ErrorCode::kNotApproved,
                         !above.stop.empty()
                             ? above.stop
                             : "the session above this one is paused; redeem it after that",
                         {}};
        if (above.refused_at > approval.decided_at)
            return Error{ErrorCode::kNotApproved,
                         "a person has rejected an equal call since, in a session above this one",
                         {}};
        HEADWAY_CHECK(check_shown(transaction, *resident, n));
        HEADWAY_CHECK(transaction.change(*resident, &core::Session::redeem, n, redeem.args_digest,
                                         redeem.key));
    }
    return show(transaction, *resident, n);
}

Result<> RevokeCommand::name(Reader& reader, SessionNames& names) {
    HEADWAY_CHECK(resolve(reader, alias, AliasUse::kDecide, session, n));
    return name_one(names, session);
}

Result<ApprovalShown> RevokeCommand::operator()(Transaction& transaction) {
    core::Approval approval;
    HEADWAY_TRY(Resident * resident, require_approval(transaction, session, n, approval));
    HEADWAY_CHECK(check_shown(transaction, *resident, n));
    HEADWAY_CHECK(transaction.change(*resident, &core::Session::revoke, n, std::move(revoke.by),
                                     std::move(revoke.reason)));
    return show(transaction, *resident, n);
}

Result<SessionDocument> AcknowledgeCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    core::AlarmRange range;
    if (body.up_to) range.last = *body.up_to;
    if (body.n) range = {*body.n, *body.n};
    HEADWAY_CHECK(transaction.change(*resident, &core::Session::acknowledge_alarms, range,
                                     std::move(body.by), std::move(body.reason)));
    return SessionDocument{resident->session, transaction.reader().time()};
}

Result<std::variant<AgentApproved, DecisionLost>> ApproveAgentCommand::operator()(
    Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.require(session));
    HEADWAY_TRY(const auto named, find_alias(transaction.store(), body.request_id));
    if (named) body.request_id = core::approval_id(named->session_id, named->approval.n);
    HEADWAY_TRY(const std::uint64_t n, request_meant(resident->session, body.request_id));
    core::Approval approval;
    HEADWAY_TRY(resident, require_approval(transaction, session, n, approval));
    const core::Ruling ruling = ruling_of(approval, std::move(body), by);
    auto open = core::check_ruling(resident->session.state().approvals, approval, ruling,
                                   transaction.now());
    if (!open && open.error().code == ErrorCode::kAlreadyDecided)
        return DecisionLost{std::move(open).error(), session, std::move(approval)};
    HEADWAY_TRY(const bool decides, std::move(open));
    if (decides) {
        HEADWAY_CHECK(check_shown(transaction, *resident, n));
        HEADWAY_CHECK(transaction.change(*resident, &core::Session::decide, n, ruling));
        HEADWAY_CHECK(tell_rejection(transaction, *resident, n));
        touch_below(transaction, *resident);
    }
    AgentApproved done;
    HEADWAY_TRY(done.document, approval_document(transaction.reader(), *resident, n));
    for (const core::Approval& other : resident->session.state().approvals.requests) {
        if (!other.pending()) continue;
        auto document = approval_document(transaction.reader(), *resident, other.n);
        if (!document && is_unreadable(document.error().code)) continue;  // it is not decided here
        HEADWAY_TRY(done.pending.emplace_back(), std::move(document));
    }
    return done;
}

}  // namespace headway::server
