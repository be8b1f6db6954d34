// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/store_watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace headway::cli {
namespace {

constexpr std::uint32_t kChanges =
    IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;

}  // namespace

StoreWatch::StoreWatch() : notify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

bool StoreWatch::watch(const std::vector<std::filesystem::path>& folders) {
    bool all = notify_.open();
    for (const std::filesystem::path& folder : folders) {
        const std::string& path = folder.native();
        if (!notify_.open() || watched_.contains(path)) continue;
        const int number = watched_.size() < kFoldersMax
                               ? ::inotify_add_watch(notify_.get(), path.c_str(), kChanges)
                               : -1;
        if (number < 0) {
            all = false;
            continue;
        }
        folders_[number] = path;
        watched_.insert(path);
    }
    return all;
}

StoreWatch::Seen StoreWatch::wait(std::chrono::milliseconds at_most, int stop) {
    Seen seen;
    std::array<pollfd, 2> polls{{{stop, POLLIN, 0}, {notify_.get(), POLLIN, 0}}};
    ::poll(polls.data(), notify_.open() ? 2 : 1, static_cast<int>(at_most.count()));
    seen.stop = polls[0].revents != 0;
    if (polls[1].revents != 0) read_some(seen);
    return seen;
}

void StoreWatch::read_some(Seen& seen) {
    alignas(inotify_event) std::array<char, 16'384> buffer{};
    const ssize_t got = ::read(notify_.get(), buffer.data(), buffer.size());
    for (ssize_t at = 0; at < got;) {
        inotify_event event{};
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* const name = buffer.data() + at + sizeof event;
        at += static_cast<ssize_t>(sizeof event + event.len);
        const auto folder = folders_.find(event.wd);
        if ((event.mask & (IN_Q_OVERFLOW | IN_ISDIR)) != 0) seen.lost = true;
        if (folder == folders_.end()) continue;
        if ((event.mask & IN_IGNORED) != 0) {  // the folder is gone
            watched_.erase(folder->second);
            folders_.erase(folder);
            seen.lost = true;
        } else if (event.len > 0 && (event.mask & IN_ISDIR) == 0) {
            seen.files.insert(folder->second + "/" + name);
        }
    }
}

}  // namespace headway::cli
