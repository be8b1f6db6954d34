// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/module.hpp"
#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// Facts for `headway doctor` about a database; only reads it. Without `connect`: facts of the URL
/// only. Errors: those of PostgresConnection::connect().
core::Result<PostgresFacts> probe_postgres(const PostgresConnection::Settings& settings,
                                           bool connect);

}  // namespace headway::storage
