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

/// Which socket is made, and who may connect.
struct LocalSocketRule {
    std::string_view key = "server.socket";  ///< the setting with its path, for messages
    std::string group;                       ///< its members may connect too; empty: none
    std::string_view group_key;              ///< the setting with `group`
};

/// The file of a listening Unix socket. Only its owner, and a group if there is one, may connect;
/// the kernel gives the peer's user. remove() and the destructor remove the file unless another one
/// replaced it. I/O thread only.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile() { remove(); }

    /// Creates the file, mode 0600, or 0660 with a group, and listens. Replaces a stale socket.
    /// Error: kInvalidConfig (path too long, socket of a running daemon, file of another kind, not
    /// writable, no such group, or one that we may not give it to).
    core::Result<> open(LocalAcceptor& acceptor, const std::filesystem::path& file,
                        const LocalSocketRule& rule = {});
    void remove() noexcept;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;  ///< empty: none
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

/// The user of the peer of a Unix socket when it connected; none if the kernel does not say.
std::optional<std::uint32_t> user_of(LocalSocket& socket) noexcept;
/// True for root and the daemon's own user.
bool is_our_user(std::uint32_t uid) noexcept;

}  // namespace headway::server
