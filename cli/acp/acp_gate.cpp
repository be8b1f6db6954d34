// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_gate.hpp"

#include <algorithm>
#include <utility>

#include "cli/acp/acp_message.hpp"

namespace headway::cli {

std::optional<AcpAction> AcpGate::ask(AcpAction asking, const Json& request) {
    if (open_.size() >= kOpenMax) {
        // The dialog of a call that Headway refused may stay without an answer.
        const auto answered = std::find_if(open_.begin(), open_.end(), [](const auto& open) {
            return open.second.decided && open.second.refused;
        });
        if (answered == open_.end()) return std::nullopt;
        open_.erase(answered);
    }
    asking.serial = ++serial_;
    AcpAction again = asking;
    again.data.erase("started");  // it is reported once
    open_[asking.request] = {
        std::move(again), request["params"]["options"], acp_refusal(request), {}, false, false};
    return asking;
}

AcpGate::Reply AcpGate::reply(const std::string& id, const std::string& line, const Json& message) {
    Reply reply;
    const auto found = open_.find(id);
    if (found == open_.end()) return reply;
    reply.known = true;
    Open& open = found->second;
    const bool allowed = acp_allows(open.options, message);
    reply.refused = !allowed;
    if (allowed && open.decided) open.asking.serial = ++serial_;
    reply.asking = open.asking;
    if (allowed && !open.refused) {
        open.held = line;
        reply.answer = open.decided ? Answer::kAskAgain : Answer::kHold;
        open.decided = false;
        return reply;
    }
    if (open.refused) reply.answer = Answer::kDrop;
    open_.erase(found);
    return reply;
}

std::optional<std::string> AcpGate::decide(const std::string& id, std::uint64_t serial,
                                           bool refused) {
    const auto found = open_.find(id);
    if (found == open_.end()) return std::nullopt;
    Open& open = found->second;
    if (open.decided || open.asking.serial != serial) return std::nullopt;
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
