// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "core/result.hpp"
#include "server/net.hpp"

namespace headway::server {

/// The file of a Unix socket that we listen on: only its owner may connect, and the kernel says who
/// does. Removed by remove() and the destructor, unless another has taken its place. I/O thread
/// only.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile() { remove(); }

    /// Makes the file, mode 0600, and listens. A socket that nobody listens on any more is
    /// replaced. Error: kInvalidConfig (too long a path, another daemon's, something else's, not
    /// writable).
    core::Result<> open(LocalAcceptor& acceptor, const std::filesystem::path& file);
    void remove() noexcept;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;  ///< empty: none
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

/// Whether the peer of a Unix socket is root or runs as the same user as we do.
bool is_our_user(LocalSocket& socket) noexcept;

}  // namespace headway::server
