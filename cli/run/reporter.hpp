// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/base/clock.hpp"
#include "cli/client/daemon.hpp"
#include "cli/held/held_events.hpp"
#include "cli/held/hook_journal.hpp"
#include "cli/run/spool.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {

class Json;

/// Content of a `stop` directive, or the reason for the end of the session.
struct StopDirective {
    std::string id;  ///< id of the directive; empty: no acknowledgement is needed
    std::string reason;
    bool lifts = false;  ///< a person can lift it as long as the session is open
};

/// State of a session according to its document and journal. An acknowledgement of the agent
/// removes a directive from the replies to reports, but not from the document and the journal.
struct Standing {
    /// Paused, or a person has to decide, or nothing shows that the agent may go on.
    bool held = false;
    bool paused = false;
    /// Cancelled, halted, stopped, ended or gone, or its budget is exhausted.
    bool stopped = false;
    bool gone = false;  ///< deleted, or another session of that name is there now
    std::string stuck;  ///< why the session is stuck; empty: not stuck
};

/// True if a rejection has stopped the open session: a person can resume it, but not a later
/// generation. Pure.
bool can_be_lifted(const Json& session);

/// True if the reply is the daemon's and shows that it has no such session. Status 404 alone does
/// not show this, because another server at the address may send it. Pure.
bool is_unknown(const HttpReply& reply);

/// Reports for one session from a thread of its own, so that the daemon never delays the supervised
/// command. The thread opens the session, delivers spooled events in order, sends heartbeats as the
/// daemon asks, and tries again with the same event ids while the daemon is unreachable. Public
/// functions are called on the owner's thread, except those that permit any thread.
class Reporter {
public:
    struct Setup {
        std::string url;
        Credential credential;
        std::string session;
        std::string open;  ///< JSON text: body of PUT /v1/sessions/{id}
        std::chrono::milliseconds heartbeat{
            10'000};                 ///< interval of heartbeats until the daemon asks for another
        std::function<Json()> beat;  ///< data of a heartbeat; called on the reporter's thread
        /// The longest time between heartbeats, whatever the daemon asks for; unset: as the daemon
        /// asks. Called on the reporter's thread.
        std::function<std::chrono::milliseconds()> pace;
        std::function<void(const std::string&)> warn;  ///< called on the reporter's thread
        /// After an end of the session that no person decided, reports go on in its next
        /// generation.
        bool goes_on = false;
        /// Set for a conversation that a person may take up again. Returns the body of a `start`
        /// hook, by which the daemon finds or begins the generation in which the conversation goes
        /// on. `by_person`: a person takes it up, which is possible after any end; false: the agent
        /// goes on by itself, if it may. Called on the reporter's thread.
        std::function<std::string(bool by_person)> take_up;
        bool by_person = false;  ///< a person begins or takes up the conversation now
        /// Time at which the session of an earlier run was opened. A session of this name that was
        /// opened at another time is another session, and counts as stopped. Empty: any session.
        std::string opened_at = {};
    };

    /// The session that is open now.
    struct Opening {
        std::string session;
        std::string at;  ///< time of its opening; empty: not known yet
    };

    /// `after`: an earlier reporter, or null. Work begins only when that reporter has finished.
    explicit Reporter(Setup setup, std::shared_ptr<Reporter> after = nullptr);
    /// Without finish() or close(), drops the remaining events and ends no session.
    ~Reporter();
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    /// `hooks_tell`: if the agent's own hooks report into this session, they may report the same
    /// event too; it is then held back, and dropped if they do, so that nothing is counted twice.
    /// `other_ids`: as of HeldEvent.
    void add(const std::string& type, const Json& data, bool hooks_tell = false,
             bool other_ids = false);
    /// Reports an action of `headway run --keep-going` itself (core/views/digest.hpp).
    void add_own(const std::string& type, const Json& data);

    /// Called when a person's prompt takes up the conversation (Setup::take_up). Forgets the stop
    /// directive of the turn before. False if the session takes no more reports: another reporter
    /// is needed.
    bool begin_turn();
    /// The id of the generation in force. Waits until it is known, the daemon is unreachable, the
    /// reports are over, or `most` has passed. Any thread.
    std::string in_force(std::chrono::milliseconds most) const;

    Opening opening() const;
    /// True if the daemon has opened the session and the newest request need not be sent again. Any
    /// thread.
    bool in_touch() const;
    /// True if a daemon has opened the session and stored all events about this call, whether or
    /// not it is reachable now. Any thread.
    bool has_told(const std::string& call_id) const;
    /// True if the daemon has stored all added events. Waits until it has, is unreachable, takes no
    /// more reports, or `most` has passed. Any thread.
    bool caught_up(std::chrono::milliseconds most) const;

    /// To be called when the agent has ended: its hooks report nothing after this.
    void agent_ended();

