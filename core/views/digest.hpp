// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/meters/budget_meter.hpp"

// A summary of all sessions since a given time, folded from their events. Pure.

namespace headway::core {

/// Tokens and cost used in the period, and the number of calls.
struct DigestUse {
    std::uint64_t tokens = 0;
    /// The cost that agents report, else computed from Headway's prices.
    std::uint64_t cost_micros = 0;
    std::uint64_t unpriced = 0;  ///< tokens without a known cost
    std::uint64_t calls = 0;

    void add(const DigestUse& other);
    DigestUse since(const DigestUse& earlier) const;
    /// Records that the cost of `more` tokens has become known.
    void price(std::uint64_t more) { unpriced -= std::min(unpriced, more); }
    bool operator==(const DigestUse&) const = default;
};

/// A period in which a session was stuck.
struct DigestLoop {
    Timestamp at = kNever;
    std::string reason;
    DigestUse spent;   ///< use from the last call before the loop to the end of the loop
    std::string over;  ///< "halted", "cancelled", ... or "went on"; empty = still stuck
    /// False if the loop's first call is no longer known. Then `spent` is the use since the last
    /// progress, which may be more or less than the use of the loop.
    bool whole = true;
};

/// Prefix of the ids of events that `headway run --keep-going` writes about itself. The agent's
/// messages and calls, which `headway run` only passes on, do not have this prefix.
inline constexpr std::string_view kKeepGoingEvent = "keep-going-";
/// Prefix of the ids of the daemon's own events; no event in a report may have such an id.
inline constexpr std::string_view kOwnEventIds = "headway:";
/// Prefix of the ids of messages with which a goal made an agent go on at the end of a turn; a
/// number from 1 follows.
inline constexpr std::string_view kGoalEvent = "headway:goal-";
/// Prefix of the ids of the events about runs of a goal's command; a number from 1 follows.
inline constexpr std::string_view kGoalCheckEvent = "headway:goal-check-";

/// A resume of an agent by `headway run --keep-going`, or the wait before the resume.
struct DigestResume {
    Timestamp at = kNever;
    std::string why;
};

/// Requests to people that were decided in the period: by a person, or by expiry. Calls that a
/// grant or a policy allowed are left out.
struct DigestDecisions {
    std::uint64_t approved = 0;
    std::uint64_t rejected = 0;
    std::uint64_t answered = 0;  ///< questions
    std::uint64_t expired_approved = 0;
    std::uint64_t expired_rejected = 0;
    bool operator==(const DigestDecisions&) const = default;
};

/// A call, and the use of the period up to its end.
struct DigestMark {
    std::uint64_t n = 0;
    DigestUse after;
};

struct DigestSession {
    static constexpr std::size_t kLoopsMax = 8;
    static constexpr std::size_t kMarksMax = 64;  ///< most loops begin within this many calls
    static constexpr std::size_t kResumesMax = 8;

    DigestUse use;
    /// Use by the reported model; at most 8 models. A cost that is reported without a model and
    /// without tokens is added to the model if there is only one, else to the empty name.
    std::map<std::string, DigestUse, std::less<>> by_model;
    std::optional<Outcome> outcome;  ///< only if the session ended in the period
    std::string end_reason;
    Timestamp ended_at = kNever;
    std::vector<DigestResume> resumes;  ///< the last kResumesMax
    std::uint64_t resumed = 0;          ///< number of all resumes
    std::vector<DigestLoop> loops;      ///< the last kLoopsMax
    DigestDecisions decided;
    Timestamp heard_at = kNever;  ///< time of the agent's last report
    Millis silence{0};            ///< the longest time between two reports
    Timestamp silent_from = kNever;

    // State of the fold.
    BudgetMeter meter;             ///< usage of the period, so that no cost is added twice
    DigestUse since_progress;      ///< tokens, cost and calls since the last progress
    std::deque<DigestMark> marks;  ///< the last kMarksMax calls
    std::string why;               ///< reason for the announced resume
};

class DigestFold {
public:
    static constexpr std::size_t kSessionsMax = 2'000;

    /// Adds an event, in the order of the journal.
    void add(std::string_view session, const Event& event);

    /// The sessions by id; at most kSessionsMax.
    const std::map<std::string, DigestSession, std::less<>>& sessions() const { return sessions_; }
    /// The number of events of sessions for which there was no room, plus the number of completed
    /// sessions that were removed to make room.
    std::uint64_t left_out() const { return left_out_; }

private:
    bool make_room();

    std::map<std::string, DigestSession, std::less<>> sessions_;
    /// Completed sessions about which there is nothing to report, oldest first: they are removed to
    /// make room for others.
    std::deque<std::string> plain_;
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::core
