// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "server/http/sockets/net.hpp"
#include "system/file_descriptor.hpp"

namespace headway::server {

/// Descriptors that clients of the report socket send with their bytes: pidfds of agents. Their
/// total number over all connections is bounded, and the kernel drops any further ones, so that
/// clients cannot use up the daemon's descriptors. A descriptor of any other kind is closed at
/// once, but on another thread, because a client can delay the closing of its file at will. I/O
/// thread only.
class PassedDescriptors {
public:
    /// The place of one connection: at most one descriptor, the last received.
    class Place {
    public:
        explicit Place(PassedDescriptors& all) : all_(all) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { take(); }

        bool open() const noexcept { return held_.open(); }
        /// The descriptor of the agent's process, which now belongs to the caller; or an invalid
        /// one.
        system::FileDescriptor take() noexcept;

    private:
        friend class PassedDescriptors;
        PassedDescriptors& all_;
        system::FileDescriptor held_;
    };

    PassedDescriptors();

    /// Sets how many descriptors may wait to be taken; 0 accepts none.
    void allow(std::size_t count) noexcept { allowed_ = count; }
    /// Like recv(), without waiting; keeps a descriptor that arrives with the bytes.
    std::size_t receive(int socket, std::span<char> space, Place& place, error_code& ec);
    std::size_t waiting() const noexcept { return waiting_; }

private:
    void keep(system::FileDescriptor came, Place& place);
    void close_elsewhere(system::FileDescriptor foreign);

    std::size_t allowed_;
    std::size_t waiting_ = 0;
    std::shared_ptr<std::atomic<int>> closing_;  ///< shared with threads that may outlive this
                                                 ///< object
};

}  // namespace headway::server
