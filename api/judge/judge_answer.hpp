// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/judge_payloads.hpp"
#include "core/text/text.hpp"

// A judge's answer, read strictly: a closed enumeration that rests on shown events. Its texts are
// inert (data_fence.hpp) and bounded; they are for people, and decide nothing.

namespace headway::api {

struct StatusAnswer {
    std::optional<core::CheckAnswer> answer;  ///< only if the whole answer is valid
    core::Text reason;                        ///< at most limits::kJudgeReasonBytesMax
    std::vector<std::uint64_t> evidence;      ///< shown events without duplicates, at most
                                              ///< limits::kEvidenceMax; empty without an answer
    double confidence = 0;                    ///< 0 to 1; 0.5 if the judge gave none
    std::string error;                        ///< for people: why there is no answer; else empty
};

/// Reads the answer to status_prompt(): the last JSON object with an `answer` anywhere in the text,
/// else the first design's form, a leading letter and a reason, which may name events as "#12".
/// Invalid: no letter or several, in JSON a B without evidence, an event that is not in `shown`, a
/// confidence outside 0 to 1. Only the end of a text beyond limits::kJudgeReadBytesMax is read.
/// `shown` must be ascending. Pure; accepts any bytes.
StatusAnswer read_status_answer(std::string_view text, std::span<const std::uint64_t> shown);

struct EstimateAnswer {
    std::optional<double> percent;      ///< 0 to 100
    core::Text reasoning;               ///< at most limits::kJudgeReasoningBytesMax
    std::string next_milestone;         ///< at most limits::kStringBytesMax
    std::vector<std::string> blockers;  ///< at most kJudgeBlockersMax, each at most kStringBytesMax
    std::string error;                  ///< for people: why there is no percent; else empty
};

/// Reads the answer to estimate_prompt() in the same way: the last JSON object with a
/// `progressPercent` (or `progress_percent`), a number or "45%". Pure; accepts any bytes.
EstimateAnswer read_estimate_answer(std::string_view text);

}  // namespace headway::api
