// SPDX-License-Identifier: Apache-2.0
#include "server/local_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/limits.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error failed(const std::filesystem::path& file, const std::string& why) {
    return {ErrorCode::kInvalidConfig,
            "cannot listen on the Unix socket " + file.string() + ": " + why, "server.socket"};
}

/// Removes the socket of a killed daemon.
Result<> remove_stale(net::io_context& io, const std::filesystem::path& file) {
    struct stat about {};
    if (::lstat(file.c_str(), &about) != 0) return {};
    if (!S_ISSOCK(about.st_mode)) {
        return failed(file, "there is a file of another kind; choose another path");
    }
    LocalSocket probe{io};
    error_code ec;
    probe.connect(net::local::stream_protocol::endpoint{file.string()}, ec);
    if (!ec) return failed(file, "another daemon listens there; stop it or choose another path");
    if (ec != net::error::connection_refused) return failed(file, ec.message());
    if (::unlink(file.c_str()) == 0) return {};
    return failed(file, std::generic_category().message(errno));
}

}  // namespace

Result<> LocalSocketFile::open(LocalAcceptor& acceptor, const std::filesystem::path& file) {
    const std::string name = file.string();
    if (name.size() > core::limits::kSocketPathBytesMax) {
        return failed(file, "the path has " + std::to_string(name.size()) +
                                " bytes and the kernel takes " +
                                std::to_string(core::limits::kSocketPathBytesMax) +
                                "; set server.socket to a shorter one, or to \"\" for none");
    }
    auto& io = static_cast<net::io_context&>(acceptor.get_executor().context());
    HEADWAY_CHECK(remove_stale(io, file));
    error_code ec;
    acceptor.open({}, ec);
    const mode_t before = ::umask(0177);  // other users can never connect
    if (!ec) acceptor.bind(net::local::stream_protocol::endpoint{name}, ec);
    ::umask(before);
    struct stat about {};
    if (!ec && ::stat(name.c_str(), &about) == 0) {
        path_ = std::filesystem::absolute(file);
        device_ = about.st_dev;
        inode_ = about.st_ino;
    }
    if (!ec) acceptor.listen(1024, ec);
    if (!ec) acceptor.non_blocking(true, ec);
    if (!ec) return {};
    error_code ignored;
    acceptor.close(ignored);
    remove();
    return failed(file, ec.message());
}

void LocalSocketFile::remove() noexcept {
    struct stat about {};
    const bool ours = !path_.empty() && ::lstat(path_.c_str(), &about) == 0 &&
                      about.st_dev == device_ && about.st_ino == inode_;
    if (ours) ::unlink(path_.c_str());
    path_.clear();
}

bool is_our_user(LocalSocket& socket) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return false;
    }
    return peer.uid == 0 || peer.uid == ::geteuid();
}

}  // namespace headway::server
