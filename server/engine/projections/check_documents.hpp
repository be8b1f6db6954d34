// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/encode/encode_checks.hpp"
#include "server/engine/residents/sessions.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The name of a check among those of all sessions; ids of checks and sessions have no `?`.
inline std::string check_name(const std::string& session, const std::string& check_id) {
    return check_id + "?" + session;
}

/// The document of a stored check: what was asked and answered is in the journal. Error:
/// kInternal for a damaged one, which fails nothing else of a turn.
core::Result<api::CheckDocument> check_document(storage::Store& store,
                                                const storage::StoredCheck& stored);

}  // namespace headway::server
