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

#include "cli/lines/agent_line.hpp"
#include "cli/lines/run_end.hpp"
#include "cli/lines/use_meter.hpp"
#include "cli/process/output_lines.hpp"

namespace headway::cli {

/// Finds lines of agents in a command's output, and passes their content on as events. Other lines
/// are ordinary output. Memory is bounded whatever is written. Pure.
class AgentLines {
public:
    /// The limit of a report; a longer line is ordinary output.
    static constexpr std::size_t kLineBytesMax = 1U << 20;
    /// No agent reports so many events in a second; only a flooding program does.
    static constexpr std::size_t kEventsPerSecondMax = 500;
    /// Unfinished calls whose tool and arguments are kept.
    static constexpr std::size_t kOpenCallsMax = 128;

    /// `hooks_tell`: the agent's hooks, if any, report the same event.
    using Tell = std::function<void(const LineEvent& event, bool hooks_tell)>;

    /// Adds to an error the data that its line lacks and that a clock or a file of the agent has.
    /// `agent`: the agent's name; `session`: its id of the session.
    using Complete =
        std::function<void(LineEvent& error, const std::string& agent, const std::string& session)>;

    /// The use of the agent's session before this run.
    using Before = std::function<LineTokens(const std::string& agent, const std::string& session)>;

    explicit AgentLines(Tell tell, Complete complete = {}, Before before = {})
        : tell_(std::move(tell)), complete_(std::move(complete)), before_(std::move(before)) {}

    /// `rest` gets the lines that are not an agent's.
    void feed(std::string_view bytes, OutputLines& rest);
    /// Ends the output, whose last line may have no end.
    void finish(OutputLines& rest);
    /// To be called each second: restarts the bound on events.
    void tick();
    /// Adds an error that an agent reports otherwise than by a line.
    void add_error(LineEvent error);
    /// Completes the last error again after the process has ended, since the agent's files may now
    /// have more.
    void look_again();

    /// True once a line of an agent has come.
    bool found() const { return found_; }
    /// How the agent's work ended; the last result counts.
    const std::optional<LineResult>& result() const { return facts_.result; }
    const std::string& model() const { return model_; }
    /// The agent's own id of its conversation; empty: not reported.
    const std::string& conversation() const { return session_; }
    /// All facts about how the run ended.
    const RunFacts& facts() const { return facts_; }

private:
    struct OpenCall {
        std::string id;
        Json about;  // as first reported: tool, arguments
    };

    void end_line(OutputLines& rest);
    bool read_line();
    void take(AgentLine line, const LineFormat& format);
    void take_result(LineResult result);
    void note(const LineEvent& event);
    bool take_error(LineEvent& event);
    void tell_use(const LineUse& use, bool hooks_tell);
    bool complete_call(LineEvent& event);
    void end_message();
    void tell(LineEvent event, bool hooks_tell);

    Tell tell_;
    Complete complete_;
    Before before_;
    std::string line_;             // begins with "{" and may be an agent's
    bool at_start_ = true;         // at the start of a line
    bool ordinary_ = false;        // the current line is not an agent's
    std::array<bool, 8> begun_{};  // by the place in line_formats()
    std::deque<OpenCall> open_;
    std::string session_;  // the agent's own id of the session
    UseMeter meter_;
    std::string piece_;  // text so far of a message that comes in pieces
    std::string last_message_;
    std::string model_;
    RunFacts facts_;
    std::deque<std::string> failed_;      // failed calls since the last call that changed something
    const LineFormat* format_ = nullptr;  // of the newest line of an agent
    bool found_ = false;
    std::size_t told_ = 0;  // events since the last tick
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::cli
