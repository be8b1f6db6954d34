// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "server/net.hpp"

namespace headway::server {

/// A file descriptor that its owner alone closes. A value that only moves.
class OwnedDescriptor {
public:
    OwnedDescriptor() = default;
    explicit OwnedDescriptor(int number) noexcept : number_(number) {}
    OwnedDescriptor(OwnedDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~OwnedDescriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int get() const noexcept { return number_; }
    bool open() const noexcept { return number_ >= 0; }
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

/// What clients of the report socket send beside their bytes: a pidfd of the agent. Bounded over
/// all connections, and the kernel drops what does not fit, so that clients cannot use up our
/// descriptors. Anything else that they send is closed at once, on another thread, since closing a
/// file of theirs may take as long as they like. I/O thread only.
class PassedDescriptors {
public:
    /// The place of one connection: at most one descriptor, the last that came.
    class Place {
    public:
        explicit Place(PassedDescriptors& all) : all_(all) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { take(); }

        bool open() const noexcept { return held_.open(); }
        /// The descriptor of the agent's process, which is the caller's from now on; or none.
        OwnedDescriptor take() noexcept;

    private:
        friend class PassedDescriptors;
        PassedDescriptors& all_;
        OwnedDescriptor held_;
    };

    PassedDescriptors();

    /// How many may wait to be taken; 0 takes none.
    void allow(std::size_t count) noexcept { allowed_ = count; }
    /// Reads as recv() does, without waiting, and takes a descriptor that comes with the bytes.
    std::size_t receive(int socket, std::span<char> space, Place& place, error_code& ec);
    std::size_t waiting() const noexcept { return waiting_; }

private:
    void keep(OwnedDescriptor came, Place& place);
    void close_elsewhere(OwnedDescriptor foreign);

    std::size_t allowed_;
    std::size_t waiting_ = 0;
    std::shared_ptr<std::atomic<int>> closing_;  ///< shared with threads, which may outlive us
};

}  // namespace headway::server
