// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace headway::cli {

/// A sub-agent whose calls an agent's lines report beside those of the agent itself.
struct SubAgent {
    std::string id;     ///< the agent's id for it, as in its hooks; else that of the launching call
    std::string lane;   ///< tells its calls apart in a session that others report into as well
    std::string agent;  ///< the agent that launched it
    std::string type;   ///< its type; empty: not reported
    std::string goal;   ///< empty: not reported
};

/// Two that have one id are two: the agent goes on with one that had ended.
using SubAgentRef = std::shared_ptr<const SubAgent>;

}  // namespace headway::cli
