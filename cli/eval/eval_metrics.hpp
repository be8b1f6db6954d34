// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/records/labels.hpp"
#include "cli/records/offline_judge.hpp"

// The figures of `headway eval`. Pure.

namespace headway::cli {

/// One judged recording and its label. Without a label only `file` and `source` are known.
struct JudgedSession {
    SessionLabel label;
    Timeline timeline;
    std::optional<AlarmRead> read = {};  ///< the finding of a person who read it (`--verdicts`)
};

/// A recording that reproduces a test case for the stuck detector of another project. The `meta`
/// line of the recording names this test.
struct Scenario {
    std::string file;
    std::string portable;  ///< "yes" (any sensible detector agrees), "threshold" or "policy"
    std::string test;
    bool expects_stuck = false;
    Timeline timeline;
};

/// Shares are from 0 to 1. A share or a median for which there are no values is absent.
struct Metrics {
    std::size_t sessions = 0;
    std::size_t successes = 0;
    std::size_t false_stuck = 0;    ///< successes without a loop that were ever `stuck`
    std::size_t stuck_unknown = 0;  ///< successes that were ever `stuck`, with labels that do not
                                    ///< state whether there was a loop
    std::size_t suspects_on_success = 0;  ///< successes that were ever `suspect` or `stuck`
    std::size_t loops = 0;
    std::optional<double> recall;        ///< share of the loops that were `stuck` at some time
    std::optional<double> recall_human;  ///< `recall` over the loops that people labelled
    std::optional<double> recall_5;      ///< `recall` over the loops of at least five calls
    double nudges_per_1000_calls = 0;    ///< `change_approach` directives
    /// Medians of delay_of() for `suspect` and for `stuck`, over the loops with a known start.
    std::optional<double> delay_suspect;
    std::optional<double> delay_stuck;
};

/// Numbers of sessions that were `stuck` at some time: of all such sessions, of those with each
/// finding of a person who read the session, and of those that no person has read.
struct AlarmCounts {
    std::size_t stuck = 0;
    std::size_t right = 0;
    std::size_t wrong = 0;
    std::size_t unclear = 0;
    std::size_t unread = 0;
    std::optional<double> precision;  ///< `right` divided by the sum of `right` and `wrong`
};

AlarmCounts count_alarms(std::span<const JudgedSession> sessions);

Metrics measure(std::span<const JudgedSession* const> sessions);

/// The first step whose verdict is `least` or worse (kSuspect includes kStuck), or null.
const Step* first_alarm(const Timeline& timeline, core::Verdict least);

/// The number of the loop's calls that had finished when the session first had a verdict of at
/// least `least`. 1 if the session already had such a verdict when the loop began; nothing if it
/// never had one. `start`: number of calls before the loop.
std::optional<std::size_t> delay_of(const Timeline& timeline, std::size_t start,
                                    core::Verdict least);

bool is_false_stuck(const JudgedSession& session);
bool is_stuck_unknown(const JudgedSession& session);
bool is_suspect_on_success(const JudgedSession& session);
bool is_missed_loop(const JudgedSession& session);
/// True if the session was ever judged `stuck`, and a person found that it was not.
bool is_wrong_alarm(const JudgedSession& session);
/// True if the session was ever judged `stuck`, and no person has read it yet.
bool is_unread_alarm(const JudgedSession& session);

/// True if the result is the expected one: with `expects_stuck`, the scenario was `stuck` at some
/// time; else it never was.
bool agrees(const Scenario& scenario);

}  // namespace headway::cli
