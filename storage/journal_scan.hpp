// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/sqlite_handle.hpp"
#include "storage/store.hpp"

namespace headway::storage {

/// Where a journal row lies and what it holds.
struct RowAt {
    Cursor cursor = 0;
    std::uint64_t n = 0;
    std::uint64_t count = 0;

    Cursor cursor_of(std::uint64_t event) const { return cursor + static_cast<Cursor>(event - n); }
};

/// The checksum of `table` as a column of a query: NULL in an older schema, which has none.
std::string checksum_column(Database& database, const std::string& table);

/// Whether a row of the journal is what was written; its columns are cursor, session, n, prev,
/// events, crc. Error: kStorageCorrupt.
core::Result<> check_row(const Statement& row);

using FoundRows = std::map<SessionKey, std::vector<RowAt>>;

/// Reads the journal of a damaged database although places of it cannot be read: what lies behind
/// them is found by probing.
class JournalScan {
public:
    explicit JournalScan(Database& database)
        : database_(database), crc_(checksum_column(database, "journal")) {}

    /// Adds every row that can be decoded.
    void run(FoundRows& rows);

    std::uint64_t unread_rows() const { return unread_rows_; }      ///< found, not to be decoded
    std::uint64_t unread_places() const { return unread_places_; }  ///< of the file

private:
    bool read_from(Cursor& after, FoundRows& rows);
    bool readable(Cursor from);
    std::optional<Cursor> next_readable(Cursor after);

    Database& database_;
    const std::string crc_;  ///< the column, NULL where the schema has none
    std::uint64_t unread_rows_ = 0;
    std::uint64_t unread_places_ = 0;
};

}  // namespace headway::storage
