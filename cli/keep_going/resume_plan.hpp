// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/base/text.hpp"
#include "cli/lines/run_end.hpp"
#include "config/settings/keep_going_settings.hpp"
#include "core/values/cause.hpp"

// Whether an agent that has ended is started again in the same conversation, and when. Pure: the
// time, a random number and the end of the run are parameters.

namespace headway::cli {

using config::kResumesMost;
/// An agent that waits longer than this by itself is ended, and Headway waits in its place, so that
/// a crash of the agent during the wait costs nothing.
inline constexpr std::chrono::minutes kAgentWaitMost{10};

struct ResumeRules {
    /// Limit of consecutive resumes without progress; at most 50 resumes in all.
    std::uint64_t resumes_max = config::KeepGoingSettings{}.max_resumes;
    /// No resume starts later than this after the first start.
    std::chrono::milliseconds until = config::KeepGoingSettings{}.until;
    /// How long to wait after the reset of a limit, because clocks differ and the provider needs a
    /// moment. All other waits are multiples of this time.
    std::chrono::milliseconds margin = config::KeepGoingSettings{}.margin;
    bool operator==(const ResumeRules&) const = default;
};

/// A run of the agent, after the run has ended.
struct RunOver {
    RunEnd end;
    bool interrupted = false;   ///< a person or a service manager ended the agent or this program
    bool stopped = false;       ///< ended by a directive: cancel, stop, halt
    bool unread = false;        ///< its output has no reader any more
    bool guarded = false;       ///< ended by its own guard against loops
    bool needs_person = false;  ///< calls were refused, and after that no call changed anything
    bool progressed = false;    ///< a call that does more than read has succeeded
    bool clean = false;         ///< its exit status is 0
    bool mute = false;          ///< a resumed agent printed no line of its own
    bool lost = false;          ///< the agent says that there is no such conversation
    int signal = 0;             ///< signal that killed it; 0: none
    std::string stuck;          ///< why the session was judged `stuck`; empty: it was not
    /// The output of the check, if it failed after a clean end, or `check_broken`; nothing if there
    /// is no check, or it passed or did not run.
    std::optional<std::string> check_failed;
    bool check_ended = false;   ///< a person ended the check, so the work is not checked
    bool check_missed = false;  ///< the check did not run, or not again after a pause
    /// Why the check cannot be run, or would show nothing about the work; the work is then not
    /// checked. Empty: neither.
    std::string check_broken;
};

/// Why the work is not accepted as done although the agent has ended well, as text for people;
/// empty: nothing shows this. Pure.
std::string_view check_fault(const RunOver& run);

/// True for the words with which agents say that they did not find the conversation to resume.
/// Pure.
bool says_lost(std::string_view words);

/// The next step of the plan.
struct ResumeStep {
    bool resume = false;
    bool in_turn = false;  ///< agents of one provider wait for the same time, and begin in turn
    WallTime at{};         ///< earliest start
    std::string why;       ///< the cause of the wait, or why there is no resume; for people
    std::string prompt;    ///< the prompt for the agent
};

/// The memory of a plan: the steps that it has taken.
struct ResumeCounts {
    std::uint64_t resumes = 0;  ///< in all
    std::uint64_t in_row = 0;   ///< resumes since the last progress
    bool compacted = false;  ///< true if, since the last progress, a full context led to a resume
    bool unstuck = false;    ///< resumed after a loop; this happens only once
    /// SHA-256 of the masked output of the check that failed last; empty: none.
    std::string last_check;
    bool operator==(const ResumeCounts&) const = default;
};

/// Decides after each run whether and when the agent is resumed. `began`: the first start.
class ResumePlan {
public:
    ResumePlan(const ResumeRules& rules, WallTime began, ResumeCounts counts = {})
        : rules_(rules), began_(began), counts_(std::move(counts)) {}

    /// `chance`: from 0 to 1; spreads the starts of agents that wait for the same time.
    ResumeStep next(const RunOver& run, WallTime now, double chance);

    std::uint64_t resumes() const { return counts_.resumes; }  ///< resumes in all
    const ResumeCounts& counts() const { return counts_; }

private:
    ResumeStep end(std::string why) const;
    ResumeStep at(WallTime time, std::string why, std::string prompt);
    ResumeStep after_stop(const RunOver& run, WallTime now, double chance);
    ResumeStep after_check(const std::string& output, WallTime now);
    bool is_stuck_again(const RunOver& run);
    static ResumeStep with_stuck(const RunOver& run, ResumeStep step);

    const ResumeRules rules_;
    const WallTime began_;
    ResumeCounts counts_;
};

/// The time at which an agent that was due at `due` tries the provider itself, whatever the agents
/// of other runs have found: their limit may be that of another model. Between `due` and `latest`,
/// if that is later.
WallTime probe_time(WallTime due, WallTime latest, std::chrono::milliseconds margin);

/// The time in an ISO text, in UTC; nothing for any other text, or for a text without a zone.
std::optional<WallTime> reset_time(const std::string& text);

}  // namespace headway::cli
