// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_gate.hpp"

#include <utility>

#include "cli/acp/acp_message.hpp"

namespace headway::cli {

bool AcpGate::ask(const std::string& id, const Json& request) {
    if (open_.size() >= kOpenMax && !open_.contains(id)) return false;
    open_[id] = {request["params"]["options"], acp_refusal(request), {}, false, false};
    return true;
}

AcpGate::Answer AcpGate::reply(const std::string& id, const std::string& line, const Json& message,
                               std::optional<bool>& allowed) {
    const auto found = open_.find(id);
    if (found == open_.end()) return Answer::kPass;
    Open& open = found->second;
    allowed = acp_allows(open.options, message);
    if (*allowed && !open.decided) {
        open.held = line;
        return Answer::kHold;
    }
    const bool answered = open.decided && open.refused;
    // Headway may answer later: then nothing is left to be said.
    open_.erase(found);
    return answered ? Answer::kDrop : Answer::kPass;
}

std::optional<std::string> AcpGate::decide(const std::string& id, bool refused) {
    const auto found = open_.find(id);
    if (found == open_.end()) return std::nullopt;
    Open& open = found->second;
    if (open.decided) return std::nullopt;
    open.decided = true;
    open.refused = refused;
    if (!open.held.empty()) {
        std::string line = refused ? std::move(open.refusal) : std::move(open.held);
        open_.erase(found);
        return line;
    }
    return refused ? std::optional{open.refusal} : std::nullopt;
}

}  // namespace headway::cli
