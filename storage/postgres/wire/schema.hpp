// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// Version of the tables (storage/postgres/FORMAT.md).
inline constexpr int kPostgresSchemaVersion = 1;

/// Creates or migrates the tables in the connection's schema, one daemon at a time, while the
/// others wait. Errors besides those of the connection: kStorageTooNew.
core::Result<> migrate(PostgresConnection& connection);

}  // namespace headway::storage
