// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/local_socket.hpp"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error failed(const std::filesystem::path& file, const std::string& why, std::string_view key) {
    return {ErrorCode::kInvalidConfig,
            "cannot listen on the Unix socket " + file.string() + ": " + why, std::string{key}};
}

/// Removes the socket of a killed daemon.
Result<> remove_stale(net::io_context& io, const std::filesystem::path& file,
                      std::string_view key) {
    struct stat about {};
    if (::lstat(file.c_str(), &about) != 0) return {};
    if (!S_ISSOCK(about.st_mode)) {
        return failed(file, "there is a file of another kind; choose another path", key);
    }
    LocalSocket probe{io};
    error_code ec;
    probe.open({}, ec);
    if (!ec) probe.native_non_blocking(true, ec);
    if (ec) return failed(file, ec.message(), key);
    // By itself: Asio would wait for room in the backlog of a daemon that hangs, which is EAGAIN.
    const net::local::stream_protocol::endpoint there{file.string()};
    const auto size = static_cast<socklen_t>(there.size());
    const int why = ::connect(probe.native_handle(), there.data(), size) == 0 ? 0 : errno;
    if (why == 0 || why == EAGAIN)
        return failed(file, "another daemon listens there; stop it or choose another path", key);
    if (why != ECONNREFUSED) return failed(file, std::generic_category().message(why), key);
    if (::unlink(file.c_str()) == 0) return {};
    return failed(file, std::generic_category().message(errno), key);
}

/// A name or a number.
std::optional<gid_t> find_group(const std::string& group) {
    if (const ::group* const entry = ::getgrnam(group.c_str())) return entry->gr_gid;
    gid_t number = 0;
    const char* const end = group.data() + group.size();
    const auto read = std::from_chars(group.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    if (number == static_cast<gid_t>(-1)) return std::nullopt;  // chown(2) would change nothing
    return number;
}

/// Lets the members of the group connect. The file has mode 0600 until it is theirs.
Result<> give_to(const std::filesystem::path& file, const LocalSocketRule& rule) {
    if (rule.group.empty()) return {};
    const auto group = find_group(rule.group);
    if (!group) {
        return failed(file, "there is no group \"" + rule.group + "\"", rule.group_key);
    }
    struct stat about {};
    // Not where it is theirs already: the filter of headway.service does not allow the call.
    const bool theirs = ::stat(file.c_str(), &about) == 0 && about.st_gid == *group;
    if ((theirs || ::chown(file.c_str(), static_cast<uid_t>(-1), *group) == 0) &&
        ::chmod(file.c_str(), 0660) == 0) {
        return {};
    }
    return failed(file,
                  "it cannot be given to the group \"" + rule.group +
                      "\": " + std::generic_category().message(errno) +
                      "; the daemon's user must be a member of it",
                  rule.group_key);
}

}  // namespace

bool is_group(const std::string& group) {
    return find_group(group).has_value();
}

Result<> LocalSocketFile::open(LocalAcceptor& acceptor, const std::filesystem::path& file,
                               const LocalSocketRule& rule) {
    const std::string name = file.string();
    if (name.size() > core::limits::kSocketPathBytesMax) {
        return failed(file,
                      "the path has " + std::to_string(name.size()) +
                          " bytes and the kernel takes " +
                          std::to_string(core::limits::kSocketPathBytesMax) + "; set " +
                          std::string{rule.key} + " to a shorter one, or to \"\" for none",
                      rule.key);
    }
    auto& io = static_cast<net::io_context&>(acceptor.get_executor().context());
    HEADWAY_CHECK(remove_stale(io, file, rule.key));
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
    Result<> given;
    if (!ec) given = give_to(file, rule);
    if (!ec && given) acceptor.listen(1024, ec);
    if (!ec) acceptor.non_blocking(true, ec);
    if (!ec && given) return {};
    error_code ignored;
    acceptor.close(ignored);
    remove();
    return given ? failed(file, ec.message(), rule.key) : given;
}

void LocalSocketFile::remove() noexcept {
    struct stat about {};
    const bool ours = !path_.empty() && ::lstat(path_.c_str(), &about) == 0 &&
                      about.st_dev == device_ && about.st_ino == inode_;
    if (ours) ::unlink(path_.c_str());
    path_.clear();
}

std::optional<std::uint32_t> user_of(LocalSocket& socket) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return std::nullopt;
    }
    return peer.uid;
}

bool is_our_user(std::uint32_t uid) noexcept {
    return uid == 0 || uid == ::geteuid();
}

}  // namespace headway::server
