// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/client/daemon.hpp"
#include "cli/run/spool.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {

class Json;

/// Content of a `stop` directive, or the reason for the end of the session.
struct StopDirective {
    std::string id;  ///< empty: it needs no acknowledgement
    std::string reason;
};

/// State of a session by its document and journal. An agent's acknowledgement removes a directive
/// from the replies to reports, but not from these.
struct Standing {
    bool held = false;     ///< it is paused, or a person has to decide
    bool stopped = false;  ///< it was cancelled, halted or stopped
    std::string stuck;     ///< why it is stuck; empty: it is not
};

/// Reports for one session from a thread of its own, so that nothing the daemon does holds up the
/// supervised command: opens the session, delivers spooled events in order, beats when the daemon
/// asked for it, and tries again with the same event ids while there is no daemon. Public
/// functions: the owner's thread.
class Reporter {
public:
    struct Setup {
        std::string url;
        Credential credential;
        std::string session;
        std::string open;  ///< JSON text: body of PUT /v1/sessions/{id}
        std::chrono::milliseconds heartbeat{
            10'000};                 ///< until the daemon asks for another interval
        std::function<Json()> beat;  ///< data of a heartbeat; called on the reporter's thread
        /// How long to leave at most between heartbeats, whatever the daemon asks for; unset: as it
        /// asks. Called on the reporter's thread.
        std::function<std::chrono::milliseconds()> pace;
        std::function<void(const std::string&)> warn;  ///< called on the reporter's thread
    };

    explicit Reporter(Setup setup);
    ~Reporter();
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    /// `hooks_tell`: the agent's own hooks, where they report into this session, tell the same.
    /// Then it is not reported, so that nothing is counted twice.
    void add(const std::string& type, const Json& data, bool hooks_tell = false);
    /// Reports what `headway run --keep-going` itself does (core/views/digest.hpp).
    void add_own(const std::string& type, const Json& data);

    /// Becomes readable once a stop directive has come.
    int wake_fd() const { return wake_.get(); }
    std::optional<StopDirective> stop_directive() const;
    /// The newest reply holds the agent back: it is paused, or a person has to decide.
    bool held() const;
    /// Asks for a new standing().
    void look();
    Standing standing() const;
    /// All that was added has its reply, and so has look(), so that held(), stop_directive() and
    /// standing() are as new as that.
    bool settled() const;
    /// The daemon takes no more reports of this session: it has ended.
    bool refused() const;

    /// Delivers what is left, ends the session with this body of POST .../end and returns; gives up
    /// after `linger`, or soon when no daemon was ever there. True when everything arrived.
    bool finish(const Json& end, std::chrono::milliseconds linger);

    /// The same without waiting: it goes on until the destructor, which waits for it.
    void close(const Json& end, std::chrono::milliseconds linger);

private:
    enum class Step : std::uint8_t { kDone, kAgain, kIdle, kRetry };

    void work();
    Step step();
    void keep_pace();
    Step open_session();
    Step deliver();
    Step end_session(const std::string& end);
    void look_for_hooks();
    Step look_at_session();
    void stop_ended();
    void note_end(const Json& verdict);
    Step failed(const HttpReply& reply, bool drop_batch);
    void read_advice(const HttpReply& reply);
    bool out_of_time() const;

    const Setup setup_;
    Daemon daemon_;
    system::FileDescriptor wake_;

    // Reporter's thread only.
    bool opened_ = false;
    bool warned_ = false;
    SteadyTime next_beat_;
    std::chrono::milliseconds interval_;

    mutable std::mutex mutex_;  // guards everything below
    std::condition_variable changed_;
    Spool spool_;
    std::optional<StopDirective> stop_;
    std::optional<std::string> end_;  // JSON text: body of POST .../end
    SteadyTime deadline_;
    SteadyTime all_of_linger_;  // the deadline once a daemon has been reached
    bool reached_ = false;
    bool refused_ = false;  // the session takes no more reports
    bool hooks_ = false;    // the agent's hooks report into the session
    bool held_ = false;     // by the newest reply
    bool looks_ = false;    // a new standing is wanted
    Standing standing_;
    bool finished_ = false;
    bool delivered_ = false;

    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace headway::cli
