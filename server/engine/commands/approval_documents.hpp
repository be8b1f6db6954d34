// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode/parts/encode_approvals.hpp"
#include "server/engine/transaction/reader.hpp"

// Approvals as clients see them, from the index over all sessions and from the journal.

namespace headway::server {

core::Error unknown_approval(std::string_view session, std::uint64_t n);

/// Refuses one approval, and nothing else of the turn: kInternal.
core::Error damaged_approval(storage::Store& store, std::string_view session,
                             const std::string& what);

/// Errors: kUnknownApproval without `n`; kInternal if the approval or its session is damaged. A
/// command asks for the document before it appends anything, if it has to show it.
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const storage::StoredApproval& stored);
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const Resident& resident, std::uint64_t n);

/// Pending requests of the session, and decisions that its agent has not used. Leaves out a
/// decision whose texts are damaged, since a person may have put other arguments in it.
core::Result<std::vector<api::ApprovalNotice>> approval_notices(const Reader& reader,
                                                                const Resident& resident);

/// Finds an approval by its UUID; empty if the text is no UUID or unknown. Error: kInternal if it
/// is damaged; whose it is is not said then.
core::Result<std::optional<storage::StoredApproval>> find_alias(storage::Store& store,
                                                                std::string_view alias);

/// Checks a request of an agent under the policy of its session. The field of the error is below
/// `pointer`.
core::Result<> check_request(const EngineSettings& settings, const core::Policy& policy,
                             const core::ApprovalRequested& asked, const std::string& pointer);

}  // namespace headway::server
