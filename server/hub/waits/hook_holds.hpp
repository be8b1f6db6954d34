// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/engine/hooks/hook_commands.hpp"
#include "server/engine/hooks/hook_dialogs.hpp"
#include "server/http/connection/http_connection.hpp"
#include "server/http/message/reply_to.hpp"
#include "server/http/message/response.hpp"
#include "server/hub/waits/wait_table.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Sends replies to hooks, and holds hooks during a pause or until a person has decided about their
/// call. While a hook is held, its client gets a blank every kSignEvery, so that the client can
/// distinguish a hold from a daemon that hangs. When the table is full, the caller with the most
/// holds gives one up, undecided (CallerShares). The engine is asked again when the session has
/// changed, and for the last time when the agent's own time limit is near. Only a few of these
/// questions are open at a time, so that the engine can serve other requests in between. I/O thread
/// only.
class HookHolds {
public:
    using FindConnection = std::function<HttpConnection*(std::uint64_t)>;
    /// Asks the engine; false if the queue is full.
    using Ask = std::function<bool(const ReplyTo&, HookAgainCommand)>;
    /// Sets the reply of a request whose reply has not begun.
    using Put = std::function<void(const ReplyTo&, const Response&)>;

    /// Reports that an agent no longer waits for the reply to its hook. If the queue is full, the
    /// report is dropped, and the request ends when it expires.
    using Leave = std::function<void(HookLeftCommand)>;

    static constexpr std::chrono::seconds kSignEvery{5};
    /// How often the engine is asked about a hold that another daemon may end without changing the
    /// session: by a decision about an ancestor, or about a daily cap.
    static constexpr std::chrono::seconds kLookEvery{15};
    /// When the engine is asked about a new hold: the session may have changed between the answer
    /// and the end of its turn.
    static constexpr std::chrono::seconds kFirstLook{1};
    /// Maximum number of open questions to the engine; this many take some milliseconds of the
    /// engine's time.
    static constexpr std::size_t kAskedMax = 32;

    HookHolds(FindConnection find, Ask ask, Put put, Leave leave)
        : find_(std::move(find)),
          ask_(std::move(ask)),
          put_(std::move(put)),
          leave_(std::move(leave)) {}

    /// Takes the engine's answer.
    void take(const ReplyTo& to, HookAnswered answered);
    /// Called when the engine has refused the question about a held hook: the hook is released
    /// undecided. False if no hook is held at `to`.
    bool refused(const ReplyTo& to);
    void session_changed(const std::string& session);
    void drop_connection(std::uint64_t connection);
    /// Called once a second: sends blanks, and asks for the last time about holds whose time is up.
    void second(Clock::Steady::time_point now);
    /// Called at shutdown: asks for the last time about all holds, and from now on replies to every
    /// hook at once. Thus the session knows that the held calls did not run.
    void drain();
    std::size_t size() const noexcept { return holds_.size(); }

private:
    struct Hold {
        std::string session;
        HookCall call;
        std::string waits_for;  ///< subject_of() at the beginning of the hold
        Clock::Steady::time_point deadline;
        Clock::Steady::time_point next_sign;
        Clock::Steady::time_point next_look = Clock::Steady::time_point::max();
        bool streams = false;  ///< the reply has begun
        bool asked = false;    ///< a question is open
        bool changed = false;  ///< the session has changed since the engine was asked
        bool due = false;      ///< is in due_
    };
    using Place = WaitTable<Hold>::Place;

    void begin(const ReplyTo& to, HookAnswered&& answered);
    void go_on(const Place& place, Hold& held, HookAnswered&& answered);
    void ask_again(const Place& place, Hold& held);
    void ask_due(Clock::Steady::time_point now);
    bool ask(const Place& place, Hold& held, Clock::Steady::time_point now);
    void finish(const Place& place, const std::string& body);
    void remove(const Place& place);
    void leave(const std::string& session, const HookCall& call) const;
    void leave_at(const Place& place);

    FindConnection find_;
    Ask ask_;
    Put put_;
    Leave leave_;
    bool draining_ = false;
    WaitTable<Hold> holds_;
    /// Numbers of holds by subject_of(): an agent may send a hook again before the connection of
    /// the first is known to be gone.
    std::unordered_map<std::string, std::size_t> waiting_;
    std::deque<Place> due_;  ///< holds to ask about, each once; some may have ended
    std::size_t asked_ = 0;  ///< number of open questions
};

}  // namespace headway::server
