// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/acp/acp_observer.hpp"
#include "cli/client/credentials.hpp"
#include "cli/run/reporter.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {

class Daemon;

/// Headway's sessions for the agent sessions of one connection (Agent Client Protocol). Each
/// session has a reporter, and each pending permission has a request that the daemon may hold. Only
/// the destructor waits for the daemon, at most `linger`. Owner's thread only, except for the
/// threads that it starts.
class AcpSessions {
public:
    struct Setup {
        std::string url;
        Credential credential;
        std::vector<std::string> command;
        std::string goal;
        std::chrono::milliseconds linger{1'000};
        std::function<void(const std::string&)> warn;  ///< any thread
    };
    /// Headway's answer to a permission.
    struct Decision {
        AcpAction asked;
        bool refused = false;
    };

    explicit AcpSessions(Setup setup);
    ~AcpSessions();
    AcpSessions(const AcpSessions&) = delete;
    AcpSessions& operator=(const AcpSessions&) = delete;

    void open(const std::string& agent, const AcpAction& action);
    void report(const AcpAction& action);
    /// Asks the daemon about a call. Later, decisions() returns the answer; it is `refused` only if
    /// the daemon refuses the call.
    void ask(const AcpAction& action);
    /// Called when the question with this serial has been answered without the daemon.
    void forget(std::uint64_t serial);
    /// Called when a turn has begun or ended. A stopped session ends with its turn.
    void set_at_work(const std::string& session, bool at_work);
    /// Ends all sessions, since the agent has exited.
    void end_all(const std::string& reason);

    /// Becomes readable when decisions() has a decision.
    int decided_fd() const { return decided_.get(); }
    std::vector<Decision> decisions();
    /// Descriptors that become readable when stops() may return a session.
    std::vector<int> stop_fds() const;
    /// Sessions at work that Headway has stopped, each once per turn.
    std::vector<std::string> stops();

private:
    struct Session {
        std::string agent;
        std::string id;       // Headway's id: agent-native
        std::string native;   // `id` without the agent's name
        std::string opening;  // JSON text
        int generation = 1;
        std::shared_ptr<std::atomic<bool>> at_work = std::make_shared<std::atomic<bool>>(false);
        bool stopped = false;
        std::unique_ptr<Reporter> reporter;
    };

    /// A thread that waits for the daemon's answer.
    struct Hold {
        std::uint64_t serial = 0;
        bool done = false;  // guarded by mutex_
        std::atomic<bool> forgotten{false};
        std::jthread thread;
    };

    void start(Session& session);
    void end(Session& session, const char* outcome, const std::string& reason);
    bool is_refused(const AcpAction& action, const std::string& session, const Hold& hold);
    bool refuses(Daemon& daemon, std::string hook, const Hold& hold);
    Session* find(const std::string& id);

    const Setup setup_;
    std::map<std::string, Session> sessions_;  // sessions by the protocol's id
    std::list<std::unique_ptr<Reporter>> ending_;
    system::FileDescriptor decided_;
    std::atomic<bool> closing_{false};
    std::mutex mutex_;  // guards what follows
    std::vector<Decision> decisions_;
    std::list<Hold> holds_;  // declared last, because these threads use all of the above
};

}  // namespace headway::cli
