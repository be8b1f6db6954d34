// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_observer.hpp"

#include <algorithm>
#include <utility>

#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"
#include "cli/lines/recorded_line.hpp"
#include "cli/lines/use_meter.hpp"
#include "core/base/limits.hpp"

namespace headway::cli {
namespace {

using Kind = AcpAction::Kind;

AcpAction event(const std::string& session, const char* type, Json data) {
    LineEvent line_event{type, std::move(data)};
    bound_event(line_event);
    return {Kind::kEvent, session, std::move(line_event.type), std::move(line_event.data), {}};
}

void add_use(const std::string& session, const LineUse& line_use, AcpObserver::Actions& actions) {
    const LineUse use = believable(line_use);
    if (use.tokens.sum() == 0 && !use.cost_usd) return;
    actions.push_back({Kind::kEvent, session, "heartbeat", {{"usage", usage_json(use)}}, {}});
}

}  // namespace

AcpObserver::Session* AcpObserver::find(const std::string& id) {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
}

Json AcpObserver::state(const std::string& session) const {
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) return {};
    if (found->second.asks()) return {};
    for (const auto& [name, call] : found->second.calls)
        if (call.at_work())
            return {{"state", "executing_tool"}, {"detail", call.first.text_of("tool")}};
    const bool rests = !found->second.at_work && !found->second.by_agent;
    return rests ? Json{{"state", "idle"}} : Json();
}

AcpObserver::Actions AcpObserver::from_editor(const Json& message) {
    Actions actions;
    const std::string& method = message.text_of("method");
    const Json& params = message["params"];
    if (method == "session/cancel") cancelled(params.text_of("sessionId"), actions);
    if (method.empty() || !message.contains("id")) return actions;
    if (requests_.size() == kRequestsMax) requests_.pop_front();
    const std::string& id = params.text_of("sessionId");
    requests_.push_back({acp_id(message["id"]), method, id, params.text_of("cwd")});
    // The old conversation is shown again, by some agents after their reply as well.
    if (Session* const loaded = method == "session/load" ? find(id) : nullptr)
        loaded->prompted = false;
    if (method != "session/prompt") return actions;
    // An agent may know a session that was begun before we were.
    if (find(id) == nullptr) opened(requests_.back(), params, actions);
    Session* const session = find(id);
    if (session == nullptr) return actions;
    // The turn before may go on until its calls have ended.
    if (!session->at_work) {
        end_message(id, *session, actions);
        end_calls(id, *session, actions);
    }
    session->at_work = session->prompted = true;
    session->waits.clear();
    session->cancelled = session->by_agent = session->worked = false;
    for (auto& [name, other] : sessions_)
        other.cancelled = other.cancelled && !other.by_agent;
    session->prompt = requests_.back().id;
    session->used = ++used_;
    actions.push_back({Kind::kTurn, id, {}, {}, {}});
    end_unnamed(id, false, actions);
    const std::string text = acp_text(params["prompt"]);
    actions.push_back(event(id, "message", {{"role", "user"}, {"text", text}}));
    return actions;
}

AcpObserver::Actions AcpObserver::from_agent(const Json& message) {
    Actions actions;
    const std::string& method = message.text_of("method");
    if (method == "session/update") {
        updated(message["params"], actions);
    } else if (method == "session/request_permission") {
        asked(message, actions);
    } else if (acp_is_deed(method)) {
        do_for(message, actions);
    } else if (!method.empty()) {
        end_deed(deeds_.from_agent(message), actions);
        wait_for_person(message, actions);
    } else if (message.contains("id")) {
        replied(message, actions);
    }
    return actions;
}

bool AcpObserver::awaits(const std::string& id) const {
    return std::any_of(requests_.begin(), requests_.end(),
                       [&id](const Request& request) { return request.id == id; });
}

void AcpObserver::replied(const Json& message, Actions& actions) {
    const std::string id = acp_id(message["id"]);
    const auto found = std::find_if(requests_.begin(), requests_.end(),
                                    [&id](const Request& request) { return request.id == id; });
    if (found == requests_.end()) return;
    const Request request = std::move(*found);
    requests_.erase(found);
    const Json& result = message["result"];
    if (request.method == "session/prompt") return turn_over(request, message, actions);
    if (!result.is_object()) return;
    const Json& info = result["agentInfo"];
    if (request.method == "initialize" && info.is_object()) {
        const std::string name = acp_agent_name(info.text_of("name"));
        if (!name.empty()) agent_ = name;
        version_ = cut_bytes(info.text_of("version"), kAcpNameBytesMax);
    }
    const bool opens = request.method == "session/new" || request.method == "session/load" ||
                       request.method == "session/resume";
    if (opens) opened(request, result, actions);
}

