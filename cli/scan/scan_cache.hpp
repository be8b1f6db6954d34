// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/scan/scan_file.hpp"
#include "cli/scan/scanned_session.hpp"

// What was scanned before, so that only what has changed is read again.

namespace headway::cli {

/// What a file was when it was read. A store in SQLite has its newest rows in a log beside it.
struct StoreState {
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970
    std::uint64_t inode = 0;
    std::uint64_t log_bytes = 0;
    std::int64_t log_changed = 0;
    bool operator==(const StoreState&) const = default;
};

/// As it is now.
StoreState state_of(const StoreFile& file);

/// Sessions by the file that held them, without timelines and without any words of people. One
/// thread; find() any.
class ScanCache {
public:
    /// The sessions of the file if it is as it was; null: it has to be read.
    const std::vector<ScannedSession>* find(const std::string& path, const StoreState& state) const;
    void keep(const std::string& path, const StoreState& state,
              const std::vector<ScannedSession>& sessions);
    /// Forgets files that are not among these.
    void keep_only(const std::vector<StoreFile>& files);

    /// Of text that write() made for a program with the same `build`; empty for any other. Pure.
    static ScanCache read(std::string_view text, std::string_view build);
    std::string write(std::string_view build) const;

private:
    struct Entry {
        StoreState state;
        std::vector<ScannedSession> sessions;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

/// What tells this program from one with other rules.
std::string scan_build();

/// $XDG_CACHE_HOME/headway/scan, or the same below ~/.cache; empty: there is no such folder.
std::string scan_cache_path(const std::map<std::string, std::string>& environment);

/// Empty if there is none, or it is not a file of this user.
ScanCache load_scan_cache(const std::string& path);

/// Whether it was stored, whole and for this user alone. Without it the next scan reads all again.
bool store_scan_cache(const std::string& path, const ScanCache& cache);

}  // namespace headway::cli
