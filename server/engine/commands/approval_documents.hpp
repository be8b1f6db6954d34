// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode/parts/encode_approvals.hpp"
#include "server/engine/transaction/reader.hpp"

// Approvals in the form that clients get, from the index of all sessions and the journal.

namespace headway::server {

core::Error unknown_approval(std::string_view session, std::uint64_t n);

/// The error kInternal, which refuses one approval but does not affect the rest of the turn.
core::Error damaged_approval(storage::Store& store, std::string_view session,
                             const std::string& what);

/// Errors: kUnknownApproval if the session has no approval `n`; kInternal if the approval or its
/// session is damaged. A command that returns the document reads it before it appends events.
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const storage::StoredApproval& stored);
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const Resident& resident, std::uint64_t n);

/// Pending requests of the session, and decisions that its agent has not used. Leaves out a
/// decision whose texts are damaged, since a person may have changed its arguments.
core::Result<std::vector<api::ApprovalNotice>> approval_notices(const Reader& reader,
                                                                const Resident& resident);

/// Finds an approval by its UUID; empty if the text is not a UUID or is unknown. Error: kInternal
/// if the approval is damaged, without the name of its session.
core::Result<std::optional<storage::StoredApproval>> find_alias(storage::Store& store,
                                                                std::string_view alias);

/// Checks a request of an agent under the policy of its session. The error's field is below
/// `pointer`.
core::Result<> check_request(const EngineSettings& settings, const core::Policy& policy,
                             const core::ApprovalRequested& asked, const std::string& pointer);

}  // namespace headway::server
