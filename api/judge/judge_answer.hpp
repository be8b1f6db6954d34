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

// A judge's answer, read strictly. A status check is answered by one of four letters and the events
// that support it; an estimate request, by a percentage. The texts in an answer are inert
// (data_fence.hpp) and bounded; they are for people and decide nothing.

namespace headway::api {

struct StatusAnswer {
    /// The letter; absent unless the whole answer is valid.
    std::optional<core::CheckAnswer> answer;
    core::Text reason;  ///< the judge's reason, at most limits::kJudgeReasonBytesMax
    std::vector<std::uint64_t> evidence;  ///< events that the judge was shown, without
                                          ///< duplicates, at most limits::kEvidenceMax; empty
                                          ///< without an answer
    double confidence = 0;  ///< the judge's confidence, 0 to 1; 0.5 if the judge gave none
    std::string error;      ///< why there is no answer, for people; else empty
};

/// Reads the answer to status_prompt(): the last JSON object with an `answer` in the text. If there
/// is none, the answer must be in the form of the first design: a letter at the beginning and a
/// reason, which may name events as "#12". An answer is invalid if it has no letter or several, if
/// it names an event that is not in `shown`, if its confidence is outside 0 to 1, or if it is a B
/// (looping) in JSON that names no evidence. If the text is longer than limits::kJudgeReadBytesMax,
/// only its end is read. `shown` must be ascending. Pure; accepts any bytes.
StatusAnswer read_status_answer(std::string_view text, std::span<const std::uint64_t> shown);

struct EstimateAnswer {
    std::optional<double> percent;  ///< the estimate, 0 to 100
    core::Text reasoning;        ///< the judge's reasoning, at most limits::kJudgeReasoningBytesMax
    std::string next_milestone;  ///< at most limits::kStringBytesMax
    std::vector<std::string> blockers;  ///< at most kJudgeBlockersMax, each at most kStringBytesMax
    std::string error;                  ///< why there is no percent, for people; else empty
};

/// Reads the answer to estimate_prompt() in the same way. The answer is the last JSON object with a
/// member `progressPercent` (or `progress_percent`), which is a number or a text such as "45%".
/// Pure; accepts any bytes.
EstimateAnswer read_estimate_answer(std::string_view text);

}  // namespace headway::api
