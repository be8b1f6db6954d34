// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/scan/scanned_session.hpp"

// Totals of many stored sessions. Pure.

namespace headway::cli {

/// Each answer and each call is counted once. If several files contain it (forks, resumed copies),
/// it is counted for the session that began first.
struct Totals {
    std::size_t sessions = 0;
    std::size_t sub_agents = 0;  ///< included in `sessions`
    std::size_t calls = 0;
    std::size_t failures = 0;
    std::uint64_t tokens = 0;
    std::uint64_t unpriced = 0;  ///< tokens of models without a price
    double cost_usd = 0;         ///< cost of the models that have a price
    double worked = 0;           ///< seconds of work

    void add(const Totals& other);
};

/// The resources used on one day.
struct ScanDay {
    std::uint64_t tokens = 0;
    std::size_t stuck = 0;  ///< sessions that became stuck on this day
};

/// The resources used by one session, except those that are already counted for an earlier session.
struct CountedSession {
    const ScannedSession* session = nullptr;
    Totals used;
    Totals after_stuck;  ///< totals after the session became stuck: only tokens and cost
    bool stuck = false;  ///< became stuck, and not at a call copied from an earlier session
};

struct ScanTotals {
    std::vector<CountedSession> sessions;  ///< in the order in which they began
    Totals all;
    Totals after_stuck;
    std::size_t stuck = 0;
    std::size_t blocked = 0;  ///< sessions blocked at the end
    std::size_t cut_off = 0;
    std::size_t refused = 0;  ///< sessions with refused calls
    std::map<std::string, Totals> by_agent;
    std::map<std::string, Totals> by_project;
    std::map<std::string, Totals> by_model;
    std::map<std::int64_t, ScanDay> by_day;  ///< days since 1970, in UTC
    /// Totals by the Monday of the week in which the sessions began.
    std::map<std::string, Totals> by_week;
};

ScanTotals count_sessions(std::span<const ScannedSession> sessions);

/// "2026-11-23": the Monday of the week of this time, in UTC.
std::string week_of(double seconds);

}  // namespace headway::cli
