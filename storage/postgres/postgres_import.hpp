// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "storage/postgres/wire/connection.hpp"
#include "storage/sql/sql_tables.hpp"
#include "storage/tables/import.hpp"

namespace headway::storage {

/// The name in `meta` that marks an incomplete store. Its value is the number of the import.
inline constexpr std::string_view kImporting = "importing";

/// Part of a SELECT: 1 in an incomplete store, else 0.
inline constexpr std::string_view kIsImporting =
    "EXISTS(SELECT 1 FROM meta WHERE name='importing')::int::bigint";
/// The error of a daemon that opens an incomplete store.
core::Error importing_error();

class PostgresImport final : public Import {
public:
    PostgresImport(PostgresConnection& sql, SqlMeta& meta) : sql_(sql), meta_(meta) {}

    core::Result<> start() override;
    core::Result<> add_rows(std::span<const ImportedRow> rows) override;
    core::Result<> add_sessions(std::span<const ImportedSession> sessions) override;
    core::Result<> add_tables(Sql& from) override;
    core::Result<> finish(const ImportEnd& end) override;

private:
    core::Result<> begin();
    core::Result<> commit();
    template <class Work>
    core::Result<> transact(Work work);
    core::Result<> require_unused();

    PostgresConnection& sql_;
    SqlMeta& meta_;
    std::int64_t number_ = 0;
};

}  // namespace headway::storage
