// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::core {

/// The operator's choice of agents whose texts are not kept: prompts, messages, and the arguments
/// and results of calls. Digests of the texts are kept, so that loops are still found.
struct CaptureRules {
    bool digests = false;             ///< no texts of any agent are kept
    std::vector<std::string> agents;  ///< agents whose texts are not kept: names, types or adapters

    /// True if only digests are kept for sessions of this agent. Pure.
    bool only_digests(const AgentInfo& agent, const std::vector<Label>& labels) const;
    /// True if only digests are kept of the reports of this adapter's hooks. Pure.
    bool only_digests_of(const std::string& adapter) const;
    /// True if only digests are kept for a session with this opening, into which hooks of its
    /// adapters have reported. Pure.
    bool only_digests(const auto& about) const {
        const auto listed = [this](const std::string& adapter) { return only_digests_of(adapter); };
        return only_digests(about.agent, about.labels) ||
               std::any_of(about.adapters.begin(), about.adapters.end(), listed);
    }
};

/// Replaces the texts in an agent's report with their digests. It keeps the names of tools, files,
/// phases, tests, agents and models, the class of an error, and texts that a person has to decide
/// about. In a field that holds one word (a role, a status), it keeps only known words. Called
/// before the event is folded, so that nothing derived from the event contains the texts. Changes
/// only `payload`.
void keep_digests(Payload& payload);

}  // namespace headway::core
