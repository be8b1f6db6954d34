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

// Answer of a judge, read strictly: a closed enumeration, resting on events that it was shown. All
// its words are inert (data_fence.hpp) and bounded; they are for people, and decide nothing.

namespace headway::api {

struct StatusAnswer {
    std::optional<core::CheckAnswer> answer;  ///< only when all of it is as it has to be
    core::Text reason;                        ///< at most limits::kJudgeReasonBytesMax
    std::vector<std::uint64_t> evidence;  ///< each shown, each once, at most limits::kEvidenceMax;
                                          ///< empty without an answer
    double confidence = 0;                ///< 0 to 1; 0.5 when the judge gave none
    std::string error;                    ///< why there is no answer, for people; else empty
};

/// Reads the answer to status_prompt(): the last JSON object with an `answer` among whatever else
/// was said, else the form of the first design, a leading letter and a reason, which may name
/// events as "#12". No answer: no letter or more than one, in JSON B without evidence, an event
/// that is not in `shown`, a confidence that is not 0 to 1. Only the end of a text beyond
/// limits::kJudgeReadBytesMax is read. `shown`: rising. Pure; any bytes may come.
StatusAnswer read_status_answer(std::string_view text, std::span<const std::uint64_t> shown);

struct EstimateAnswer {
    std::optional<double> percent;      ///< 0 to 100
    core::Text reasoning;               ///< at most limits::kJudgeReasoningBytesMax
    std::string next_milestone;         ///< at most limits::kStringBytesMax
    std::vector<std::string> blockers;  ///< at most limits::kJudgeBlockersMax, each as long
    std::string error;                  ///< why there is no percent, for people; else empty
};

/// Reads the answer to estimate_prompt() in the same way: the last JSON object with a
/// `progressPercent` (or `progress_percent`), a number or "45%". Pure; any bytes may come.
EstimateAnswer read_estimate_answer(std::string_view text);

}  // namespace headway::api
