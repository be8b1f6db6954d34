// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "cli/base/json.hpp"

namespace headway::cli {

/// Decides which sessions have a row of their own in a list. A job that pings each minute has a
/// session for each run. Therefore the completed runs of a job, if they have no alarm, share the
/// row of the newest of them. Any other session has a row of its own.
class JobRuns {
public:
    /// To be called once for each session, newest first. True: the session has a row of its own;
    /// false: it is counted with its job's row.
    bool takes_row(const Json& session);

    /// Number of further runs that are counted with this session's row.
    std::size_t behind(const std::string& id) const;
    /// Number of sessions without a row of their own.
    std::size_t hidden() const { return hidden_; }

private:
    std::map<std::string, std::string> newest_;  ///< id of the newest completed session of each job
    /// By session in `newest_`: the number of further runs in its row.
    std::map<std::string, std::size_t> behind_;
    std::size_t hidden_ = 0;
};

}  // namespace headway::cli
