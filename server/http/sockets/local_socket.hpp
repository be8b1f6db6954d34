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
    std::string_view group_key;  ///< the setting that gives `group`, for messages
};

/// The file of a listening Unix socket. Only its owner and the members of the configured group may
/// connect; the kernel reports the user of a peer. remove() and the destructor remove the file,
/// unless another file has replaced it. I/O thread only.
class LocalSocketFile {
public:
    LocalSocketFile() = default;
    LocalSocketFile(const LocalSocketFile&) = delete;
    LocalSocketFile& operator=(const LocalSocketFile&) = delete;
    ~LocalSocketFile() { remove(); }

    /// Creates the file with mode 0600, or 0660 if there is a group, and listens. A stale socket is
    /// replaced. Error: kInvalidConfig (the path is too long, is the socket of a running daemon or
    /// a file of another kind, or is not writable; the group does not exist, or the daemon may not
    /// give the file to the group).
    core::Result<> open(LocalAcceptor& acceptor, const std::filesystem::path& file,
                        const LocalSocketRule& rule = {});
    void remove() noexcept;
    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;  ///< path of the socket's file; empty: no file
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

/// True if there is a group of this name or number.
bool is_group(const std::string& group);

/// The id of the user that a Unix socket's peer had when it connected; nothing if the kernel does
/// not report the user.
std::optional<std::uint32_t> user_of(LocalSocket& socket) noexcept;
/// True for root and the daemon's own user.
bool is_our_user(std::uint32_t uid) noexcept;

}  // namespace headway::server
