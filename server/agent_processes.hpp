// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "server/engine/reply_to.hpp"
#include "server/named_process.hpp"
#include "server/net.hpp"
#include "server/passed_descriptors.hpp"

namespace headway::server {

/// The processes of agents, by session: pidfds that headway-hook has sent, or of processes that a
/// client has named. The kernel says when one
/// ends, across users and PID namespaces, and its number is never another process. In memory only:
/// after a start nothing is known of a process until its next hook. I/O thread only.
class AgentProcesses {
public:
    /// The process of this session has ended.
    using Gone = std::function<void(const std::string& session)>;

    AgentProcesses(net::io_context& io, Gone gone)
        : io_(io), gone_(std::move(gone)), place_(own_place()) {}

    /// Where the numbers of a client count.
    const ProcessPlace& place() const noexcept { return place_; }

    /// How many are followed; further ones are not known to be alive.
    void allow(std::size_t count) noexcept { allowed_ = count; }
    /// A hook has come with this process. False if it cannot be followed.
    bool offer(const ReplyTo& to, OwnedDescriptor process);
    /// The hook of `to` was of this session, whose process it is from now on.
    void bind(const ReplyTo& to, const std::string& session);
    /// The hook of `to` was refused, or its client is gone.
    void drop(const ReplyTo& to) { offered_.erase(to.connection); }
    bool follows(const std::string& session) const { return followed_.contains(session); }
    void forget(const std::string& session) { followed_.erase(session); }
    std::size_t size() const noexcept { return followed_.size(); }
    void stop() {
        followed_.clear();
        offered_.clear();
    }

private:
    using Descriptor = net::posix::basic_stream_descriptor<net::io_context::executor_type>;
    void follow(const std::string& session, Descriptor& process);

    net::io_context& io_;
    Gone gone_;
    ProcessPlace place_;
    std::size_t allowed_ = 0;
    /// By connection: one each, as PassedDescriptors takes them.
    std::unordered_map<std::uint64_t, OwnedDescriptor> offered_;
    std::unordered_map<std::string, std::unique_ptr<Descriptor>> followed_;
};

}  // namespace headway::server
