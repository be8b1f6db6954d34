// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_answer.hpp"

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"

namespace headway::cli {

using Says = AcpAnswer::Says;

AcpAnswer acp_answer(const HttpReply& reply) {
    if (is_of_another_program(reply) || !reply.stranger.empty()) return {Says::kAway};
    if (!reply.answered()) return {reply.connected ? Says::kSilent : Says::kAway};
    // A daemon that starts, ends or has too much to do; a proxy before none has no such header.
    const bool busy = reply.status == 503 || reply.status == 408;
    if (busy && reply.headers.contains("x-headway")) return {Says::kSilent};
    // Without room to store, the daemon itself refuses what needs a person.
    if (worth_retrying(reply)) return {Says::kAway};
    if (!reply.ok()) {
        const Problem problem = problem_of(reply);
        if (problem.code == "session_ended") return {Says::kEnded, problem.detail};
        return {Says::kRefused, problem.detail};
    }
    const std::optional<Json> body = body_json(reply);
    // Half of a reply is that of a daemon that has died meanwhile.
    if (!body && !reply.error.empty()) return {Says::kSilent, {}, true};
    if (!body || !body->is_object()) return {Says::kRefused, "the daemon's answer cannot be read"};
    for (const char* refusal : {"deny", "stop"})
        if (body->contains(refusal)) return {Says::kRefused, body->text_of(refusal)};
    return {};
}

std::optional<AcpAnswer> AcpPatience::after(const AcpAnswer& said, SteadyTime now) {
    if (said.says != Says::kAway && said.says != Says::kSilent) return said;
    reached_ = reached_ || said.says == Says::kSilent;
    if (!reached_) return said;
    // A try that only timed out shows no daemon that could answer.
    if (said.held || !until_) until_ = now + kBackMax;
    if (now <= *until_) return std::nullopt;
    return AcpAnswer{Says::kRefused, "the daemon went away while it had the call"};
}

}  // namespace headway::cli
