// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines/agent_line.hpp"
#include "cli/lines/run_end.hpp"
#include "cli/lines/use_meter.hpp"
#include "cli/process/output_lines.hpp"

namespace headway::cli {

/// Finds lines of agents in a command's output, and passes their content on as events. Other lines
/// are ordinary output. Memory is bounded, whatever is written. Pure.
class AgentLines {
public:
    /// The limit of a report; a longer line is ordinary output.
    static constexpr std::size_t kLineBytesMax = 1U << 20;
    /// Maximum number of events passed on in a second. Calls and errors have this limit, and all
    /// other events have the same limit once more. Only a program that floods its output exceeds
    /// it. Further tokens and cost are added up and passed on in the next second.
    static constexpr std::size_t kEventsPerSecondMax = 500;
    static constexpr std::size_t kFoldersMax = 8;  ///< more than a real agent names
    /// Unfinished calls whose tool and arguments are kept.
    static constexpr std::size_t kOpenCallsMax = 128;

    /// `hooks_tell`: the agent's hooks, if it has any, report the same event.
    using Tell = std::function<void(const LineEvent& event, bool hooks_tell)>;

    /// Completes an error with data that its line lacks, from a clock or from a file of the agent.
    /// `agent`: the agent's name; `session`: its id for the session.
    using Complete =
        std::function<void(LineEvent& error, const std::string& agent, const std::string& session)>;

    /// The use of the agent's session before this run, if the agent's totals include it.
    using Before = std::function<UsedBefore(const std::string& agent, const std::string& session,
                                            const std::string& version)>;

    explicit AgentLines(Tell tell, Complete complete = {}, Before before = {})
        : tell_(std::move(tell)), complete_(std::move(complete)), before_(std::move(before)) {}

    /// `rest` gets the lines that are not an agent's.
    void feed(std::string_view bytes, OutputLines& rest);
    /// Ends the output; its last line may have no line end.
    void finish(OutputLines& rest);
    /// To be called each second: resets the count that kEventsPerSecondMax limits.
    void tick();
    /// Adds an error that an agent reports by other means than a line.
    void add_error(LineEvent error);
    /// Called after the process has ended: completes the last error again, because the agent's
    /// files may now have more data.
    void look_again();

    /// True once a line of an agent has been seen.
    bool found() const { return found_; }
    /// True if the ids of calls in the lines are not those that the agent's hooks report.
    bool has_own_ids() const { return format_ != nullptr && format_->has_own_ids; }
    /// How the agent's work ended; the last result found.
    const std::optional<LineResult>& result() const { return facts_.result; }
    const std::string& model() const { return model_; }
    /// The agent's own id for its conversation; empty: not reported.
    const std::string& conversation() const { return session_; }
    /// The conversation that was reported first; empty: none.
    const std::string& first_conversation() const { return first_session_; }
    /// The different folders that the agents have reported as their working folders, at most
    /// kFoldersMax.
    const std::vector<std::string>& folders() const { return folders_; }
    /// True if the agent has printed its result, and its lines show no unfinished call or
    /// background work.
    bool is_done() const { return facts_.result && open_.empty() && background_.empty(); }
    /// The tokens and cost of the conversation.
    const UseMeter& meter() const { return meter_; }
    /// All facts about how the run ended.
    const RunFacts& facts() const { return facts_; }

private:
    static constexpr std::size_t kOwedMax = 16;  ///< models in one second
    struct Owed {
        Json usage;
        bool hooks_tell;
    };
    /// Work that the agent has begun and that its lines have not ended.
    struct Background {
        std::string name;
        bool goes_on;   // the call that began it has ended
        bool of_agent;  // it is a sub-agent, whose answer is a part of the work; false for a server
    };
    struct OpenCall {
        std::string id;
        Json about;  // as first reported: tool, arguments
    };

    void end_line(OutputLines& rest);
    bool read_line();
    void take(AgentLine line, const LineFormat& format);
    void take_background(const AgentLine& line);
    void begin_background(const Background& work);
    bool is_call_of_agent(const std::string& call_id) const;
    void take_result(LineResult result);
    void note(const LineEvent& event, bool below);
    void note_background(const Json& call);
    bool take_error(LineEvent& event);
    void tell_use(const LineUse& use, bool hooks_tell);
    bool complete_call(LineEvent& event);
    void end_message();
    void tell(LineEvent event, bool hooks_tell);
    void owe(const Json& usage, bool hooks_tell);
    void tell_owed();

    Tell tell_;
    Complete complete_;
    Before before_;
    std::string line_;             // current line, which begins with "{" and may be an agent's
    bool at_start_ = true;         // at the start of a line
    bool ordinary_ = false;        // the current line is not an agent's
    std::array<bool, 8> begun_{};  // indexed like line_formats()
    std::deque<OpenCall> open_;
    std::deque<Background> background_;
    std::deque<std::string> ended_by_agent_;  // names of work that the agent itself has stopped
    std::string session_;                     // the agent's own id for the session
    std::string first_session_;
    std::vector<std::string> folders_;  // folders of all sessions so far
    UseMeter meter_;
    std::string piece_;  // text so far of a message that comes in pieces
    std::string last_message_;
    std::string model_;
    std::vector<std::string> once_;  // messages passed on so far, AgentLine::once
    RunFacts facts_;
    std::deque<std::string> failed_;      // failed calls since the last call that changed something
    const LineFormat* format_ = nullptr;  // format of the newest line of an agent
    bool found_ = false;
    std::size_t told_ = 0;        // events since the last tick, except calls and errors
    std::size_t told_calls_ = 0;  // calls and errors since then
    std::vector<Owed> owed_;      // use since then that was not passed on
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::cli
