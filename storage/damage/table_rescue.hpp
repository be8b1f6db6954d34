// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/sql/sqlite_handle.hpp"

namespace headway::storage {

/// Copies the readable rows of all tables but the journal from a damaged database to a new one,
/// which has its sessions by now: rows of others stay behind. The index over sessions is rebuilt
/// later. Errors cost rows only.
void rescue_tables(Database& from, Database& to);

}  // namespace headway::storage
