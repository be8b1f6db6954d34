// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace headway::cli {

enum class Known : std::uint8_t { kUnknown, kNo, kYes };

/// Label that people or a rule gave to one recorded session.
struct SessionLabel {
    std::string file;
    std::string source;
    bool success = false;
    bool failure = false;  ///< the outcome is a failure; if neither this nor `success` is true, the
                           ///< outcome is unknown
    Known loop = Known::kUnknown;
    bool by_human = false;         ///< `how_labelled` begins with "human" or "hand"
    std::int64_t loop_start = -1;  ///< call with which the loop begins, from 0; -1: unknown
    std::int64_t loop_length = 0;  ///< number of calls in the loop
};

/// Reads CSV with a header line (RFC 4180: quotes, doubled quotes, line breaks within quotes).
/// Columns `file`, `outcome` and `loop` are needed; `source`, `how_labelled`, `loop_start_call` and
/// `loop_len` are used; others are ignored. Error: kInvalidField; the detail begins with the line.
core::Result<std::vector<SessionLabel>> read_labels(std::istream& csv);

/// Finding of a person who read a recording up to the place where it was judged `stuck`.
enum class AlarmRead : std::uint8_t { kRight, kWrong, kUnclear };

/// Reads CSV with a header line and the columns `file` and `verdict` (right, wrong or unclear).
/// Other columns are ignored. If several lines name a file, the last of these is used. Error: as in
/// read_labels.
core::Result<std::map<std::string, AlarmRead>> read_alarm_verdicts(std::istream& csv);

}  // namespace headway::cli
