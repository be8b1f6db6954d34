// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/postgres/module.hpp"
#include "storage/postgres/wire/connection.hpp"

namespace headway::storage {

/// Collects the facts about a database for `headway doctor`, and changes nothing. If `connect` is
/// false, collects only the facts that the URL gives. Errors: those of
/// PostgresConnection::connect().
core::Result<PostgresFacts> probe_postgres(const PostgresConnection::Settings& settings,
                                           bool connect);

}  // namespace headway::storage
