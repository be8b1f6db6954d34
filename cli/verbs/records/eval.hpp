// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace headway::cli {

struct EvalOptions {
    std::string folder;
    std::string labels;               ///< CSV file; empty: none
    std::string verdicts;             ///< CSV file of people's verdicts on alarms; empty: none
    std::vector<std::string> policy;  ///< "balanced", "strict" or "key=value"
    std::vector<std::string> apart;   ///< sources that the totals leave out
    std::string judge;                ///< letter that an assumed judge answers; empty: no judge
    bool list = false;
    bool json = false;
};

}  // namespace headway::cli
