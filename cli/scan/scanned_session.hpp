// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/records/offline_judge.hpp"
#include "cli/stores/stored_line.hpp"
#include "core/values/verdict.hpp"

// Judges one stored session, line by line. Pure.

namespace headway::cli {

/// One answer of the model, for the totals.
struct CountedUse {
    std::uint64_t answer = 0;  ///< digest of the answer's id, so that an answer in several files is
                               ///< counted once
    std::uint64_t tokens = 0;
    /// Cost by the price list; nothing for a model without a price.
    std::optional<double> cost_usd;
    double seconds = 0;       ///< since 1970
    std::uint32_t model = 0;  ///< place in ScannedSession::models
    bool after_stuck = false;
    bool operator==(const CountedUse&) const = default;
};

/// The first occurrence of a verdict.
struct ScannedAlarm {
    std::size_t call = 0;  ///< number of calls that had finished before the verdict
    double seconds = 0;    ///< since 1970
    std::string reason;
    bool operator==(const ScannedAlarm&) const = default;
};

/// A stored session, judged.
struct ScannedSession {
    StoredAbout about;
    std::string file;
    double began = 0;  ///< seconds since 1970; 0: no line has a time
    double ended = 0;  ///< time of the last line
    /// Seconds of work, without gaps of more than kGapSeconds, in which a person was away.
    double worked = 0;
    double worked_after_stuck = 0;
    std::size_t lines = 0;
    std::size_t broken = 0;      ///< lines that are not JSON objects
    std::size_t refused = 0;     ///< calls that the agent's rules or a person refused
    std::size_t open_calls = 0;  ///< calls without a result at the end: cut off, or still running
    /// For each call a digest of its id and time, so that a call in several files is counted once.
    /// The lowest bit of the digest is set if the call failed.
    std::vector<std::uint64_t> calls;
    std::vector<CountedUse> uses;
    std::vector<std::string> models;  ///< at most kModelsMax names; kOtherModels stands for all
                                      ///< others
    std::optional<ScannedAlarm> stuck;
    std::optional<ScannedAlarm> blocked;
    core::Judgement last;
    Timeline timeline;

    /// True if the file contains no session.
    bool is_empty() const { return began == 0 && calls.empty() && uses.empty(); }
};

/// "3 of 40 lines are damaged". Pure.
std::string broken_lines_of(const ScannedSession& session);

/// Why a file with an empty session is no session: "FILE: holds no session that is understood; …".
/// Pure.
std::string not_understood(const ScannedSession& session);

inline constexpr double kGapSeconds = 600;

/// Maximum number of models of one session: more than a person uses.
inline constexpr std::size_t kModelsMax = 64;
inline constexpr const char* kOtherModels = "(more models)";

/// Judges the lines of a stored session after a StoreReader has read them.
class SessionScan {
public:
    /// `options` must outlive this object.
    explicit SessionScan(const JudgeOptions& options) : options_(options) {}

    /// `line`: number in the file, from 1. The events are moved out of `stored`.
    void take(StoredLine& stored, std::size_t line);
    ScannedSession finish(const StoredAbout& about, std::size_t open_calls);

    std::size_t lines = 0;   ///< lines of the file that have been read so far
    std::size_t broken = 0;  ///< lines that are not JSON objects

private:
    void pass(double seconds);
    void note_call(const core::ToolFinished& call, double seconds);
    void report(core::Event event, std::size_t line);
    void note(const core::VerdictChanged& verdict);
    void add_use(const StoredUse& use);
    std::uint32_t place_of(const std::string& text);

    EventJudge& judge();

    const JudgeOptions& options_;
    std::optional<EventJudge> judge_;  ///< begins with the first event, whose time it needs
    ScannedSession session_;
    std::unordered_map<std::string, std::uint32_t> places_;  ///< index in ScannedSession::models,
                                                             ///< by the model's name
    std::size_t seen_ = 0;                                   ///< number of verdicts noted so far
};

}  // namespace headway::cli
