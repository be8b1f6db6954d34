// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/passed_descriptors.hpp"

#include <sys/uio.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

constexpr int kClosingMax = 4;

/// waitid() takes a pidfd only; a process that is no child of ours is ECHILD.
bool is_process(int descriptor) {
    siginfo_t about{};
    const auto id = static_cast<id_t>(descriptor);
    const int flags = WEXITED | WNOHANG | WNOWAIT;
    return ::waitid(static_cast<idtype_t>(P_PIDFD), id, &about, flags) == 0 || errno == ECHILD;
}

/// The descriptor in a message; of one only, since there is room for no more.
system::FileDescriptor passed_in(msghdr& message) {
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len < CMSG_LEN(sizeof(int))) {
        return {};
    }
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    return system::FileDescriptor{number};
}

}  // namespace

system::FileDescriptor PassedDescriptors::Place::take() noexcept {
    if (held_.open()) --all_.waiting_;
    return std::exchange(held_, system::FileDescriptor{});
}

PassedDescriptors::PassedDescriptors()
    : allowed_(core::limits::kPassedDescriptorsMax),
      closing_(std::make_shared<std::atomic<int>>(0)) {}

std::size_t PassedDescriptors::receive(int socket, std::span<char> space, Place& place,
                                       error_code& ec) {
    iovec piece{space.data(), space.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    if ((place.open() || waiting_ < allowed_) && *closing_ < kClosingMax) {
        message.msg_control = control;
        message.msg_controllen = CMSG_LEN(sizeof(int));  // CMSG_SPACE has room for two
    }
    const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0) {
        ec.assign(errno == EINTR ? EAGAIN : errno, boost::system::system_category());
        return 0;
    }
    if (system::FileDescriptor came = passed_in(message); came.open()) keep(std::move(came), place);
    if (count == 0) ec = net::error::eof;
    return static_cast<std::size_t>(count);
}

void PassedDescriptors::keep(system::FileDescriptor came, Place& place) {
    if (!is_process(came.get())) {
        close_elsewhere(std::move(came));
        return;
    }
    place.take();
    place.held_ = std::move(came);
    ++waiting_;
}

/// Closing a file may ask the program behind its file system, which may be the client itself.
void PassedDescriptors::close_elsewhere(system::FileDescriptor foreign) {
    const int number = foreign.get();
    ++*closing_;
    try {
        std::thread{[closing = closing_, number] {
            ::close(number);
            --*closing;
        }}.detach();
        foreign.release();
    } catch (const std::system_error&) {  // no thread to be had
        --*closing_;
    }
}

}  // namespace headway::server
