// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/scan/scanned_session.hpp"

// What many stored sessions come to. Pure.

namespace headway::cli {

/// Counted once: an answer or a call that stands in several files (forks, resumed copies) belongs
/// to the session that began first.
struct Totals {
    std::size_t sessions = 0;
    std::size_t sub_agents = 0;  ///< of the sessions
    std::size_t calls = 0;
    std::size_t failures = 0;
    std::uint64_t tokens = 0;
    std::uint64_t unpriced = 0;  ///< tokens of models without a price
    double cost_usd = 0;         ///< of the others
    double worked = 0;           ///< seconds

    void add(const Totals& other);
};

/// What was used on one day.
struct ScanDay {
    std::uint64_t tokens = 0;
    std::size_t stuck = 0;  ///< sessions that got so on it
};

/// What one session used, without what another has used before it.
struct CountedSession {
    const ScannedSession* session = nullptr;
    Totals used;
    Totals after_stuck;  ///< tokens and cost only
    bool stuck = false;  ///< at a call of its own
};

struct ScanTotals {
    std::vector<CountedSession> sessions;  ///< in the order in which they began
    Totals all;
    Totals after_stuck;
    std::size_t stuck = 0;
    std::size_t blocked = 0;  ///< at the end
    std::size_t cut_off = 0;
    std::size_t refused = 0;  ///< with refused calls
    std::map<std::string, Totals> by_agent;
    std::map<std::string, Totals> by_project;
    std::map<std::string, Totals> by_model;
    std::map<std::int64_t, ScanDay> by_day;  ///< days since 1970, in UTC
    std::map<std::string, Totals> by_week;   ///< of the session's beginning, by its Monday
};

ScanTotals count_sessions(std::span<const ScannedSession> sessions);

/// "2026-11-23": the Monday of the week in which this is, in UTC.
std::string week_of(double seconds);

}  // namespace headway::cli
