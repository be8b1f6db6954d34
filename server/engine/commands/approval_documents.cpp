// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/approval_documents.hpp"

#include <algorithm>
#include <utility>

#include "core/approvals/approval_alias.hpp"
#include "core/base/limits.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/text/words.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// True if the journal has longer texts: reasons, answers and edited arguments.
bool has_texts(const core::Approval& approval) {
    return approval.decision == core::Decision::kEdit ||
           approval.decision == core::Decision::kRespond ||
           approval.reason.size() + 4 >= core::limits::kApprovalTextBytesMax;
}

api::DecisionTexts texts_of(const core::ApprovalDecided& decided) {
    return {decided.reason, decided.edited_args, decided.response};
}

std::string alias_of(const storage::StoredApproval& stored) {
    return core::approval_alias(stored.session_id, stored.approval.n, stored.approval.requested_at,
                                stored.cursor);
}

/// Damage of one approval must not fail the others of a turn, as errors of the store do.
Error as_own_error(storage::Store& store, std::string_view session, Error&& error) {
    if (error.code != ErrorCode::kStorageCorrupt) return std::move(error);
    return damaged_approval(store, session, error.detail);
}

/// Fills in what the journal has of the request and its decision.
Result<> add_texts(storage::Store& store, const storage::StoredApproval& stored,
                   api::ApprovalDocument& document) {
    document.texts.reason = stored.approval.reason;
    HEADWAY_TRY(const auto asked, store.read_stream(stored.cursor - 1, 1));
    if (!asked.events.empty()) {
        const auto* event =
            std::get_if<core::ApprovalRequested>(&asked.events.front().event.payload);
        if (event != nullptr) document.asked = *event;
    }
    if (stored.decided == 0 || !has_texts(stored.approval)) return {};
    HEADWAY_TRY(const auto page, store.read_stream(stored.decided - 1, 1));
    const auto* event =
        page.events.empty()
            ? nullptr
            : std::get_if<core::ApprovalDecided>(&page.events.front().event.payload);
    if (event != nullptr) document.texts = texts_of(*event);
    return {};
}

}  // namespace

Error unknown_approval(std::string_view session, std::uint64_t n) {
    return {ErrorCode::kUnknownApproval,
            "no approval " + core::approval_id(session, n) +
                " was ever asked for; GET /v1/approvals lists them",
            "id"};
}

Error damaged_approval(storage::Store& store, std::string_view session, const std::string& what) {
    return {ErrorCode::kInternal,
            "an approval of session '" + std::string{session} + "' is damaged on the disk (" +
                what + "); " + way_out_of_damage(store),
            {}};
}

Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                const storage::StoredApproval& stored) {
    if (stored.damaged)
        return damaged_approval(reader.store(), stored.session_id, "it cannot be decoded");
    api::ApprovalDocument document;
    document.session = stored.session_id;
    document.request_id = alias_of(stored);
    document.approval = stored.approval;
    if (auto added = add_texts(reader.store(), stored, document); !added)
        return as_own_error(reader.store(), stored.session_id, std::move(added).error());
    if (stored.approval.pending()) {
        HEADWAY_TRY(document.identical,
                    reader.store().approvals().count_identical(stored.approval.identity_digest));
        if (document.identical == 0) document.identical = 1;  // of a version without digests
    }
    if (stored.approval.scope == core::GrantScope::kOnce) return document;
    HEADWAY_CHECK(
        reader.with_whole(stored.session, stored.session_id, [&](const core::Session& session) {
            const auto& grants = session.state().approvals.grants;
            document.granted =
                std::any_of(grants.begin(), grants.end(), [&](const core::Grant& grant) {
                    return grant.n == stored.approval.n && grant.live(reader.now());
                });
        }));
    return document;
}

Result<api::ApprovalDocument> approval_document(const Reader& reader, const Resident& resident,
                                                std::uint64_t n) {
    HEADWAY_TRY(auto stored, reader.store().approvals().find_approval(resident.key, n));
    if (!stored) return unknown_approval(resident.session.id(), n);
    // The state of the session has the newest ones as well, and its next change writes the row.
    const core::Approval* known = resident.session.state().approvals.find(n);
    if (stored->damaged && known != nullptr) {
        stored->approval = *known;
        stored->damaged = false;
    }
    return approval_document(reader, *stored);
}

Result<std::vector<api::ApprovalNotice>> approval_notices(const Reader& reader,
                                                          const Resident& resident) {
    std::vector<api::ApprovalNotice> notices;
    for (const core::Approval& approval : resident.session.state().approvals.requests) {
        if (!approval.pending() && !approval.undelivered()) continue;
        api::ApprovalNotice& notice = notices.emplace_back();
        notice.approval = approval;
        notice.texts.reason = approval.reason;
        HEADWAY_TRY(const auto stored,
                    reader.store().approvals().find_approval(resident.key, approval.n));
        if (stored) {
            notice.request_id = core::approval_alias(stored->session_id, approval.n,
                                                     approval.requested_at, stored->cursor);
        }
        if (!has_texts(approval)) continue;
        auto events =
            reader.store().read_session(resident.key, resident.chain, approval.decided_n - 1, 1);
        if (!events) {
            Error error =
                as_own_error(reader.store(), resident.session.id(), std::move(events).error());
            if (!is_unreadable(error.code)) return error;
            reader.say_damaged(resident.key, error.detail);
            notices.pop_back();
            continue;
        }
        if (events->empty()) continue;
        const auto* decided = std::get_if<core::ApprovalDecided>(&events->front().payload);
        if (decided != nullptr) notice.texts = texts_of(*decided);
    }
    return notices;
}

Result<std::optional<storage::StoredApproval>> find_alias(storage::Store& store,
                                                          std::string_view alias) {
    const auto cursor = core::cursor_of_alias(alias);
    if (!cursor) return std::optional<storage::StoredApproval>{};
    HEADWAY_TRY(auto stored, store.approvals().approval_at(*cursor));
    if (stored && stored->damaged) {
        return Error{ErrorCode::kInternal,
                     "approval " + std::string{alias} +
                         " is damaged on the disk (it cannot be decoded); " +
                         way_out_of_damage(store),
                     {}};
    }
    const bool same = stored && core::lower(alias) == alias_of(*stored);
    if (!same) stored.reset();
    return stored;
}

Result<> check_request(const EngineSettings& settings, const core::Policy& policy,
                       const core::ApprovalRequested& asked, const std::string& pointer) {
    auto allowed = settings.approvals.check_request(policy, asked);
    if (allowed && asked.extend)
        allowed = core::check_at_most(*asked.extend, settings.budget.bounds, "/extend");
    if (allowed) return {};
    Error error = std::move(allowed).error();
    error.field = pointer + error.field;
    return error;
}

core::ApprovalRequested with_note(core::ApprovalRequested asked, const std::string& note) {
    if (note.empty()) return asked;
    const std::string& summary = asked.summary.kept;
    asked.summary = core::bounded_text(note + (summary.empty() ? "" : " " + summary));
    return asked;
}

}  // namespace headway::server
