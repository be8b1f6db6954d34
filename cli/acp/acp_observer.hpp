// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/acp/messages/acp_deed.hpp"
#include "cli/acp/messages/acp_file.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/json.hpp"
#include "cli/lines/use_meter.hpp"

namespace headway::cli {

/// AcpAction::type of a kIdle: the turn was cancelled by its user or Headway.
inline constexpr const char* kTurnStopped = "its last turn was stopped";

/// One consequence of a message that was passed on.
struct AcpAction {
    enum class Kind : std::uint8_t {
        kOpen,   ///< a session is followed; `data`: body of its opening
        kTurn,   ///< a prompt begins a turn
        kEvent,  ///< `type` and `data` as in API.md
        /// The agent asks for permission. `type` is Headway's id of the call. `data` has the member
        /// `hook`, the body of a hook that Headway may hold. Unless the start of the call was
        /// reported before, `data` also has `started`, the data of its `tool.started`. `hook` is
        /// missing if the call cannot be read or its session is not followed; `refused`, if any,
        /// is the reason why the call must not run.
        kAsk,
        kCancel,   ///< the turn is cancelled
        kIdle,     ///< the turn is over; `type`: why it failed; empty if it succeeded
        kLeft,     ///< the session is not followed any more, because others need its place
        kSettled,  ///< the editor has answered a question; `data`: of the resulting `state.changed`
    };
    Kind kind = Kind::kEvent;
    std::string session;  ///< the protocol's id for the session
    std::string type;
    Json data;
    /// For kAsk: the id of the request, as JSON text. For kOpen: the same, if such a request, not
    /// an editor, first named the session.
    std::string request;
    /// For kAsk, set by the gate: a new number for each question to Headway, because agents may
    /// reuse ids.
    std::uint64_t serial = 0;
    /// For kAsk: a daemon has received this call, so the editor does not decide alone.
    bool reached = false;
    /// For kAsk: the request asks the editor to act (AcpDeed); it reaches the editor only if
    /// allowed.
    bool deed = false;
};

/// Follows both directions of one connection of the Agent Client Protocol. Memory is bounded,
/// whatever is sent. No I/O, except by `read_file`.
class AcpObserver {
public:
    using Actions = std::vector<AcpAction>;

    /// Sessions that are followed: those working, and those that recently were.
    static constexpr std::size_t kSessionsMax = 16;
    static constexpr std::size_t kCallsMax = 128;     // unfinished calls of a turn
    static constexpr std::size_t kRequestsMax = 256;  // requests of the editor that have no reply
                                                      // so far
    static constexpr std::size_t kWritesMax = 64;     // covered writes that have no reply so far
    static constexpr std::size_t kWaitsMax = 16;      // questions of a session

    /// `agent`: the name of the agent until it sends its own. `mark`: part of the ids of calls that
    /// the agent does not name; no other connection has it. `read_file`: reads a file that the
    /// editor is to write; empty: no text of a file is known.
    explicit AcpObserver(std::string agent, std::string mark = {}, AcpReadFile read_file = {})
        : agent_(std::move(agent)), mark_(std::move(mark)), read_file_(std::move(read_file)) {}

    /// Take one message of the editor or of the agent, and return its consequences in order.
    Actions from_editor(const Json& message);
    Actions from_agent(const Json& message);
    /// Takes the editor's reply to any request of the agent.
    Actions answered(const Json& reply);
    /// True if the agent has not replied to the editor's request with this id, as of acp_id().
    bool awaits(const std::string& id) const;
    /// Called when Headway or a person has refused the call that Headway knows by this id.
    void refused(const std::string& session, const std::string& call_id) {
        note(session, call_id, &Call::refused);
    }
    /// Like refused(), if the daemon may still wait for a decision. Returns the data of the call's
    /// `tool.finished`, since the call has not run; null if the call is unknown. `how`: the class
    /// of its error, `denied` or `cancelled`.
    Json taken_back(const std::string& session, const std::string& call_id, const char* how);
    /// Called when that end has been reported: it is not reported again.
    void told_end(const std::string& session, const std::string& call_id) {
        note(session, call_id, &Call::told);
    }
    /// Called when the permission for this call has been sent to the agent. A further request of
    /// the agent for permission is a new question.
    void allowed(const std::string& session, const std::string& call_id) {
        note(session, call_id, &Call::allowed);
    }

    /// Called when a daemon has received this call.
    void reached(const std::string& session, const std::string& call_id) {
        note(session, call_id, &Call::reached);
    }
    /// Called when a deed was refused. Returns the end of its call, which no agent reports.
    Actions not_done(const std::string& session, const std::string& call_id);
    /// Called when this session's turn, or its work outside a turn, is cancelled.
    void stopped(const std::string& session);
    /// True if the session has a turn, or a call outside of one.
    bool works(const std::string& session) const;

    /// True if calls that have begun, questions, or texts outside of a turn are not reported so
    /// far. They are reported late for two reasons: agents ask for permission right after they
    /// announced a call as begun, in words that are part of its start; and a question that no
    /// person sees is answered at once.
    bool has_begun() const { return begun_; }
    /// Reports those that were already unreported at the previous call of this function.
    Actions start_calls();

