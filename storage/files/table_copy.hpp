// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "storage/base/keys.hpp"
#include "storage/sql/sql.hpp"

// Reads the data of a SQLite store, to copy it to another database (docs/scale.md).

namespace headway::storage {

/// Copies the rows of all tables except the journal into empty tables with the same columns. The
/// caller controls the transactions: `step` is called after every thousand rows. Leaves out the
/// rows of sessions that are being deleted, the order to forget such a session, and entries of
/// `meta` that only SQLite stores have.
core::Result<> copy_tables(Sql& from, Sql& to, const std::function<core::Result<>()>& step);

/// The names of the tables that copy_tables() fills.
std::vector<std::string_view> copied_tables();
/// The names of those copied tables whose column `session` has the key of a session.
std::vector<std::string_view> tables_of_sessions();

struct NamedSession {
    SessionKey key = 0;
    std::string name;
    core::Timestamp opened_at = core::kNever;
};

/// Every session that is not being deleted, sorted by key.
core::Result<std::vector<NamedSession>> named_sessions(Sql& from);

}  // namespace headway::storage
