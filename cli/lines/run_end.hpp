// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/lines/agent_line.hpp"
#include "cli/process/process.hpp"
#include "core/values/cause.hpp"

// How the run of an agent ended, according to its lines and its exit status. An exit status of 0
// alone does not show success, because some agents always exit with 0.

namespace headway::cli {

/// Facts in an agent's lines about the end of its run.
struct RunFacts {
    static constexpr std::size_t kNoticesMax = 8;
    static constexpr std::size_t kRefusedMax = 8;  ///< a person would not read more names

    std::string agent;  ///< agent of the last line; empty: there was no line, and the exit status
                        ///< is the outcome
    /// Agent whose program was started with the option to print lines, but printed none; empty:
    /// there is no such agent.
    std::string called;
    std::optional<LineResult> result;
    /// Data of the last error.reported after which the model gave no answer.
    std::optional<Json> error;
    std::vector<LineEnd> ends;         ///< ends that the agent has reported, until its result
    std::vector<std::string> notices;  ///< the agent's last warnings about its own run
    /// Tools of the calls that the agent's rules refused since the last call that changed
    /// something.
    std::vector<std::string> refused;
    /// Tools of the questions to a person that were refused. No later call answers a question.
    std::vector<std::string> questions;
    std::vector<std::string> missing;  ///< tools that do not exist, until a call succeeds
    std::size_t missed = 0;            ///< number of calls of `missing` tools
    std::size_t goes_on = 0;           ///< background tasks that have not ended
    std::size_t agents_go_on = 0;      ///< sub-agents among these tasks
    /// Number of sub-agents in the background that were stopped after the model's last answer.
    std::size_t cut_off = 0;
    bool ended_rest = false;  ///< the agent reports that it ended its background tasks
    bool answered = false;    ///< the model gave a message or a call
    bool succeeded = false;   ///< a call has succeeded
    bool changed = false;     ///< a call that does more than read has succeeded

    void note_notice(const std::string& words);
    /// `replaced`: a later call did what the refused one should have done.
    void note_refused(const std::string& tool, bool replaced = false);
    void note_missing(const std::string& tool);
    void note_end(LineEnd end);
    /// Called for an answer of the model, which shows that earlier errors are over.
    void note_answer();
    /// Turns a result into a failure if an earlier line has reported an end that still applies.
    void settle(LineResult& line_result);
};

/// Whether a call that ended well did more than look, plan or wait. Pure.
bool changes(const Json& call);

struct RunEnd {
    bool completed = false;
    std::string reason;
    core::Cause cause = core::Cause::kNone;
    std::string retry_at;  ///< time at which the provider accepts requests again; empty: unknown
    /// An HTTP status that is known only from the exit status.
    std::optional<std::uint64_t> status;
    bool guarded = false;  ///< the agent's own guard against loops ended it
    bool limited = false;  ///< a limit that the operator gave the agent ended it
    bool cut_off = false;  ///< its background work was cut off, or it stopped waiting for that work
    bool finished = false;  ///< it reports success, but its exit status does not
    bool refused = false;   ///< calls were refused or had no tool, and none changed anything later;
                            ///< or a person ended it
};

/// How the run ended, from these facts and the exit status. Pure.
RunEnd run_end(const RunFacts& facts, const ExitStatus& exit);

}  // namespace headway::cli
