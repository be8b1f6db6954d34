// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/approval_alias.hpp"
#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// The index of approvals over all sessions: updates, documents and the inbox.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Arguments may be long: a larger page ends early.
constexpr std::size_t kInboxBytes = 1U << 20;
/// Damaged sessions that the log names.
constexpr std::size_t kDamagedMax = 1'000;

/// True for damage of one session; any other error concerns the whole store.
bool is_damage(const Error& error) {
    return error.code == ErrorCode::kInternal || error.code == ErrorCode::kStorageCorrupt;
}

/// True if the journal has longer texts: reasons, answers and edited arguments.
bool has_texts(const core::Approval& approval) {
    return approval.decision == core::Decision::kEdit ||
           approval.decision == core::Decision::kRespond ||
           approval.reason.size() + 4 >= core::limits::kApprovalTextBytesMax;
}

api::DecisionTexts texts_of(const core::ApprovalDecided& decided) {
    return {decided.reason, decided.edited_args, decided.response};
}

void count(ApprovalStats& stats, const core::Event& event) {
    if (std::holds_alternative<core::ApprovalRequested>(event.payload)) ++stats.requested;
    if (std::holds_alternative<core::ApprovalExpired>(event.payload)) ++stats.expired;
    if (std::holds_alternative<core::ApprovalRedeemed>(event.payload)) ++stats.redeemed;
    if (const auto* decided = std::get_if<core::ApprovalDecided>(&event.payload)) {
        ++stats.decided[static_cast<std::size_t>(decided->decision)];
    }
    if (const auto* alarm = std::get_if<core::ApprovalAlarm>(&event.payload)) {
        ++stats.alarms[static_cast<std::size_t>(alarm->alarm)];
    }
}

Error unknown_approval(std::string_view session, std::uint64_t n) {
    return {ErrorCode::kUnknownApproval,
            "no approval " + core::approval_id(session, n) + " was ever asked for", "id"};
}

}  // namespace

/// Updates the index of approvals in the transaction of the events.
Result<> Supervisor::index_approvals(Resident& resident, std::span<const core::Event> events,
                                     storage::Cursor cursor, Turn& turn) {
    const std::vector<core::Approval> changed = resident.session.take_changed_approvals();
    if (changed.empty()) return {};
    for (const core::Event& event : events)
        count(stats_.approvals, event);
    const std::uint64_t first = events.front().n;
    const auto cursor_of = [&](std::uint64_t n) {
        return n < first ? 0 : cursor + static_cast<storage::Cursor>(n - first);
    };
    for (const core::Approval& approval : changed) {
        HEADWAY_CHECK(store_.save_approval(resident.key, approval, cursor_of(approval.n),
                                           cursor_of(approval.decided_n)));
        if (approval.pending()) continue;
        turn.publication->decided.push_back(core::approval_id(resident.session.id(), approval.n));
        HEADWAY_TRY(const auto stored, store_.find_approval(resident.key, approval.n));
        if (!stored) continue;  // clients may wait for it by its UUID
        turn.publication->decided.push_back(core::approval_alias(
            resident.session.id(), approval.n, approval.requested_at, stored->cursor));
    }
    HEADWAY_TRY(stats_.approvals.pending, store_.count_pending());
    return {};
}

/// Adds pending requests, and decisions that the agent has not used.
Result<> Supervisor::add_notices(const Resident& resident, api::Advice& advice) {
    for (const core::Approval& approval : resident.session.state().approvals.requests) {
        if (!approval.pending() && !approval.undelivered()) continue;
        api::ApprovalNotice& notice = advice.approvals.emplace_back();
        notice.approval = approval;
        notice.texts.reason = approval.reason;
        HEADWAY_TRY(const auto stored, store_.find_approval(resident.key, approval.n));
        if (stored) {
            notice.request_id = core::approval_alias(stored->session_id, approval.n,
                                                     approval.requested_at, stored->cursor);
        }
        if (!has_texts(approval)) continue;
        HEADWAY_TRY(const auto events,
                    store_.read_session(resident.key, resident.chain, approval.decided_n - 1, 1));
        if (events.empty()) continue;
        const auto* decided = std::get_if<core::ApprovalDecided>(&events.front().payload);
        if (decided != nullptr) notice.texts = texts_of(*decided);
    }
    return {};
}

