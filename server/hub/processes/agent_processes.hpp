// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "server/http/message/reply_to.hpp"
#include "server/http/sockets/net.hpp"
#include "server/http/sockets/passed_descriptors.hpp"
#include "server/hub/processes/named_process.hpp"

namespace headway::server {

/// The processes of agents and their sessions: pidfds that headway-hook has sent, or of processes
/// that a client has named. The kernel says when one ends, across users and PID namespaces, and its
/// number is never another process. All sessions of a process share one place, so that no agent
/// takes those of the others. In memory only: after a start nothing is known of a process until its
/// next hook. I/O thread only.
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
    bool offer(const ReplyTo& to, system::FileDescriptor process);
    /// The hook of `to` was of this session, whose process it is from now on.
    void bind(const ReplyTo& to, const std::string& session);
    /// The hook of `to` was refused, or its client is gone.
    void drop(const ReplyTo& to);
    bool follows(const std::string& session) const { return keys_.contains(session); }
    /// The number here of the process that came with the hook of `to`, or that the session has; 0
    /// if it is not of our PID namespace.
    int number(const ReplyTo& to, const std::string& session) const;
    void forget(const std::string& session);
    /// Of processes.
    std::size_t size() const noexcept { return followed_.size(); }
    void stop() {
        followed_.clear();
        keys_.clear();
        offered_.clear();
    }

private:
    using Descriptor = net::posix::basic_stream_descriptor<net::io_context::executor_type>;
    struct Process {
        Descriptor descriptor;
        std::set<std::string> sessions;
        std::size_t offers = 0;  ///< hooks that came with it and have no session so far
        int number = 0;
    };

    void follow(const std::string& key, Descriptor& process);
    void ended(const std::string& key);
    void leave(const std::string& key);
    std::string key_of(const system::FileDescriptor& process);

    net::io_context& io_;
    Gone gone_;
    ProcessPlace place_;
    std::size_t allowed_ = 0;
    std::uint64_t unknown_ = 0;  ///< processes that nothing tells from others
    /// Keys of processes by connection: one each, as PassedDescriptors takes them.
    std::unordered_map<std::uint64_t, std::string> offered_;
    std::unordered_map<std::string, std::unique_ptr<Process>> followed_;  ///< by key
    std::unordered_map<std::string, std::string> keys_;                   ///< by session
};

}  // namespace headway::server
