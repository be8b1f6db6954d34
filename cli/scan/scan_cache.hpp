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

// Results of earlier scans, so that only changed files are read again.

namespace headway::cli {

/// The state of a file when it was read. For an SQLite store the state includes that of the log
/// next to the file, since the newest rows are in the log.
struct StoreState {
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970
    std::uint64_t inode = 0;
    std::uint64_t log_bytes = 0;
    std::int64_t log_changed = 0;
    bool operator==(const StoreState&) const = default;
};

/// The file's state now.
StoreState state_of(const StoreFile& file);

/// Sessions by file, without timelines and without any text from people. One thread, except find(),
/// which any thread may call.
class ScanCache {
public:
    /// The sessions of the file if its state is unchanged; null: the file must be read.
    const std::vector<ScannedSession>* find(const std::string& path, const StoreState& state) const;
    void keep(const std::string& path, const StoreState& state,
              const std::vector<ScannedSession>& sessions);
    /// Forgets all files except `files`.
    void keep_only(const std::vector<StoreFile>& files);

    /// Reads a cache from text that write() made for the same `build`; from any other text, an
    /// empty cache. Pure.
    static ScanCache read(std::string_view text, std::string_view build);
    std::string write(std::string_view build) const;

private:
    struct Entry {
        StoreState state;
        std::vector<ScannedSession> sessions;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

/// Identity of this program: another program may have other rules.
std::string scan_build();

/// $XDG_CACHE_HOME/headway/scan, or ~/.cache/headway/scan; empty: no such folder.
std::string scan_cache_path(const std::map<std::string, std::string>& environment);

/// The cache in a file; empty if the file is absent or not this user's.
ScanCache load_scan_cache(const std::string& path);

/// Stores the cache, whole, and readable for this user only. If this fails, it returns false, and
/// the next scan reads all files again.
bool store_scan_cache(const std::string& path, const ScanCache& cache);

}  // namespace headway::cli
