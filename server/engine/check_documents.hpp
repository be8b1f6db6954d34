// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/encode_checks.hpp"
#include "storage/store.hpp"

namespace headway::server {

/// The document of a stored check: what was asked and answered is in the journal.
core::Result<api::CheckDocument> check_document(storage::Store& store,
                                                const storage::StoredCheck& stored);

}  // namespace headway::server
