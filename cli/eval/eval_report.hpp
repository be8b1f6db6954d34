// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/eval/eval_metrics.hpp"

// Output of `headway eval`. Pure.

namespace headway::cli {

class Json;

/// All that was judged under one folder, in the order of the files.
struct Evaluation {
    std::vector<JudgedSession> sessions;
    std::vector<Scenario> scenarios;
    std::vector<std::string> apart;  ///< sources that the totals leave out
    bool labelled = false;
    bool read = false;                   ///< people's verdicts on alarms were read
    std::vector<std::string> not_there;  ///< missing files that these verdicts name
    std::size_t unlabelled = 0;          ///< recordings that the labels do not name
    std::vector<std::string> missing;    ///< missing files that labels name
    std::size_t events_lost = 0;         ///< unreadable events in readable files
    std::vector<std::string> lost;       ///< "file:line: what", the first such event of each file
    std::vector<std::string> troubles;   ///< "file:line: what", one for each unreadable file
    std::size_t foreign = 0;             ///< those of `troubles` in which nothing is understood
};

/// `{"total","sources","alarms"?,"scenarios"?,"unlabelled","labels_missing","unreadable",`
/// `"events_unreadable","lists"?}`
Json eval_json(const Evaluation& evaluation, bool with_lists);

/// Tables for people, at most `width` columns wide (0: unlimited).
std::string eval_text(const Evaluation& evaluation, bool with_lists, std::size_t width);

}  // namespace headway::cli
