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

// Data that a copy of a store to another database takes from a SQLite one (docs/scale.md).

namespace headway::storage {

/// Copies the rows of the tables beside the journal into empty ones with the same columns, in
/// transactions of the caller: `step` is called after every thousand rows. Leaves out those of
/// sessions that are being deleted, and what only this kind of store has in `meta`.
core::Result<> copy_tables(Sql& from, Sql& to, const std::function<core::Result<>()>& step);

/// The names of the tables that copy_tables() fills.
std::vector<std::string_view> copied_tables();

struct NamedSession {
    SessionKey key = 0;
    std::string name;
    core::Timestamp opened_at = core::kNever;
};

/// Every session that is not being deleted, by key.
core::Result<std::vector<NamedSession>> named_sessions(Sql& from);

}  // namespace headway::storage
