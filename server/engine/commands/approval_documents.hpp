// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode/parts/encode_approvals.hpp"
#include "server/engine/transaction/reader.hpp"

// Approvals in the form that clients receive, made from the index over all sessions and from the
// journal.

namespace headway::server {

core::Error unknown_approval(std::string_view session, std::uint64_t n);

/// The error kInternal, which concerns one approval only and does not fail the rest of the turn.
core::Error damaged_approval(storage::Store& store, std::string_view session,
                             const std::string& what);

/// Errors: kUnknownApproval if the session has no approval `n`; kInternal if the approval or its
/// session is damaged. A command that returns the document must read it before it appends events.
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const storage::StoredApproval& stored);
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const Resident& resident, std::uint64_t n);

/// The pending requests of the session, and the decisions that its agent has not used. A decision
/// with damaged texts is left out, because these texts may include arguments that a person changed.
core::Result<std::vector<api::ApprovalNotice>> approval_notices(const Reader& reader,
                                                                const Resident& resident);

/// Finds an approval by its UUID; nothing if `alias` is not a UUID or is unknown. Error: kInternal
/// if the approval is damaged; the error does not name the session.
core::Result<std::optional<storage::StoredApproval>> find_alias(storage::Store& store,
                                                                std::string_view alias);

/// Checks a request of an agent under the policy of its session. The field of the error is below
/// `pointer`.
core::Result<> check_request(const EngineSettings& settings, const core::Policy& policy,
                             const core::ApprovalRequested& asked, const std::string& pointer);

/// The request with `note`, which may be empty, in front of its summary. Pure.
core::ApprovalRequested with_note(core::ApprovalRequested asked, const std::string& note);

}  // namespace headway::server
