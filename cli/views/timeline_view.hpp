// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/records/offline_judge.hpp"

// The output of `headway replay` for a recording that is judged without a daemon. Pure.

namespace headway::cli {

class Json;

struct TimelineStyle {
    std::size_t width = 0;  ///< columns to crop to; 0: do not crop
    bool color = false;
    bool why = false;  ///< prints the evidence of each step, one line per event
};

/// `{"session","events","calls","duplicates","refused","verdict","timeline":[...],"directives":[...]}`;
/// each step of the timeline has every field of its event, and `n`, `line`, `call` and `at`
/// (seconds since the opening). With `why`, a step also has the events that are its evidence.
Json timeline_json(const std::string& session, const Timeline& timeline, bool why);

/// One line per step, in order.
std::string timeline_text(const std::string& session, const Timeline& timeline,
                          const TimelineStyle& style);

}  // namespace headway::cli
