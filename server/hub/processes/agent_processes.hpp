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

/// Follows agents' processes and their sessions, by pidfds that headway-hook has sent or of
/// processes that a client has named. The kernel reports the end of a process, across users and PID
/// namespaces, and a pidfd never refers to another process. All sessions of a process share one
/// place, so that no agent uses up the others' places. In memory only: after a start a process is
/// unknown until its next hook. I/O thread only.
class AgentProcesses {
public:
    /// Called when the process of this session has ended.
    using Gone = std::function<void(const std::string& session)>;

    AgentProcesses(net::io_context& io, Gone gone)
        : io_(io), gone_(std::move(gone)), place_(own_place()) {}

    /// The place in which clients' process numbers are valid.
    const ProcessPlace& place() const noexcept { return place_; }

    /// Sets how many processes are followed; it is unknown whether further ones are alive.
    void allow(std::size_t count) noexcept { allowed_ = count; }
    /// Takes the process that arrived with a hook. False if the process cannot be followed.
    bool offer(const ReplyTo& to, system::FileDescriptor process);
    /// Assigns the process of the hook of `to` to this session.
    void bind(const ReplyTo& to, const std::string& session);
    /// Drops the process of the hook of `to`, which was refused or whose client is gone.
    void drop(const ReplyTo& to);
    bool follows(const std::string& session) const { return keys_.contains(session); }
    /// The PID, in the daemon's namespace, of the process that arrived with the hook of `to` or
    /// belongs to the session; 0 if it is in another namespace or unknown.
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
    std::uint64_t unknown_ = 0;  ///< number of processes that cannot be identified
    /// Keys of offered processes by connection, one each, as in PassedDescriptors.
    std::unordered_map<std::uint64_t, std::string> offered_;
    std::unordered_map<std::string, std::unique_ptr<Process>> followed_;  ///< by key
    std::unordered_map<std::string, std::string> keys_;                   ///< by session
};

}  // namespace headway::server
