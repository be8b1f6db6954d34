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

/// Tells which files in folders have changed, by inotify. One thread.
class StoreWatch {
public:
    /// More would be taken from other programs of the user.
    static constexpr std::size_t kFoldersMax = 4'096;

    struct Seen {
        std::set<std::string> files;  ///< that changed
        bool lost = false;            ///< there is more, or new folders: look at everything
        bool stop = false;            ///< `stop` became readable
    };

    StoreWatch();

    /// Watches these folders as well. False: not all of them can be, so that everything has to be
    /// looked at now and then.
    bool watch(const std::vector<std::filesystem::path>& folders);
    /// Waits for a change, or for `stop`, a descriptor; at most this long.
    Seen wait(std::chrono::milliseconds at_most, int stop);

private:
    void read_some(Seen& seen);

    system::FileDescriptor notify_;  ///< not open: inotify cannot be had
    std::map<int, std::string> folders_;
    std::set<std::string> watched_;
};

}  // namespace headway::cli
