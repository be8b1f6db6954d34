// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "cli/base/json.hpp"

namespace headway::cli {

/// A job that pings each minute has a session for each run. In a list, runs that were completed
/// stand behind the newest completed one of their job; any other run is a row of its own.
class JobRuns {
public:
    /// Sessions come newest first. True: a row of its own; false: counted with that of its job.
    bool takes_row(const Json& session);

    /// How many stand behind this one.
    std::size_t behind(const std::string& id) const;
    std::size_t hidden() const { return hidden_; }

private:
    std::map<std::string, std::string> newest_;  ///< by job: its newest completed session
    std::map<std::string, std::size_t> behind_;  ///< by that session
    std::size_t hidden_ = 0;
};

}  // namespace headway::cli