    /// Becomes readable once a stop directive has come.
    int wake_fd() const { return wake_.get(); }
    /// The stop directive in force; nothing: none has come.
    std::optional<StopDirective> stop_directive() const;
    /// True if the newest reply holds the agent back: the session is paused, or a person has to
    /// decide.
    bool held() const;
    /// Requests a new standing(), which is known once settled() is true.
    void look();
    /// `rests`: no agent works from now on; false: one works again. While no agent works, a session
    /// that is gone gets no heartbeat, because the heartbeat would open it.
    void rest(bool rests);
    /// The newest known state of the session.
    Standing standing() const;
    /// True if the daemon has replied to all added events that are not held back, and to look(), so
    /// that held(), stop_directive() and standing() are up to date.
    bool settled() const;
    /// True if no more reports are sent: the session has ended, is gone or another one, or the
    /// token is refused.
    bool refused() const;
    /// True if the daemon refuses the token, so that nothing of the session is known.
    bool denied() const;

    /// Delivers the remaining events and ends the session with this body of POST .../end. Gives up
    /// after `linger`, or after 1 s if no daemon was ever reached. True if everything arrived.
    bool finish(const Json& end, std::chrono::milliseconds linger);

    /// finish() in the background; the destructor waits for it.
    void close(const Json& end, std::chrono::milliseconds linger);

private:
    enum class Step : std::uint8_t { kDone, kAgain, kIdle, kRetry };
    /// Condition for a session to count as the one that this reporter has opened.
    enum class Own : std::uint8_t {
        kUnlessOpened,  ///< any, unless another run has opened it
        kUnlessGone,    ///< the same, and there has to be one
        kSame,          ///< no other one
    };

    void work();
    void wait();
    Step step();
    Step beat();
    void keep_pace();
    std::optional<Step> leave_another(const HttpReply& reply, Own own);
    std::optional<Step> leave_another(Own own);
    Step open_session();
    Step deliver();
    Step end_session(const std::string& end);
    void look_for_hooks();
    Step look_at_hooks(bool over);
    HookJournal::With what_hooks_tell(bool children);
    void look_for_stop(const HttpReply& reply);
    Step look_at_session();
    std::optional<Step> goes_on(const Json& ended);
    std::optional<Step> take_up();
    Json document();
    Step refuse();
    std::optional<Step> stop(const char* why);
    void set_stop(StopDirective stop);
    void set_stop_now(StopDirective stop);
    bool turn_has_begun() const;
    Step retry_later();
    void hold();
    void note_end(const Json& verdict, bool by_person);
    Step failed(const HttpReply& reply, bool drop_batch);
    void read_advice(const HttpReply& reply);
    bool out_of_time() const;
    std::chrono::milliseconds time_left() const;

    const Setup setup_;
    Daemon daemon_;
    system::FileDescriptor wake_;

    const SteadyTime began_at_;

    // Reporter's thread only.
    std::shared_ptr<Reporter> after_;
    int generation_ = 1;
    bool began_ = false;  // the session was open when this run began
    bool warned_ = false;
    std::uint64_t asked_in_ = 0;    // the turn in which the requests of this step began
    std::string refused_with_;      // code of the last refusal
    const std::string own_events_;  // prefix of the ids of all events of this reporter
    HookJournal journal_;
    SteadyTime next_beat_;
    std::chrono::milliseconds interval_;

    mutable std::mutex mutex_;  // guards everything below
    mutable std::condition_variable changed_;
    // Changed by the reporter's thread only, which reads them without the mutex.
    std::string session_;    // setup_.session, or its generation that is open now
    std::string opened_at_;  // time of the session's opening; empty: not known yet
    bool opened_ = false;
    bool by_person_ = false;  // a person has taken it up since the daemon took the last report
    std::uint64_t turn_ = 0;  // number of the prompts that have taken it up
    bool away_ = false;       // the newest request has to be sent again
    Spool spool_;
    std::optional<StopDirective> stop_;
    std::optional<std::string> end_;  // JSON text: body of POST .../end
    SteadyTime deadline_;
    SteadyTime all_of_linger_;  // the deadline once a daemon has been reached
    bool reached_ = false;
    bool denied_ = false;
    bool refused_ = false;        // the session takes no more reports
    bool hooks_ = false;          // the agent's hooks report into the session
    HeldEvents lines_;            // events that the hooks may report as well
    bool lines_over_ = false;     // the agent has ended
    bool lines_changed_ = false;  // since the reporter's thread began to wait
    bool held_ = false;           // as held()
    bool looks_ = false;          // look() was called
    bool rests_ = false;          // no agent works
    Standing standing_;
    bool finished_ = false;
    bool delivered_ = false;

    std::jthread thread_;  // declared last, because it uses all of the above
};

}  // namespace headway::cli
