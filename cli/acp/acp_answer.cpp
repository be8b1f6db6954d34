// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_answer.hpp"

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"

namespace headway::cli {

AcpAnswer acp_answer(const HttpReply& reply) {
    using Says = AcpAnswer::Says;
    // Without room to store, the daemon itself refuses what needs a person.
    if (is_of_another_program(reply) || worth_retrying(reply)) return {Says::kAway};
    if (!reply.ok()) {
        const Problem problem = problem_of(reply);
        if (problem.code == "session_ended") return {Says::kEnded, problem.detail};
        return {Says::kRefused, problem.detail};
    }
    const std::optional<Json> body = body_json(reply);
    // Half of a reply is that of a daemon that has died meanwhile.
    if (!body && !reply.error.empty()) return {Says::kAway};
    if (!body || !body->is_object()) return {Says::kRefused, "the daemon's answer cannot be read"};
    for (const char* refusal : {"deny", "stop"})
        if (body->contains(refusal)) return {Says::kRefused, body->text_of(refusal)};
    return {};
}

}  // namespace headway::cli
