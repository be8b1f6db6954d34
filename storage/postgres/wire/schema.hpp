// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// Version of the tables (storage/postgres/FORMAT.md).
inline constexpr int kPostgresSchemaVersion = 2;

/// Creates the tables in the connection's schema, if there are none. Only one daemon at a time does
/// this; the others wait. Errors: those of the connection, and kStorageTooNew for tables of another
/// version.
core::Result<> migrate(PostgresConnection& connection);

}  // namespace headway::storage
