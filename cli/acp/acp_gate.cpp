// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_gate.hpp"

#include <algorithm>
#include <utility>

#include "cli/acp/messages/acp_message.hpp"

namespace headway::cli {

std::optional<AcpGate::Closed> AcpGate::begin(const std::string& id) {
    std::erase(answered_, id);
    const auto found = open_.find(id);
    if (found == open_.end()) return std::nullopt;
    Closed closed{std::move(found->second.asking), std::move(found->second.refusal)};
    open_.erase(found);
    answered(id);
    return closed;
}

std::optional<AcpAction> AcpGate::ask(AcpAction asking, const Json& request,
                                      std::string_view line) {
    if (is_full()) return std::nullopt;
    asking.serial = ++serial_;
    std::string refusal = acp_refusal(request);
    std::string cancelled = asking.deed ? refusal : acp_cancelled(request["id"]);
    open_[asking.request] = {asking,
                             request["params"]["options"],
                             std::move(refusal),
                             std::move(cancelled),
                             std::string{line},
                             false};
    return asking;
}

AcpGate::Reply AcpGate::reply(const std::string& id, const std::string& line, const Json& message) {
    Reply reply;
    const auto found = open_.find(id);
    if (found == open_.end()) {
        reply.known = std::find(answered_.begin(), answered_.end(), id) != answered_.end();
        if (reply.known) reply.answer = Answer::kDrop;
        return reply;
    }
    reply.known = true;
    Open& open = found->second;
    if (open.asking.deed) {
        reply.answer = Answer::kDrop;  // of a request that the editor has not seen
        return reply;
    }
    reply.refused = !acp_allows(open.options, message);
    if (!reply.refused && open.decided) open.asking.serial = ++serial_;
    if (open.asking.reached) open.asking.data.erase("started");  // it is reported once
    reply.asking = open.asking;
    if (reply.refused) {
        open_.erase(found);
        answered(id);
        return reply;
    }
    open.held = line;
    reply.answer = open.decided ? Answer::kAskAgain : Answer::kHold;
    open.decided = false;
    return reply;
}

bool AcpGate::may_answer(const std::string& id) const {
    if (id.empty()) return !open_.empty();
    return open_.contains(id) ||
           std::find(answered_.begin(), answered_.end(), id) != answered_.end();
}

bool AcpGate::waits_for_editor(const std::string& session) const {
    return std::any_of(open_.begin(), open_.end(), [&](const auto& entry) {
        return entry.second.asking.session == session && entry.second.held.empty();
    });
}

std::optional<std::string> AcpGate::decide(const std::string& id, std::uint64_t serial,
                                           bool refused, bool reached) {
    const auto found = open_.find(id);
    if (found == open_.end()) return std::nullopt;
    Open& open = found->second;
    if (open.decided || open.asking.serial != serial) return std::nullopt;
    open.decided = true;
    open.asking.reached = open.asking.reached || reached;
    if (!refused && open.held.empty()) return std::nullopt;
    std::string line = std::move(refused ? open.refusal : open.held);
    const bool passes = open.asking.deed && !refused;  // its answer is still to come
    open_.erase(found);
    if (!passes) answered(id);
    return line;
}

std::vector<AcpGate::Closed> AcpGate::close(const std::string& session, bool refused) {
    std::vector<Closed> closed;
    for (auto place = open_.begin(); place != open_.end();) {
        Open& open = place->second;
        if (open.asking.session != session) {
            ++place;
            continue;
        }
        closed.push_back(
            {std::move(open.asking), std::move(refused ? open.refusal : open.cancelled)});
        answered(place->first);
        place = open_.erase(place);
    }
    return closed;
}

std::vector<AcpGate::Closed> AcpGate::refuse(const std::string& id) {
    std::vector<Closed> closed;
    for (auto place = open_.begin(); place != open_.end();) {
        if (!id.empty() && place->first != id) {
            ++place;
            continue;
        }
        closed.push_back({std::move(place->second.asking), std::move(place->second.refusal)});
        answered(place->first);
        place = open_.erase(place);
    }
    return closed;
}

void AcpGate::answered(const std::string& id) {
    if (answered_.size() >= kAnsweredMax) answered_.pop_front();
    answered_.push_back(id);
}

}  // namespace headway::cli
