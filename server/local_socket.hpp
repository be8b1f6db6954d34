// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "core/result.hpp"
#include "server/net.hpp"

namespace headway::server {

/// The file of the listening Unix socket. Only its owner may connect; the kernel gives the peer's
/// user. remove() and the destructor remove the file unless another one replaced it. I/O thread
/// only.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile() { remove(); }

    /// Creates the file, mode 0600, and listens. Replaces a stale socket. Error: kInvalidConfig
    /// (path too long, socket of a running daemon, file of another kind, not writable).
    core::Result<> open(LocalAcceptor& acceptor, const std::filesystem::path& file);
    void remove() noexcept;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;  ///< empty: none
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

/// True if the peer of a Unix socket is root or the daemon's own user.
bool is_our_user(LocalSocket& socket) noexcept;

}  // namespace headway::server
