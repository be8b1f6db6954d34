// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "server/http/sockets/net.hpp"

namespace headway::server {

/// The setting of a socket, and the users who may connect.
struct LocalSocketRule {
    std::string_view key = "server.socket";  ///< the setting with the socket's path, for messages
    std::string group;           ///< group whose members may also connect; empty: no group
    std::string_view group_key;  ///< the setting with `group`
};

/// The file of a listening Unix socket. Only its owner, and the configured group, may connect; the
/// kernel reports the peer's user. remove() and the destructor remove the file unless another file
/// replaced it. I/O thread only.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile() { remove(); }

    /// Creates the file, mode 0600, or 0660 with a group, and listens. Replaces a stale socket.
    /// Error: kInvalidConfig (path too long, socket of a running daemon, file of another kind, not
    /// writable, no such group, or a group to which the file may not be given).
    core::Result<> open(LocalAcceptor& acceptor, const std::filesystem::path& file,
                        const LocalSocketRule& rule = {});
    void remove() noexcept;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;  ///< empty: no file
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

/// The user of a Unix socket's peer when it connected; empty if the kernel does not report it.
std::optional<std::uint32_t> user_of(LocalSocket& socket) noexcept;
/// True for root and the daemon's own user.
bool is_our_user(std::uint32_t uid) noexcept;

}  // namespace headway::server
