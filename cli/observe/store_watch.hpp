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

/// Finds the files in folders that have changed, by inotify. One thread.
class StoreWatch {
public:
    /// More folders would use up the watches of the user's other programs.
    static constexpr std::size_t kFoldersMax = 4'096;

    struct Seen {
        std::set<std::string> files;  ///< files that changed
        bool lost = false;            ///< more files changed, or folders are new: look at all files
        bool stop = false;            ///< `stop` became readable
    };

    StoreWatch();

    /// Watches these folders as well. False: some cannot be watched, so that all files must be
    /// looked at now and then.
    bool watch(const std::vector<std::filesystem::path>& folders);
    /// Waits for a change, or for `stop`, a descriptor, at most this long.
    Seen wait(std::chrono::milliseconds at_most, int stop);

private:
    void read_some(Seen& seen);

    system::FileDescriptor notify_;  ///< not open: inotify is unavailable
    std::map<int, std::string> folders_;
    std::set<std::string> watched_;
};

}  // namespace headway::cli
