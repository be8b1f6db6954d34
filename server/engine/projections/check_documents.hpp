// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/encode/encode_checks.hpp"
#include "server/engine/residents/sessions.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// A name for a check; the name is unique over all sessions. The ids of checks and sessions contain
/// no `?`.
inline std::string check_name(const std::string& session, const std::string& check_id) {
    return check_id + "?" + session;
}

/// The document of a stored check, whose question and answer are read from the journal. Error:
/// kInternal for a damaged check; the error does not fail the rest of the turn.
core::Result<api::CheckDocument> check_document(storage::Store& store,
                                                const storage::StoredCheck& stored);

}  // namespace headway::server