Result<api::ApprovalDocument> Supervisor::approval_document(const storage::StoredApproval& stored) {
    api::ApprovalDocument document;
    document.session = stored.session_id;
    document.request_id = core::approval_alias(stored.session_id, stored.approval.n,
                                               stored.approval.requested_at, stored.cursor);
    document.approval = stored.approval;
    document.texts.reason = stored.approval.reason;
    HEADWAY_TRY(const auto asked, store_.read_stream(stored.cursor - 1, 1));
    if (!asked.empty()) {
        const auto* event = std::get_if<core::ApprovalRequested>(&asked.front().event.payload);
        if (event != nullptr) document.asked = *event;
    }
    if (stored.decided != 0 && has_texts(stored.approval)) {
        HEADWAY_TRY(const auto said, store_.read_stream(stored.decided - 1, 1));
        const auto* event = said.empty()
                                ? nullptr
                                : std::get_if<core::ApprovalDecided>(&said.front().event.payload);
        if (event != nullptr) document.texts = texts_of(*event);
    }
    if (stored.approval.pending()) {
        HEADWAY_TRY(document.identical, store_.count_identical(stored.approval.identity_digest));
        if (document.identical == 0) document.identical = 1;  // of a version without digests
    }
    const Resident* resident = residents_.find(stored.session);
    if (stored.approval.scope == core::GrantScope::kOnce) return document;
    std::vector<core::Grant> grants;
    if (resident != nullptr) {
        grants = resident->session.state().approvals.grants;
    } else {
        HEADWAY_TRY(const storage::StoredSession session, load(stored.session, stored.session_id));
        grants = session.session.state().approvals.grants;
    }
    document.granted = std::any_of(grants.begin(), grants.end(), [&](const core::Grant& grant) {
        return grant.n == stored.approval.n && grant.live(clock_.now());
    });
    return document;
}

Result<api::ApprovalDocument> Supervisor::approval_document(const Resident& resident,
                                                            std::uint64_t n) {
    HEADWAY_TRY(const auto stored, store_.find_approval(resident.key, n));
    if (!stored) return unknown_approval(resident.session.id(), n);
    return approval_document(*stored);
}

Result<Answer> Supervisor::answer(const ApprovalQuery& asked) {
    ApprovalQuery query = asked;
    HEADWAY_CHECK(resolve(query.alias, AliasUse::kRead, query.session, query.n));
    HEADWAY_TRY(const auto key, store_.find(query.session));
    if (!key) return unknown_approval(query.session, query.n);
    HEADWAY_TRY(const auto stored, store_.find_approval(*key, query.n));
    if (!stored) return unknown_approval(query.session, query.n);
    HEADWAY_TRY(const auto document, approval_document(*stored));
    DocumentReply reply;
    reply.pending = stored->approval.pending();
    api::append_approval(reply.body, document);
    return Answer{std::move(reply)};
}

/// Logs a damaged approval, which the inbox leaves out, once per session.
void Supervisor::say_damaged(const storage::StoredApproval& stored, const Error& error) {
    if (damaged_.size() >= kDamagedMax || !damaged_.insert(stored.session).second) return;
    report_(true, error.code == ErrorCode::kInternal
                      ? error.detail
                      : "an approval of session '" + stored.session_id +
                            "' is damaged on the disk (" + error.detail +
                            "); stop headway and run `headway doctor --repair`");
}

/// One slice of the page: each row may need a session that is not in memory.
Result<bool> Supervisor::inbox_some(const InboxQuery& query, InboxScan& scan) {
    const auto started = Clock::steady();
    if (!std::exchange(scan.begun, true)) {
        storage::ApprovalPage page = query.page;
        if (!query.session.empty()) {
            HEADWAY_TRY(const auto key, store_.find(query.session));
            if (!key) {
                return Error{ErrorCode::kUnknownSession, "no session '" + query.session + "'",
                             "session"};
            }
            page.session = *key;
        }
        HEADWAY_TRY(scan.rows, store_.list_approvals(page));
    }
    const auto more = [&] {
        return scan.looked_at < scan.rows.size() && scan.body.size() < kInboxBytes;
    };
    while (more() && Clock::steady() - started < kReaderSlice) {
        const storage::StoredApproval& row = scan.rows[scan.looked_at++];
        const Result<api::ApprovalDocument> document =
            row.damaged ? Error{ErrorCode::kStorageCorrupt, "it cannot be decoded", {}}
                        : approval_document(row);
        const bool deleted = !document && document.error().code == ErrorCode::kUnknownSession;
        if (deleted) continue;  // by retention meanwhile
        if (!document && !is_damage(document.error())) return document.error();
        if (!document) {
            say_damaged(row, document.error());
            continue;
        }
        if (scan.body.back() != '[') scan.body.push_back(',');
        api::append_approval(scan.body, *document);
    }
    if (more()) return false;
    const bool next = scan.looked_at < scan.rows.size() || scan.rows.size() == query.page.limit;
    scan.body += "],\"pending\":" + std::to_string(stats_.approvals.pending) + ",\"next\":";
    scan.body +=
        next ? "\"" + std::to_string(scan.rows[scan.looked_at - 1].cursor) + "\"}" : "null}";
    return true;
}

}  // namespace headway::server
