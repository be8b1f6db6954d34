// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "cli/acp/acp_gate.hpp"
#include "cli/acp/acp_observer.hpp"
#include "cli/acp/acp_sessions.hpp"
#include "cli/acp/messages/acp_head.hpp"
#include "cli/acp/messages/line_cutter.hpp"
#include "cli/base/clock.hpp"
#include "cli/process/process.hpp"
#include "cli/run/supervised_command.hpp"

namespace headway::cli {

/// Passes the Agent Client Protocol between an editor, on this program's standard input and output,
/// and an agent. Both get whole lines, because answers to permissions and requests to the editor
/// may be held, and a cancel must be inserted between two lines. One thread; `signals` and
/// `sessions` must outlive this object.
class AcpProxy {
public:
    /// `agent`: name of the agent until it sends its own.
    AcpProxy(Process process, const SignalGuard& signals, AcpSessions& sessions, std::string agent);

    /// Runs until the agent has exited and its output is copied.
    ExitStatus run();

private:
    /// A line, or a part of one that is too long.
    struct Stalled {
        std::string text;
        bool whole = false;
        bool deed = false;
    };

    void poll_once();
    void read_editor();
    void drop_to_agent();
    void read_agent();
    void write_editor();
    void write_agent();
    void editor_part(std::string_view text);
    void editor_line(std::string_view line);
    void editor_message(const std::string& line, const Json& message);
    void editor_reply(const std::string& line, const Json& message);
    void agent_text(std::string_view text, bool whole);
    void take_agent(std::string_view text, bool whole);
    bool waits() const;
    void go_on();
    void agent_part(std::string_view text);
    void refuse_unread(const AcpHead& head);
    void agent_line(std::string_view line);
    bool agent_message(const Json& message, std::string_view line);
    void pass_to_editor(std::string_view line);
    void act(const AcpObserver::Actions& actions, const Json& message, std::string_view line = {});
    void ask(const AcpAction& action, const Json& message, std::string_view line);
    void end_permissions(const std::string& session, bool refused = false);
    void answer(const AcpGate::Closed& closed, const char* how);
    void take_back(const AcpAction& asking, const char* how);
    void take_decisions();
    void report_state(const std::string& session);
    void take_stops();
    void start_calls();
    void inject(const std::string& line);
    void read_signals();
    void end_agent();
    bool done() const;

    Process agent_;
    const SignalGuard& signals_;
    AcpSessions& sessions_;
    AcpObserver observer_;
    AcpGate gate_;
    LineCutter from_editor_;
    LineCutter from_agent_;
    std::string to_agent_;       // lines not yet fully written
    std::size_t agent_has_ = 0;  // bytes of to_agent_ that are written
    bool quiet_ = false;         // the last poll found no more output of the agent
    std::string to_editor_;      // output of the agent not yet fully written
    std::size_t written_ = 0;
    std::deque<Stalled> stalled_;        // output of the agent behind a deed without a place
    std::optional<SteadyTime> full_at_;  // since when the gate has had no place for one
    AcpMembers members_;                 // of the line that comes in parts
    bool in_agents_line_ = false;        // a part of a line, without its end, has been passed on
    bool drops_agents_line_ = false;     // that line does not reach the editor
    std::string released_;               // lines to be passed on after the end of that line
    bool in_long_line_ = false;  // a part of a line, without its end, has been sent to the agent
    bool drops_line_ = false;    // that line does not reach the agent
    bool unread_ = false;        // a line of the agent was too long to be read
    std::string injections_;     // lines to be sent after the end of that line
    std::size_t injected_ = 0;   // bytes of lines for the agent that no editor has sent
    bool editor_open_ = true;
    std::optional<SteadyTime> editor_gone_at_;
    std::optional<SteadyTime> begun_at_;  // a call whose start is not reported so far
    int ending_ = 0;  // number of signals sent to the agent since its editor is gone
    std::optional<ExitStatus> status_;
    SteadyTime exited_at_;
};

}  // namespace headway::cli
