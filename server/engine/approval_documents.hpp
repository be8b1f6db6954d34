// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode_approvals.hpp"
#include "server/engine/reader.hpp"

// Approvals as clients see them, from the index over all sessions and from the journal.

namespace headway::server {

core::Error unknown_approval(std::string_view session, std::uint64_t n);

/// Errors: kUnknownApproval without `n`; kInternal if the session is damaged.
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const storage::StoredApproval& stored);
core::Result<api::ApprovalDocument> approval_document(const Reader& reader,
                                                      const Resident& resident, std::uint64_t n);

/// Pending requests of the session, and decisions that its agent has not used.
core::Result<std::vector<api::ApprovalNotice>> approval_notices(const Reader& reader,
                                                                const Resident& resident);

/// Finds an approval by its UUID; empty if the text is no UUID or unknown.
core::Result<std::optional<storage::StoredApproval>> find_alias(storage::Store& store,
                                                                std::string_view alias);

/// Checks a request of an agent; `resident` is null for a session that is not open yet. The field
/// of the error is below `pointer`.
core::Result<> check_request(const EngineSettings& settings, const Resident* resident,
                             const core::ApprovalRequested& asked, const std::string& pointer);

}  // namespace headway::server
