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

#include "cli/acp/acp_answer.hpp"
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
        std::function<void(const std::string&)> warn;     ///< any thread
        std::function<void(const std::string&)> refused;  ///< gets why a call must not run;
                                                          ///< owner's thread
    };
    /// Headway's answer to a permission.
    struct Decision {
        AcpAction asked;
        bool refused = false;
        std::string reason{};  ///< of the refusal
        bool reached = false;  ///< a daemon has received the call
    };

    explicit AcpSessions(Setup setup);
    ~AcpSessions();
    AcpSessions(const AcpSessions&) = delete;
    AcpSessions& operator=(const AcpSessions&) = delete;

    /// Makes a session known. Its first turn, report or question opens it.
    void open(const std::string& agent, const AcpAction& action);
    /// Reports an action of kind kEvent. No effect if its session is unknown.
    void report(const AcpAction& action);
    /// Asks the daemon about a call. Later, decisions() returns the answer; it is `refused` unless
    /// the daemon lets the call run, or no daemon was ever reached for it.
    void ask(const AcpAction& action);
    /// Decides about a call without the daemon; decisions() returns that like any other.
    void refuse(const AcpAction& action, const std::string& reason);
    /// Called when the question with this serial has been answered without the daemon. `end` is the
    /// data of the call's end, after which a daemon has nothing left to decide. False if the
    /// question is unknown or was answered before: the end is not reported.
    bool forget(std::uint64_t serial, Json end);
    /// Called when a person's prompt begins a turn: an ended session goes on in its next
    /// generation.
    void begin_turn(const std::string& session);
    /// Called when a turn has ended. A session that is stopped for good ends with it. `wrong`: why
    /// the turn was no success; empty if it was.
    void end_turn(const std::string& session, const std::string& wrong);
    /// Called when the session is not followed any more, because others need its place.
    void leave(const std::string& session);
    /// Called often. If `works` is false for a session, its work outside of a turn is over.
    void note_rest(const std::function<bool(const std::string&)>& works);
    /// Ends all sessions, since the agent has exited.
    void end_all(const std::string& reason);

    /// Becomes readable when decisions() or late() has something.
    int decided_fd() const { return decided_.get(); }
    /// The answers since the last call, each once.
    std::vector<Decision> decisions();
    /// True if there is an open question to which no daemon has begun its reply.
    bool waits_for_daemon();
    /// Open sessions of forgotten questions that were finished since the last call. Such a question
    /// may have reached the daemon after newer reports.
    std::vector<std::string> late();
    /// Descriptors that become readable when stops() may return a session.
    std::vector<int> stop_fds() const;
    /// Sessions that Headway has stopped, each once per turn.
    std::vector<std::string> stops();
    /// Ends the sessions that are stopped for good and have no turn. end_turn() ends the others.
    void end_stopped();

private:
    enum class Stop : std::uint8_t {
        kNone,
        kLifts,  ///< a person can let the session go on, so it stays open
        kFinal,
    };
    struct Session {
        std::string agent;
        std::string id;       // Headway's id of the first generation: agent-native
        std::string native;   // `id` without the agent's name
        std::string opening;  // JSON text
        bool by_person =
            false;  // a person has begun it, or taken it up, and it has not ended since
        std::shared_ptr<std::atomic<bool>> at_work = std::make_shared<std::atomic<bool>>(false);
        // Work outside of a turn, of which a stop is to be seen soon as well.
        std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);
        Stop stopped = Stop::kNone;
        bool used = false;  // it has had a prompt or a question
        std::string wrong;  // why its last turn was no success
        std::shared_ptr<Reporter> reporter;
    };

    struct Ending {
        std::string id;
        std::shared_ptr<Reporter> reporter;
    };

    /// A thread that waits for the daemon's answer.
    struct Hold {
        std::uint64_t serial = 0;
        bool done = false;  // guarded by mutex_
        Json end;           // guarded by mutex_; of a forgotten question
        std::atomic<bool> forgotten{false};
        std::atomic<bool> held{false};  // the daemon has begun its answer
        Json report;                    // the thread's: the start that is not stored so far
        bool asked = false;             // the thread's: the daemon has the hook
        bool taken = false;             // the thread's: the daemon has stored the start
        std::jthread thread;
    };

    void start(Session& session);
    void end(Session& session, const char* outcome, const std::string& reason);
    void end_unasked(Session& session, const std::string& reason);
    void decide(const AcpAction& asking, const Reporter& reporter, Hold& hold);
    AcpAnswer answer(const AcpAction& action, const Reporter& reporter, Hold& hold);
    AcpAnswer answer_once(Daemon& daemon, const Reporter& reporter, const std::string& hook,
                          Hold& hold);
    void tell_end(const AcpAction& action, const Reporter& reporter, const Json& end, Hold& hold);
    static HttpReply exchange(Daemon& daemon, const std::string& path, std::string body,
                              const std::function<bool()>& goes_on,
                              std::atomic<bool>* begun = nullptr);
    Session* find(const std::string& id);

    const Setup setup_;
    const std::string mark_;                   // random; of this process
    std::map<std::string, Session> sessions_;  // sessions by the protocol's id
    std::list<Ending> ending_;                 // the oldest first
    std::string last_reason_;
    system::FileDescriptor decided_;
    std::atomic<bool> closing_{false};
    std::mutex mutex_;  // guards what follows
    std::vector<Decision> decisions_;
    std::vector<std::string> late_;  // by the protocol's id; as many as holds_ at most
    std::list<Hold> holds_;          // declared last, because these threads use all of the above
};

}  // namespace headway::cli
