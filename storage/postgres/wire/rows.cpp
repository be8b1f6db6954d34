// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>

#include <cstdlib>

#include "storage/postgres/wire/connection.hpp"

// Rows of an answered statement, in PostgreSQL's binary format.

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
    const std::string_view value = bytes(row, column);
    if (value.size() > 8) return 0;  // no bigint, integer, smallint or boolean
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

/// A server may answer with fewer columns, or other ones, than the statement has: what is not there
/// reads as NULL, and so does NULL itself.
std::string_view PostgresRows::bytes(int row, int column) const {
    if (is_null(row, column)) return "";
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

bool PostgresRows::is_null(int row, int column) const {
    const bool there = row >= 0 && row < size() && column >= 0 && column < columns();
    return !there || PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view PostgresRows::column_name(int column) const {
    const char* name = PQfname(result_.get(), column);
    return name == nullptr ? std::string_view{} : name;
}

std::int64_t PostgresRows::changes() const {
    return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

}  // namespace headway::storage