    /// Data of the current `state.changed`; null if other reports show the state.
    Json state(const std::string& session) const;
    /// The agent's own name, or the name given to the constructor until the agent has sent its own.
    const std::string& agent() const { return agent_; }

private:
    struct Call {
        Json known = Json::object();  // all members received so far, with their newest values
        AcpWords words;
        Json first;  // id, tool and arguments as first received: approvals are bound to them
        std::string remarks;  // from the question, or from the preceding start
        Json asked;  // id, tool and arguments in the last request for permission; null: none so far
        bool begun = false;      // it is not pending any more
        bool waited = false;     // it had begun at the last start_calls()
        bool started = false;    // its start was reported, alone or with a question
        bool refused = false;    // Headway or a person has refused the call
        bool cancelled = false;  // as `refused`, but taken back by its user
        bool told = false;       // the end of a call that did not run was reported
        bool allowed = false;    // the agent has the permission that it asked for last
        bool reached = false;    // a daemon has received the question
        bool own = false;        // for a deed that no call announces
        bool at_work() const { return started && !refused && (asked.is_null() || allowed); }
        /// `cancelled` is for calls that a daemon has decided about, and for those that have run.
        const char* how_refused() const {
            const bool ran = asked.is_null() ? begun : allowed;
            return ran || (cancelled && reached) ? "cancelled" : "denied";
        }
        unsigned question = 1;  // number of the current question; new arguments are a new question
        std::set<std::string> done;  // files that it has written; empty: its command has run
    };
    /// A question from the agent to its user, not a permission request.
    struct Wait {
        std::string text;
        bool waited = false;
        bool told = false;
    };
    struct Session {
        bool at_work = false;
        bool prompted = false;   // it has had a prompt since it was loaded
        bool by_agent = false;   // no editor has named it
        bool cancelled = false;  // the current turn
        bool worked = false;     // the last turn had words or a call
        std::string prompt;      // id of the request that began it
        std::map<std::string, Call> calls;
        std::string cwd;
        std::map<std::string, Wait> waits;  // by the request's id
        std::string text;                   // text so far of a message that comes in pieces
        std::size_t said = 0;               // its size at the last start_calls()
        UseMeter cost;           // computes added costs from the total cost that the agent reports
        std::uint64_t used = 0;  // number of its last turn or opening

        Call& call(const std::string& call_id) {
            worked = true;
            if (calls.size() >= kCallsMax && !calls.contains(call_id)) calls.erase(calls.begin());
            return calls[call_id];
        }
        bool idle() const { return !at_work && calls.empty(); }
        bool asks() const {
            return std::any_of(waits.begin(), waits.end(),
                               [](const auto& wait) { return wait.second.told; });
        }
    };
    struct Request {
        std::string id;  // also that of an agent's permission request
        std::string method;
        std::string session;  // empty: the reply names it
        std::string cwd;
    };

    void replied(const Json& message, Actions& actions);
    void opened(const Request& request, const Json& result, Actions& actions);
    void make_room(Actions& actions);
    void turn_over(const Request& prompt, const Json& reply, Actions& actions);
    void updated(const Json& params, Actions& actions);
    void called(const std::string& id, Session& session, const Json& update, Actions& actions);
    void end_calls(const std::string& id, Session& session, Actions& actions);
    void cancelled(const std::string& id, Actions& actions);
    void end_unnamed(const std::string& id, bool cancelled, Actions& actions);
    void start(const std::string& id, const std::string& call_id, Call& call, Actions& actions);
    static AcpAction finished(const std::string& id, const Call& call, Json data);
    void finish(const std::string& id, const Call& call, Actions& actions);
    void asked(const Json& message, Actions& actions);
    void ask_anew(const std::string& id, const std::string& call_id, Call& call, Actions& actions);
    void do_for(const Json& message, Actions& actions);
    Call* announced(Session& session, const AcpDeed& deed);
    void end_deed(const std::optional<AcpDeeds::End>& end, Actions& actions);
    void wait_for_person(const Json& message, Actions& actions);
    void tell_waits(const std::string& id, Session& session, Actions& actions);
    void tell_words(const std::string& id, Session& session, Actions& actions);
    void tell_rest(const std::string& id, Session& session, Actions& actions);
    void end_message(const std::string& id, Session& session, Actions& actions);
    void note(const std::string& session, const std::string& call_id, bool Call::*what);
    Call* noted(const std::string& session, const std::string& call_id);
    Session* find(const std::string& id);

    std::string agent_;
    std::string mark_;
    AcpReadFile read_file_;
    std::string version_;
    std::map<std::string, Session> sessions_;
    std::uint64_t used_ = 0;
    std::uint64_t questions_ = 0;   // number of the last request for permission
    bool begun_ = false;            // a call has begun since start_calls()
    std::uint64_t deeds_made_ = 0;  // number of the last deed that no call announced
    AcpDeeds deeds_;
    std::map<std::string, std::string> writes_;  // paths of covered writes without a reply, by id
    std::deque<Request> requests_;
};

}  // namespace headway::cli
