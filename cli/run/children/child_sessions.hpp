// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/lines/sub_agents/sub_agent.hpp"

namespace headway::cli {

/// The sessions of the sub-agents of one run: named as hooks name them, so that both report into
/// one, and each opened by its first report. One thread at a time.
class ChildSessions {
public:
    struct Report {
        std::string text;  ///< JSON
        SubAgentRef by;
        std::string parent;  ///< the run's session
        bool ends = false;   ///< the session
        bool only_ends = false;
    };

    /// `opening`: the body by which the run opens its own session. Its name and labels are those of
    /// the others, too: what is kept of them goes by these.
    explicit ChildSessions(const std::string& opening);

    /// The daemon's reply. 409: this sub-agent has no session of its own, and never will have.
    HttpReply post(Daemon& daemon, const Report& report);
    /// Ends all that are open, as far as the daemon can be reached.
    void end_all(Daemon& daemon);

private:
    struct Child {
        std::string session;  // empty: not opened
        bool refused = false;
    };

    Json opening_of(const Report& report) const;
    static void leave_if_stopped(Daemon& daemon, const HttpReply& reply, Child& child);
    HttpReply open(Daemon& daemon, const Report& report, Child& child) const;

    Json run_;
    std::map<SubAgentRef, Child> children_;
};

}  // namespace headway::cli
