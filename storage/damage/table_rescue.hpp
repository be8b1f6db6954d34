// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/sql/sqlite_handle.hpp"

namespace headway::storage {

/// Copies the readable rows of all tables except the journal from a damaged database to a new one.
/// The sessions must be in the new database already: rows of all other sessions are left out. The
/// session index is rebuilt later. An error loses only rows.
void rescue_tables(Database& from, Database& to);

}  // namespace headway::storage
