// SPDX-License-Identifier: Apache-2.0
#include "server/agent_processes.hpp"

#include <utility>

namespace headway::server {

bool AgentProcesses::offer(const ReplyTo& to, OwnedDescriptor process) {
    if (!process.open() || followed_.size() + offered_.size() >= allowed_) return false;
    offered_.insert_or_assign(to.connection, std::move(process));
    return true;
}

void AgentProcesses::bind(const ReplyTo& to, const std::string& session) {
    const auto offered = offered_.find(to.connection);
    if (offered == offered_.end()) return;
    OwnedDescriptor process = std::move(offered->second);
    offered_.erase(offered);
    auto& place = followed_[session];
    place = std::make_unique<Descriptor>(io_, process.release());
    follow(session, *place);
}

void AgentProcesses::follow(const std::string& session, Descriptor& process) {
    process.async_wait(Descriptor::wait_read, [this, session](error_code ec) {
        if (ec) return;  // replaced, forgotten or stopped
        followed_.erase(session);
        gone_(session);
    });
}

}  // namespace headway::server
