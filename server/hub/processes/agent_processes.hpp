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

/// Follows the processes of agents by their pidfds, and knows the sessions of each process. A pidfd
/// was sent by headway-hook, or opened for a process that a client named. The kernel reports the
/// end of the process, even if it has another user or PID namespace, and a pidfd never refers to a
/// later process with the same PID. All sessions of a process share one place, so that no agent can
/// use up the places of others. Kept in memory only: after a restart, a process is unknown until
/// its next hook. I/O thread only.
class AgentProcesses {
public:
    /// Called when the process of this session has ended.
    using Gone = std::function<void(const std::string& session)>;

    AgentProcesses(net::io_context& io, Gone gone)
        : io_(io), gone_(std::move(gone)), place_(own_place()) {}

    /// The boot and PID namespace in which the PIDs sent by clients must be valid.
    const ProcessPlace& place() const noexcept { return place_; }

    /// Sets how many processes can be followed. For further processes, the daemon does not know
    /// whether they are alive.
    void allow(std::size_t count) noexcept { allowed_ = count; }
    /// Takes the process that came with a hook. False if it cannot be followed.
    bool offer(const ReplyTo& to, system::FileDescriptor process);
    /// Assigns the process that came with the hook of `to` to this session.
    void bind(const ReplyTo& to, const std::string& session);
    /// Drops the process that came with the hook of `to`, because the hook was refused or its
    /// client is gone.
    void drop(const ReplyTo& to);
    bool follows(const std::string& session) const { return keys_.contains(session); }
    /// The PID, in the daemon's namespace, of the process that came with the hook of `to` or
    /// belongs to the session; 0 if the process is unknown or has no PID there.
    int number(const ReplyTo& to, const std::string& session) const;
    void forget(const std::string& session);
    /// Number of followed processes.
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
        std::size_t offers = 0;  ///< hooks with this process that have no session yet
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
    std::uint64_t unknown_ = 0;  ///< number of processes so far that could not be identified
    /// For each connection, the key of the process offered on it. A connection has at most one such
    /// process, as in PassedDescriptors.
    std::unordered_map<std::uint64_t, std::string> offered_;
    std::unordered_map<std::string, std::unique_ptr<Process>> followed_;  ///< by key
    std::unordered_map<std::string, std::string> keys_;                   ///< by session
};

}  // namespace headway::server
