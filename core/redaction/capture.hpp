// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::core {

/// Agents whose texts are not kept, by the operator's setting: prompts, messages, arguments and
/// results of calls. Their digests are kept, so that loops are still found.
struct CaptureRules {
    bool digests = false;             ///< for all agents
    std::vector<std::string> agents;  ///< for these agents; by name, type or adapter

    /// True if only digests are kept of a session of this agent. Pure.
    bool only_digests(const AgentInfo& agent, const std::vector<Label>& labels) const;
    /// The same for an opening.
    bool only_digests(const auto& about) const { return only_digests(about.agent, about.labels); }
};

/// Replaces the texts in an agent's report with their digests. Names stay: of tools, files, phases
/// and tests, and the class of an error; so do texts that a person has to decide about. Called
/// before the event is folded, so that nothing derived from it has the texts. Pure.
void keep_digests(Payload& payload);

}  // namespace headway::core
