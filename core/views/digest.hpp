// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/events/event.hpp"

// The fold of the events of all sessions since a time. Pure.

namespace headway::core {

/// Tokens and money that were used within the time, and by how many calls.
struct DigestUse {
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;  ///< as agents say, else by Headway's prices
    std::uint64_t unpriced = 0;     ///< tokens of which no cost is known
    std::uint64_t calls = 0;

    void add(const DigestUse& other);
    bool operator==(const DigestUse&) const = default;
};

/// A time in which a session was stuck.
struct DigestLoop {
    Timestamp at = kNever;
    std::string reason;
    DigestUse spent;   ///< since its last progress, until it was over
    std::string over;  ///< "halted", "cancelled", ... or "went on"; empty: it is still stuck
};

/// How ids of the events begin that `headway run --keep-going` writes about itself; those of the
/// agent's words and calls that it passes on do not.
inline constexpr std::string_view kKeepGoingEvent = "keep-going-";
/// The same of the messages by which an agent was made to go on at the end of a turn: with a number
/// from 1 behind it.
inline constexpr std::string_view kGoalEvent = "keep-going-goal-";

/// A start of an agent that was kept going, or the wait for it.
struct DigestResume {
    Timestamp at = kNever;
    std::string why;
};

struct DigestSession {
    static constexpr std::size_t kLoopsMax = 8;
    static constexpr std::size_t kResumesMax = 8;

    DigestUse use;
    std::map<std::string, DigestUse, std::less<>> by_model;  ///< as its reports say; at most 8
    std::optional<Outcome> outcome;                          ///< it has ended within the time
    std::string end_reason;
    Timestamp ended_at = kNever;
    std::vector<DigestResume> resumes;  ///< the last ones
    std::uint64_t resumed = 0;
    std::vector<DigestLoop> loops;  ///< the last ones
    Timestamp heard_at = kNever;    ///< the last report of the agent
    Millis silence{0};              ///< the longest time between two reports
    Timestamp silent_from = kNever;

    // State of the fold.
    DigestUse since_progress;  ///< use since then
    std::string why;           ///< of the resume that is announced
};

class DigestFold {
public:
    static constexpr std::size_t kSessionsMax = 2'000;

    /// In the order of the journal.
    void add(std::string_view session, const Event& event);

    /// By id; at most kSessionsMax.
    const std::map<std::string, DigestSession, std::less<>>& sessions() const { return sessions_; }
    /// Events of sessions that had no room.
    std::uint64_t left_out() const { return left_out_; }

private:
    std::map<std::string, DigestSession, std::less<>> sessions_;
    std::uint64_t left_out_ = 0;
};

}  // namespace headway::core
