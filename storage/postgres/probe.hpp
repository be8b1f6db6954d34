// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/module.hpp"
#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// The facts about a database for `headway doctor`, which are only read. If `connect` is false,
/// only those that the URL gives. Errors: those of PostgresConnection::connect().
core::Result<PostgresFacts> probe_postgres(const PostgresConnection::Settings& settings,
                                           bool connect);

}  // namespace headway::storage
