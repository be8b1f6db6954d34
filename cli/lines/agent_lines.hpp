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

/// Reads the output of a command for lines of agents, and gives on what they say as events. All
/// else is ordinary output. Memory is bounded whatever is written. Pure.
class AgentLines {
public:
    /// A report takes no more; a longer line is ordinary output.
    static constexpr std::size_t kLineBytesMax = 1U << 20;
    /// No agent does so much in a second; what does is a program that floods.
    static constexpr std::size_t kEventsPerSecondMax = 500;
    /// Calls that have started and not finished, of which the tool and arguments are kept.
    static constexpr std::size_t kOpenCallsMax = 128;

    /// `hooks_tell`: the agent's hooks, if there are any, report the same.
    using Tell = std::function<void(const LineEvent& event, bool hooks_tell)>;

    /// Adds to the data of an error what its line does not say and a clock or a file of the agent
    /// does. `agent` and `session` are its name and its id of the session.
    using Complete =
        std::function<void(LineEvent& error, const std::string& agent, const std::string& session)>;

    /// The use of a session of the agent before it begins here.
    using Before = std::function<LineTokens(const std::string& agent, const std::string& session)>;

    explicit AgentLines(Tell tell, Complete complete = {}, Before before = {})
        : tell_(std::move(tell)), complete_(std::move(complete)), before_(std::move(before)) {}

    /// `rest` gets what is no line of an agent.
    void feed(std::string_view bytes, OutputLines& rest);
    /// The output is over: its last line may have no end.
    void finish(OutputLines& rest);
    /// To be called each second: the bound on events begins again.
    void tick();
    /// An error that an agent tells otherwise than by a line.
    void add_error(LineEvent error);
    /// The process is over. Its files may say now what they did not when it told its last error.
    void look_again();

    /// True once a line of an agent has come.
    bool found() const { return found_; }
    /// How the agent's work ended; the last one counts.
    const std::optional<LineResult>& result() const { return facts_.result; }
    const std::string& model() const { return model_; }
    /// The agent's own id of its conversation; empty: not said.
    const std::string& conversation() const { return session_; }
    /// All that bears on how the run ended.
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
    bool at_start_ = true;         // of a line
    bool ordinary_ = false;        // the line that is being written is no agent's
    std::array<bool, 8> begun_{};  // by the place in line_formats()
    std::deque<OpenCall> open_;
    std::string session_;  // the agent's own id of it
    UseMeter meter_;
    std::string piece_;  // of a message that comes in pieces
    std::string last_message_;
    std::string model_;
    RunFacts facts_;
    std::deque<std::string> failed_;      // calls, since the last one that changed something
    const LineFormat* format_ = nullptr;  // of the agent that spoke last
    bool found_ = false;
    std::size_t told_ = 0;  // since the last tick
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::cli
