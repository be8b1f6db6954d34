// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "cli/acp/acp_proxy.hpp"
#include "cli/acp/messages/acp_deed.hpp"
#include "cli/acp/messages/acp_head.hpp"
#include "cli/acp/messages/acp_message.hpp"

// The agent's output on its way to the editor.

namespace headway::cli {
namespace {

constexpr std::chrono::seconds kStallMax{5};
constexpr const char* kCrowded =
    "Too many calls wait for Headway's answer. Try again once some of them have ended.";

bool has_deed(std::string_view line) {
    const auto message = Json::parse(line);
    return message && acp_has_deed(*message);
}

}  // namespace

/// Output behind a deed that has no place at the gate waits as well: it may be about that deed.
void AcpProxy::agent_text(std::string_view text, bool whole) {
    const bool deed = whole && (gate_.is_full() || !stalled_.empty()) && has_deed(text);
    if (stalled_.empty() && !(deed && waits())) return take_agent(text, whole);
    stalled_.push_back({std::string{text}, whole, deed});
}

/// True if a deed waits for a place. Where nothing is decided for a while of what a daemon has,
/// persons have to decide: then the deeds are refused.
bool AcpProxy::waits() const {
    const bool late = full_at_ && steady_now() - *full_at_ >= kStallMax;
    return gate_.is_full() && (!late || sessions_.waits_for_daemon());
}

void AcpProxy::go_on() {
    if (!gate_.is_full()) full_at_.reset();
    if (gate_.is_full() && !full_at_) full_at_ = steady_now();
    while (!stalled_.empty() && !(stalled_.front().deed && waits())) {
        const Stalled first = std::move(stalled_.front());
        stalled_.pop_front();
        take_agent(first.text, first.whole);
    }
}

void AcpProxy::take_agent(std::string_view text, bool whole) {
    if (!whole) return agent_part(text);
    if (!in_agents_line_) return agent_line(text);
    agent_part(std::string{text} + "\n");  // the rest of a line whose begin was taken as the last
}

/// Takes a part of a line that is too long to be read. Its end reaches the editor only if its
/// members are known, and it is no deed.
void AcpProxy::agent_part(std::string_view text) {
    const bool begins = !in_agents_line_;
    if (begins) members_ = {};
    members_.feed(text);
    const AcpHead& head = members_.head();
    in_agents_line_ = !text.ends_with('\n');
    const bool clear = in_agents_line_ ? !head.odd : head.clear();
    if (!drops_agents_line_ && (!clear || acp_is_deed(head.method))) {
        drops_agents_line_ = true;
        if (!begins) to_editor_ += '\n';  // without its end it is no message
    }
    if (begins) unread_ = unread_ || !drops_agents_line_;
    if (!drops_agents_line_) to_editor_ += text;
    if (in_agents_line_) return;
    if (std::exchange(drops_agents_line_, false)) refuse_unread(head);
    to_editor_ += std::exchange(released_, {});
}

/// Agents write what they read into their logs: only a request has an answer, and the editor gets
/// one only for a request of its own.
void AcpProxy::refuse_unread(const AcpHead& head) {
    sessions_.refuse({}, "a line of the agent cannot be read, or is too long to be");
    if (!head.whole || head.id.empty()) return;
    const Json id = Json::parse(head.id).value_or(Json());
    if (head.request) return inject(acp_not_done(id));
    if (!head.reply || !observer_.awaits(head.id)) return;
    const Json reply = acp_unread(id);
    act(observer_.from_agent(reply), reply);
    pass_to_editor(dump(reply));
}

void AcpProxy::pass_to_editor(std::string_view line) {
    (in_agents_line_ ? released_ : to_editor_).append(line).append("\n");
}

/// An editor may read what is no JSON, or more than one message in a line.
void AcpProxy::agent_line(std::string_view line) {
    const AcpHead head = acp_head(line);
    if (!head.braces) return pass_to_editor(line);
    const std::optional<Json> message = Json::parse(line);
    const bool batch = message && message->is_array();
    if (!message || (!batch && !head.clear())) return refuse_unread(head);
    if (!batch && !acp_is_deed(head.method)) {
        if (agent_message(*message, line)) pass_to_editor(line);
        return;
    }
    // The editor gets the last of members with one name, which is the one that was read.
    const auto pass = [this](const Json& each) {
        const bool deed = acp_is_deed(each.text_of("method"));
        const std::string alone = deed ? acp_deed_line(each) : dump(each);
        const AcpHead part = acp_head(alone);
        if (!part.clear() || (deed && !acp_is_exact(each))) return refuse_unread(part);
        if (!each.is_object() || agent_message(each, alone)) pass_to_editor(alone);
    };
    if (!batch) return pass(*message);
    for (const Json& each : *message)
        pass(each);
}

/// False if the editor does not get the line, or gets it later.
bool AcpProxy::agent_message(const Json& message, std::string_view line) {
    const std::string& method = message.text_of("method");
    const bool request = !method.empty() && message.contains("id");
    const bool deed = acp_is_deed(method);
    if (deed && !request) {
        sessions_.refuse({}, "a request to the editor has no id");
        return false;
    }
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
    inject(action.deed ? acp_not_done(message["id"], kCrowded) : acp_refusal(message));
    if (action.deed) act(observer_.not_done(action.session, action.type), {});
}

}  // namespace headway::cli
