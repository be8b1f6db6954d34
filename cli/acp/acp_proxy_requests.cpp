// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "cli/acp/acp_proxy.hpp"
#include "cli/acp/messages/acp_deed.hpp"
#include "cli/acp/messages/acp_message.hpp"

// The agent's output on its way to the editor.

namespace headway::cli {

/// Takes a part of a line that is too long to be read: what it lets the editor do is not done.
void AcpProxy::agent_part(std::string_view text) {
    if (!in_agents_line_) {
        const AcpHead head = acp_head(text);
        drops_agents_line_ = acp_is_deed(head.method);
        unread_ = unread_ || !drops_agents_line_;
        if (drops_agents_line_) {
            sessions_.refuse({}, "a request to the editor is too long to be read");
            inject(acp_not_done(Json::parse(head.id).value_or(Json())));
        }
    }
    in_agents_line_ = !text.ends_with('\n');
    if (!drops_agents_line_) to_editor_ += text;
    if (in_agents_line_) return;
    to_editor_ += std::exchange(released_, {});
    drops_agents_line_ = false;
}

void AcpProxy::pass_to_editor(std::string_view line) {
    (in_agents_line_ ? released_ : to_editor_).append(line).append("\n");
}

void AcpProxy::agent_line(std::string_view line) {
    const std::optional<Json> message = Json::parse(line);
    bool passes = true;
    if (message && message->is_object()) passes = agent_message(*message, line);
    if (!message || !message->is_array()) {
        if (passes) pass_to_editor(line);
        return;
    }
    const bool cut = std::any_of(message->begin(), message->end(), [](const Json& each) {
        return acp_is_deed(each.text_of("method"));
    });
    for (const Json& each : *message) {
        const std::string alone = cut ? dump(each) : std::string{};
        if ((!each.is_object() || agent_message(each, alone)) && cut) pass_to_editor(alone);
    }
    if (!cut) pass_to_editor(line);
}

/// False if the editor does not get the line, or gets it later.
bool AcpProxy::agent_message(const Json& message, std::string_view line) {
    const std::string& method = message.text_of("method");
    const bool request = !method.empty() && message.contains("id");
    const bool deed = acp_is_deed(method);
    const auto before = request ? gate_.begin(acp_id(message["id"])) : std::nullopt;
    if (before) {
        sessions_.refuse(before->asking, "the agent has given its request's id to another");
        answer(*before, "denied");
        if (deed || method == "session/request_permission") {
            inject(acp_refusal(message));
            return !deed;
        }
    }
    const AcpObserver::Actions actions = observer_.from_agent(message);
    act(actions, message, line);
    return !deed || std::none_of(actions.begin(), actions.end(),
                                 [](const AcpAction& action) { return action.deed; });
}

void AcpProxy::ask(const AcpAction& action, const Json& message, std::string_view line) {
    if (const auto asking = gate_.ask(action, message, action.deed ? line : std::string_view{}))
        return sessions_.ask(*asking);
    sessions_.refuse(action, "too many permissions are open");
    observer_.refused(action.session, action.type);
    gate_.answered(action.request);
    inject(acp_refusal(message));
    if (action.deed) act(observer_.not_done(action.session, action.type), {});
}

}  // namespace headway::cli