void AcpObserver::opened(const Request& request, const Json& result, Actions& actions) {
    const std::string id = request.session.empty() ? result.text_of("sessionId") : request.session;
    if (id.empty() || id.size() > kAcpNameBytesMax) return;
    if (find(id) != nullptr) return;
    if (sessions_.size() >= kSessionsMax) make_room(actions);
    if (sessions_.size() >= kSessionsMax) return;
    const bool by_agent = request.method == "session/request_permission";
    sessions_[id].used = ++used_;
    sessions_[id].by_agent = by_agent;
    sessions_[id].cwd = request.cwd;
    Json agent = {{"type", agent_}, {"name", agent_}};
    const std::string model{
        cut_bytes(result["models"].text_of("currentModelId"), kAcpNameBytesMax)};
    if (!model.empty()) agent["model"] = model;
    Json labels = {{"protocol", "acp"}};
    acp_add_label(labels, "agent_version", version_);
    acp_add_label(labels, "workspace", request.cwd);
    AcpAction action{Kind::kOpen, id, {}, {{"agent", agent}, {"labels", labels}}, {}};
    if (by_agent) action.request = request.id;
    actions.push_back(std::move(action));
    // One that is loaded again may only be looked at.
    if (request.method == "session/new")
        actions.push_back(event(id, "state.changed", {{"state", "idle"}}));
}

/// The session that was used the longest ago, of those that do nothing now.
void AcpObserver::make_room(Actions& actions) {
    auto oldest = sessions_.end();
    for (auto place = sessions_.begin(); place != sessions_.end(); ++place) {
        if (!place->second.idle()) continue;
        if (oldest == sessions_.end() || place->second.used < oldest->second.used) oldest = place;
    }
    if (oldest == sessions_.end()) return;
    actions.push_back({Kind::kLeft, oldest->first, {}, {}, {}});
    sessions_.erase(oldest);
}

void AcpObserver::turn_over(const Request& prompt, const Json& reply, Actions& actions) {
    const std::string& id = prompt.session;
    Session* const session = find(id);
    if (session == nullptr || !session->at_work) return;
    end_message(id, *session, actions);
    const Json& result = reply["result"];
    add_use(id, acp_use(result), actions);
    if (session->prompt != prompt.id) return;  // another one has begun the next turn before
    const std::string& reason = result.text_of("stopReason");
    const bool cancelled = std::exchange(session->cancelled, false) || reason == "cancelled";
    session->at_work = false;
    session->waits.clear();
    end_calls(id, *session, actions);
    std::string wrong = session->worked ? "" : "its last turn had neither words nor a call";
    if (Json error = acp_turn_error(reply); !error.is_null()) {
        wrong = error.text_of("message");
        if (cancelled) error["ends_turn"] = false;  // some agents answer a cancel with an error
        actions.push_back(event(id, "error.reported", std::move(error)));
    }
    actions.push_back(event(id, "state.changed", {{"state", "idle"}, {"detail", reason}}));
    if (cancelled) wrong = kTurnStopped;
    actions.push_back({Kind::kIdle, id, std::move(wrong), {}, {}});
    end_unnamed(id, false, actions);
}

void AcpObserver::end_calls(const std::string& id, Session& session, Actions& actions) {
    for (auto& [call_id, call] : session.calls) {
        call.known["status"] = "failed";
        call.refused = true;  // its end was not said, so it is no failure of the tool
        start(id, call_id, call, actions);
        if (call.started) finish(id, call, actions);
    }
    session.calls.clear();
}

void AcpObserver::cancelled(const std::string& id, Actions& actions) {
    actions.push_back({Kind::kCancel, id, {}, {}, {}});
    stopped(id);
    const Session* const session = find(id);
    end_unnamed(id, session != nullptr && session->at_work, actions);
}

/// Sessions of the agent's own, such as those of sub-agents, end with the last turn of an editor's.
void AcpObserver::end_unnamed(const std::string& id, bool cancelled, Actions& actions) {
    const bool others = std::any_of(sessions_.begin(), sessions_.end(), [&id](const auto& other) {
        return other.second.at_work && other.first != id;
    });
    if (others) return;
    for (auto& [name, session] : sessions_) {
        if (!session.by_agent) continue;
        session.cancelled = cancelled;
        actions.push_back({Kind::kCancel, name, {}, {}, {}});
    }
}

void AcpObserver::updated(const Json& params, Actions& actions) {
    const std::string& id = params.text_of("sessionId");
    Session* const session = find(id);
    // Outside of a turn, agents go on in the background. Before the first, an old conversation is
    // shown again.
    if (session == nullptr || (session->idle() && !session->prompted)) return;
    const Json& update = params["update"];
    const std::string& kind = update.text_of("sessionUpdate");
    if (kind == "agent_message_chunk") {
        const std::string text = acp_text(update["content"]);
        session->worked = session->worked || !text.empty();
        if (session->text.size() < kLineTextBytesMax) session->text += text;
        begun_ = begun_ || !session->at_work;
        return;
    }
    const bool news = kind == "tool_call_update";
    // The end of a call that ended with its turn comes late.
    if (news && !session->at_work && !session->calls.contains(acp_call_id(update))) return;
    if (kind == "tool_call" || news) {
        end_message(id, *session, actions);
        called(id, *session, update, actions);
    } else if (kind == "plan") {
        Json steps = Json::array();
        for (const Json& entry : update["entries"])
            steps.push_back({{"title", entry["content"]}, {"status", entry["status"]}});
        actions.push_back(event(id, "plan.updated", {{"steps", std::move(steps)}}));
    } else if (kind == "usage_update" && update["cost"]["currency"] == "USD") {
        LineUse use;
        use.cost_usd = update["cost"]["amount"].number();
        if (const auto more = session->cost.add(use)) add_use(id, *more, actions);
    }
}

