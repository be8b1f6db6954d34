// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "cli/records/offline_judge.hpp"
#include "cli/stores/stored_line.hpp"
#include "core/base/result.hpp"
#include "core/values/verdict.hpp"

namespace headway::cli {

/// One answer of the model, as the totals count it.
struct CountedUse {
    std::uint64_t answer = 0;  ///< digest of its id: counted once over all files
    std::uint64_t tokens = 0;
    std::optional<double> cost_usd;  ///< by the price list; nothing for a model without a price
    double seconds = 0;              ///< since 1970
    std::uint32_t model = 0;         ///< place in ScannedSession::models
    bool after_stuck = false;
};

/// The first time that a verdict stood.
struct ScannedAlarm {
    std::size_t call = 0;  ///< how many calls had finished
    double seconds = 0;    ///< since 1970
    std::string reason;
};

/// A stored session, judged.
struct ScannedSession {
    StoredAbout about;
    std::string file;
    double began = 0;   ///< seconds since 1970; 0: no line has a time
    double ended = 0;   ///< of the last line
    double worked = 0;  ///< seconds, without gaps of more than kGapSeconds: a person was away
    double worked_after_stuck = 0;
    std::size_t lines = 0;
    std::size_t broken = 0;  ///< lines that are no JSON object
    std::size_t failures = 0;
    std::size_t refused = 0;           ///< calls that the agent's rules or a person refused
    std::size_t open_calls = 0;        ///< without a result at the end: cut off, or it runs still
    std::vector<std::uint64_t> calls;  ///< digests of their ids: counted once over all files
    std::vector<CountedUse> uses;
    std::vector<std::string> models;
    std::optional<ScannedAlarm> stuck;
    std::optional<ScannedAlarm> blocked;
    core::Judgement last;
    Timeline timeline;
};

inline constexpr double kGapSeconds = 600;

/// A longer line is counted as broken and not read.
inline constexpr std::size_t kStoredLineBytesMax = std::size_t{64} << 20;

/// Reads and judges one stored session. `stop` is called now and then; true ends the reading, and
/// what was read is the result. Memory: one line and the state of one session. Error: kBadRequest
/// for a file of no known format. Pure but for `lines`.
core::Result<ScannedSession> scan_session(std::istream& lines, const StoreFormat* format,
                                          const JudgeOptions& options,
                                          const std::function<bool()>& stop);

/// The same of a file that a person named; nothing unless its first lines are those of a stored
/// session. Error: kBadRequest, the detail names the file.
std::optional<core::Result<ScannedSession>> scan_if_stored(const std::string& file,
                                                           const JudgeOptions& options);

}  // namespace headway::cli
