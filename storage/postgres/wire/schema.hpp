// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// Version of the tables (storage/postgres/FORMAT.md).
inline constexpr int kPostgresSchemaVersion = 1;

/// Creates or migrates the tables in the connection's schema. Only one daemon does this at a time,
/// while the other daemons wait. Errors: those of the connection, and kStorageTooNew.
core::Result<> migrate(PostgresConnection& connection);

}  // namespace headway::storage