// A call may be announced twice, first without its arguments, and begins once it is not pending.
void AcpObserver::called(const std::string& id, Session& session, const Json& update,
                         Actions& actions) {
    const std::string call_id = acp_call_id(update);
    if (call_id.empty()) return;
    Call& call = session.call(call_id);
    call.known.update(update);
    call.words.announce(update);
    const bool other = update.contains("rawInput") && call.words.contradicted();
    if (!call.asked.is_null() && (other || call.words.outgrew(call.first.text_of("tool")))) {
        if (other) call.first["args"] = call.words.announced();
        call.first["tool"] = call.words.about(call_id)["tool"];
    }
    const std::string& status = std::as_const(call.known).text_of("status");
    const bool over = status == "completed" || status == "failed";
    // Any status but this one, also one that is not known, is that of a call that has begun.
    const bool waits = status.empty() || status == "pending";
    call.begun = call.begun || !waits || update.contains("rawOutput");
    begun_ = begun_ || (call.begun && !call.started);
    if (!over) return;
    start(id, call_id, call, actions);
    finish(id, call, actions);
    session.calls.erase(call_id);
    tell_rest(id, session, actions);
}

/// With as much of the arguments as the start was reported with.
AcpAction AcpObserver::finished(const std::string& id, const Call& call, Json data) {
    if (call.asked.is_null()) return event(id, "tool.finished", std::move(data));
    LineEvent done = acp_asked_event("tool.finished", std::move(data));
    return {Kind::kEvent, id, std::move(done.type), std::move(done.data), {}};
}

void AcpObserver::start(const std::string& id, const std::string& call_id, Call& call,
                        Actions& actions) {
    if (!call.begun || call.started) return;
    call.started = true;
    call.first = call.words.about(call_id);
    call.remarks = call.words.remarks();
    actions.push_back(event(id, "tool.started", acp_described(call.first, call.remarks)));
}

AcpObserver::Actions AcpObserver::start_calls() {
    Actions actions;
    begun_ = false;
    for (auto& [id, session] : sessions_) {
        tell_waits(id, session, actions);
        tell_words(id, session, actions);
        for (auto& [call_id, call] : session.calls) {
            if (call.waited) start(id, call_id, call, actions);
            call.waited = call.begun;
            begun_ = begun_ || (call.begun && !call.started);
        }
    }
    return actions;
}

void AcpObserver::finish(const std::string& id, const Call& call, Actions& actions) {
    Json data = call.first;
    const bool ok = acp_succeeded(call.known);
    if (!ok && call.told) return;
    data["ok"] = ok;
    if (ok) {
        data["result"] = acp_result(call.known);
        Json mutated = acp_mutated(call.known);
        if (!mutated.empty()) data["mutated"] = std::move(mutated);
    } else {
        Json error = {{"message", acp_result(call.known)}};
        if (call.refused) error["class"] = call.how_refused();
        data["error"] = std::move(error);
    }
    actions.push_back(finished(id, call, std::move(data)));
}

Json AcpObserver::taken_back(const std::string& session, const std::string& call_id,
                             const char* how) {
    Call* const call = noted(session, call_id);
    if (call == nullptr) return {};
    call->refused = true;
    call->cancelled = std::string_view{how} == "cancelled";
    Json data = call->first;
    data["ok"] = false;
    data["error"] = {{"class", how}, {"message", "its user has taken it back"}};
    return acp_asked_event("tool.finished", std::move(data)).data;
}

void AcpObserver::stopped(const std::string& session) {
    if (Session* const found = find(session)) found->cancelled = found->cancelled || !found->idle();
}

bool AcpObserver::works(const std::string& session) const {
    const auto found = sessions_.find(session);
    return found != sessions_.end() && !found->second.idle();
}

void AcpObserver::note(const std::string& session, const std::string& call_id, bool Call::*what) {
    if (Call* const call = noted(session, call_id)) call->*what = true;
}

AcpObserver::Call* AcpObserver::noted(const std::string& session, const std::string& call_id) {
    Session* const found = find(session);
    if (found == nullptr) return nullptr;
    for (auto& [name, call] : found->calls)
        if (call.first.text_of("call_id") == call_id) return &call;
    return nullptr;
}

void AcpObserver::end_message(const std::string& id, Session& session, Actions& actions) {
    if (session.text.empty()) return;
    const std::string text = std::exchange(session.text, {});
    session.said = 0;
    actions.push_back(event(id, "message", {{"role", "assistant"}, {"text", text}}));
}

}  // namespace headway::cli
