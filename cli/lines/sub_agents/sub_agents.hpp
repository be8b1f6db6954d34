// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/base/json.hpp"
#include "cli/lines/sub_agents/sub_agent.hpp"

namespace headway::cli {

/// The sub-agents of one agent, from the calls that launch them to the results of these, or to the
/// end of the work in the background. A program may print any line, so their number is bounded,
/// and a line counts as a sub-agent's only if a call or a task before it has launched that.
/// Bounded. Pure.
class SubAgents {
public:
    /// In all. More than this need a person anyway ([fan_out]).
    static constexpr std::size_t kAllMax = 256;
    static constexpr std::size_t kLaunchesMax = 256;

    /// The work in the background that a line tells of.
    struct Task {
        std::string id;
        std::string call;  ///< the call that began it; empty: not reported
        bool goes_on = false;
    };
    struct Speaker {
        SubAgentRef by;         ///< null: the line counts as the agent's own
        bool launched = false;  ///< a call before it has launched the one that the line names
    };
    struct End {
        SubAgentRef by;
        Json data;  ///< of `session.ended`
    };

    /// `call`: data of a `tool.started`. Calls that launch nothing are left out.
    void note_started(const Json& call);
    void note_task(const Task& task);
    /// The one that speaks in a line that names this call as its launch; `id`: the agent's own id
    /// for it.
    Speaker speaker(const std::string& call, const std::string& id, const std::string& agent);

    /// The end of the sub-agent that this call has launched, `call` being data of a
    /// `tool.finished`. Without one: it goes on, or has said nothing.
    std::vector<End> end_of_call(const Json& call);
    /// The same of work in the background, by any of its names; `failed`: why it is no success.
    std::vector<End> end_of_task(const std::string& name, bool cut_off, std::string_view failed);
    /// The agent's process has ended.
    std::vector<End> end_all();

private:
    struct Launch {
        std::string call;
        std::string task = {};
        std::string type = {};
        std::string goal = {};
        bool goes_on = false;  // behind its call
        bool ended = false;
        SubAgentRef by = {};  // null: it has said nothing so far
    };

    Launch* find(std::string_view name);
    Launch* add(const std::string& call);
    static End end(Launch& launch, std::string_view outcome, std::string_view reason);

    std::deque<Launch> launches_;
    std::size_t all_ = 0;
};

}  // namespace headway::cli
