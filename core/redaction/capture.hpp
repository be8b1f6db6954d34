// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::core {

/// Agents whose texts are not kept, by the operator's setting: prompts, messages, arguments and
/// results of calls. Digests of them are, so that loops are found as ever.
struct CaptureRules {
    bool digests = false;             ///< of all agents
    std::vector<std::string> agents;  ///< of these; by name, type or adapter

    /// True if only digests are kept of such a session. Pure.
    bool only_digests(const AgentInfo& agent, const std::vector<Label>& labels) const;
    /// The same, of an opening.
    bool only_digests(const auto& about) const { return only_digests(about.agent, about.labels); }
};

/// Takes the texts out of what an agent reports, and leaves their digests. Names stay: of tools,
/// files, phases and tests, and the class of an error; so does what a person has to decide about.
/// Before the event is folded, so that nothing derived from it has them either. Pure.
void keep_digests(Payload& payload);

}  // namespace headway::core
