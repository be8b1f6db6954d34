// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

// The tables in which opencode and Kilo store sessions. The file belongs to another program and may
// be hostile. So the file and its log are opened for reading only, and nothing in its schema is
// executed.

namespace headway::cli {

/// A row of the table `session`.
struct StoredSessionRow {
    std::string id;
    std::string parent;  ///< id of the parent; empty: none
    std::string folder;
    std::string version;
};

/// A row of the table `message` or `part`.
struct StoredDataRow {
    bool part = false;
    std::string_view id;       ///< id of the message
    std::int64_t created = 0;  ///< milliseconds since 1970
    std::string_view data;     ///< JSON
};

/// Receiver of the rows: the rows of a session come between `begin` and `end`, oldest first. Views
/// are valid only during the call.
struct StoredRowsTaker {
    std::function<void(const StoredSessionRow&)> begin;
    std::function<void(const StoredDataRow&)> row;
    std::function<void()> end;
};

/// Maximum number of rows of `message` and `part` that are read; each row takes 24 bytes of memory.
inline constexpr std::size_t kStoredRowsMax = 4'000'000;

/// Reads all sessions of the file, or the one with the id `only`, in one transaction. If `stop`
/// returns true, reading ends early; the rows read so far remain valid. Error: kBadRequest; the
/// detail gives the reason why the file cannot be read, or the part of the schema that is unknown,
/// but not the file's name.
core::Result<> read_store_database(const std::string& path, const std::string& only,
                                   const StoredRowsTaker& take, const std::function<bool()>& stop);

}  // namespace headway::cli
