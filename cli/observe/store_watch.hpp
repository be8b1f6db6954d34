// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "system/file_descriptor.hpp"

namespace headway::cli {

/// Finds out which files in some folders have changed, with inotify. One thread.
class StoreWatch {
public:
    /// Maximum number of folders. More would use up the watches of the user's other programs.
    static constexpr std::size_t kFoldersMax = 4'096;

    struct Seen {
        std::set<std::string> files;  ///< files that changed
        bool lost = false;            ///< further files changed, or there are new folders: all
                                      ///< files must be looked at
        bool stop = false;            ///< `stop` became readable
    };

    StoreWatch();

    /// Watches these folders as well. False if some of them cannot be watched, so that all files
    /// must be looked at from time to time.
    bool watch(const std::vector<std::filesystem::path>& folders);
    /// Waits at most this long for a change, or until the descriptor `stop` becomes readable.
    Seen wait(std::chrono::milliseconds at_most, int stop);

private:
    void read_some(Seen& seen);

    system::FileDescriptor notify_;  ///< not open: inotify is unavailable
    std::map<int, std::string> folders_;
    std::set<std::string> watched_;
};

}  // namespace headway::cli
