// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/sql/sqlite_handle.hpp"
#include "storage/store/store.hpp"

namespace headway::storage {

/// The position of a journal row, and the numbers of its events.
struct RowAt {
    Cursor cursor = 0;
    std::uint64_t n = 0;
    std::uint64_t count = 0;

    Cursor cursor_of(std::uint64_t event) const { return cursor + static_cast<Cursor>(event - n); }
};

/// Verifies a journal row; its columns are cursor, session, n, prev, events, crc. Error:
/// kStorageCorrupt.
core::Result<> check_row(const Statement& row);

using FoundRows = std::map<SessionKey, std::vector<RowAt>>;

/// Reads the journal of a damaged database. It skips unreadable places: probes find the next
/// readable row.
class JournalScan {
public:
    explicit JournalScan(Database& database) : database_(database) {}

    /// Adds every row that can be decoded.
    void run(FoundRows& rows);

    std::uint64_t unread_rows() const { return unread_rows_; }  ///< rows found, but not decodable
    std::uint64_t unread_places() const {
        return unread_places_;
    }  ///< unreadable places in the file

private:
    bool read_from(Cursor& after, FoundRows& rows);
    bool readable(Cursor from);
    std::optional<Cursor> next_readable(Cursor after);

    Database& database_;
    std::uint64_t unread_rows_ = 0;
    std::uint64_t unread_places_ = 0;
};

}  // namespace headway::storage
