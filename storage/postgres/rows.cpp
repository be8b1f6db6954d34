// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>

#include <cstdlib>

#include "core/assert.hpp"
#include "storage/postgres/connection.hpp"

// What a statement has answered, in PostgreSQL's binary format.

namespace headway::storage {

void PostgresRows::Clear::operator()(pg_result* result) const {
    PQclear(result);
}
int PostgresRows::size() const {
    return PQntuples(result_.get());
}
int PostgresRows::columns() const {
    return PQnfields(result_.get());
}

std::int64_t PostgresRows::integer(int row, int column) const {
    HEADWAY_ASSERT(row >= 0 && row < size() && column >= 0 && column < columns());
    if (is_null(row, column)) return 0;
    const std::string_view value = bytes(row, column);
    HEADWAY_ASSERT(value.size() <= 8);  // bigint, integer, smallint or boolean
    std::uint64_t number =
        value.size() > 1 && (static_cast<unsigned char>(value[0]) & 0x80U) != 0 ? UINT64_MAX : 0;
    for (const char c : value)
        number = number << 8U | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(number);
}

std::uint64_t PostgresRows::count(int row, int column) const {
    const std::int64_t number = integer(row, column);
    return number < 0 ? 0 : static_cast<std::uint64_t>(number);
}

std::string_view PostgresRows::bytes(int row, int column) const {
    HEADWAY_ASSERT(row >= 0 && row < size() && column >= 0 && column < columns());
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

bool PostgresRows::is_null(int row, int column) const {
    return PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view PostgresRows::column_name(int column) const {
    const char* name = PQfname(result_.get(), column);
    return name == nullptr ? std::string_view{} : name;
}

std::int64_t PostgresRows::changes() const {
    return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

}  // namespace headway::storage
