// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "cli/acp/acp_observer.hpp"
#include "cli/acp/messages/acp_deed.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "cli/base/text.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/lines/recorded_line.hpp"

// The requests of an agent to its editor: for permissions, for deeds, and to ask its user.

namespace headway::cli {
namespace {

using Kind = AcpAction::Kind;

/// Files, commands and tools are the editor's own work; all else may be for a person.
bool may_ask_person(std::string_view method) {
    for (const std::string_view of : {"fs/", "terminal/", "mcp/", "session/"})
        if (method.starts_with(of)) return false;
    return !method.empty();
}

std::string question_of(const Json& message) {
    constexpr std::size_t kBytesMax = 500;
    for (const char* name : {"message", "question", "prompt", "title"}) {
        const std::string& text = message["params"].text_of(name);
        if (!text.empty()) return std::string{cut_bytes(text, kBytesMax)};
    }
    return std::string{cut_bytes(message.text_of("method"), kAcpNameBytesMax)};
}

}  // namespace

void AcpObserver::asked(const Json& message, Actions& actions) {
    if (!message.contains("id")) return;
    const Json& params = message["params"];
    const std::string& id = params.text_of("sessionId");
    const std::string call_id = acp_call_id(params["toolCall"]);
    const std::string request = acp_id(message["id"]);
    if (!id.empty() && !call_id.empty())
        opened({request, "session/request_permission", id, {}}, {}, actions);
    Session* const session = find(id);
    if (session == nullptr || call_id.empty()) {
        actions.push_back({Kind::kAsk, id, call_id, Json::object(), request});
        return;
    }
    if (session->cancelled) {
        // Outside of a turn, no end of one forgets it.
        if (session->at_work || session->calls.contains(call_id))
            session->call(call_id).refused = true;
        Json asking = {{"refused", "its turn was cancelled"}};
        actions.push_back({Kind::kAsk, id, call_id, std::move(asking), request});
        return;
    }
    Call& call = session->call(call_id);
    call.known.update(params["toolCall"]);
    call.words.ask(params["toolCall"], call.allowed, ++questions_);
    const Json now = call.words.about(call_id);
    std::string remarks = call.words.remarks();
    const bool more = remarks != call.remarks;
    call.remarks = std::move(remarks);
    const bool announced = call.asked.is_null() && call.started;
    // The announcement and the request for permission differ with honest agents, too.
    const bool other = announced
                           ? call.first != now || more
                           : !call.asked.is_null() && (call.asked != now || more || call.allowed);
    if (other) ask_anew(id, call_id, call, actions);
    const bool first = !std::exchange(call.started, true) || other;
    if (first && !other) call.first = now;
    call.asked = now;
    const LineEvent about = acp_asked_event("", call.first);
    Json hook = {{"event", "permission"},      {"agent", agent_}, {"call", call.first["call_id"]},
                 {"tool", about.data["tool"]}, {"edits", false},  {"words", false}};
    if (about.data.contains("args")) hook["args"] = about.data["args"];
    Json asking = {{"hook", std::move(hook)}};
    if (first) asking["started"] = acp_described(about.data, call.remarks);
    end_message(id, *session, actions);
    AcpAction action{Kind::kAsk, id, call.first.text_of("call_id"), std::move(asking), request};
    action.reached = call.reached;
    actions.push_back(std::move(action));
}

/// The new question was never decided: it is a call of its own, with an id of its own, and the one
/// before it is not made any more.
void AcpObserver::ask_anew(const std::string& id, const std::string& call_id, Call& call,
                           Actions& actions) {
    Json before = call.first;
    before["ok"] = false;
    // A call that was refused needed no approval.
    before["error"] = {{"class", call.refused ? call.how_refused() : "cancelled"},
                       {"message", "asked again"}};
    if (!call.told) actions.push_back(finished(id, call, std::move(before)));
    const std::string number = "~" + std::to_string(++call.question);
    call.first = call.words.about(
        std::string{cut_bytes(call_id, kAcpNameBytesMax - number.size())} + number);
    call.refused = call.cancelled = call.told = call.allowed = call.reached = false;
    call.done.clear();
}

/// The call that the deed is part of. An allowed one has it in the words that a person was shown;
/// of the others, it is enough if they are about this file, since the deed is shown or refused.
/// A refused one comes first: the agent may ask again.
AcpObserver::Call* AcpObserver::announced(Session& session, const AcpDeed& deed) {
    // The text of a file that is being written is not known.
    const bool busy = writes_.size() == kWritesMax ||
                      std::any_of(writes_.begin(), writes_.end(),
                                  [&deed](const auto& write) { return write.second == deed.path; });
    std::optional<AcpFile> read;
    const AcpFileNow file = [&]() -> const AcpFile& {
        if (!read) read = read_file_ && !busy ? read_file_(deed.path) : AcpFile{};
        return *read;
    };
    Call* found = nullptr;
    for (auto& [call_id, call] : session.calls) {
        const bool spent = !call.refused && call.done.contains(deed.path);  // it is done once
        const bool open = !call.asked.is_null() && !call.allowed && !call.refused;
        if (call.own || spent || open) continue;
        const Json now = call.asked.is_null() ? call.words.about(call_id) : Json();
        const Json& shown = call.asked.is_null() ? now : call.asked;
        const bool covers =
            acp_covers(shown, deed, session.cwd, call.asked.is_null() ? AcpFileNow{} : file);
        if (covers && call.allowed) return &call;
        const bool names = acp_names_file(call.known, shown.text_of("tool"), deed, session.cwd);
        const bool about = covers || (!call.allowed && names);
        if (about && (found == nullptr || call.refused)) found = &call;
    }
    return found;
}

/// A deed that an allowed call covers is part of it. Any other is a question: about the call that
/// is about the same, or about one of its own.
void AcpObserver::do_for(const Json& message, Actions& actions) {
    const auto deed = acp_deed(message);
    const Json& params = message["params"];
    const std::string& id = params.text_of("sessionId");
    const std::string request = acp_id(message["id"]);
    if (!deed) return;
    if (!id.empty()) opened({request, "session/request_permission", id, {}}, {}, actions);
    Session* const session = find(id);
    Call* const by = session == nullptr ? nullptr : announced(*session, *deed);
    // The answer may come when the file has another text: a question shows all that is written.
    const bool shown = by != nullptr && acp_covers(by->words.about({}), *deed, session->cwd);
    if (by != nullptr && by->refused) {
        Json asking = {{"refused", "this call was not allowed"}};
        actions.push_back({Kind::kAsk, id, by->first.text_of("call_id"), asking, request});
        actions.back().deed = true;
        return;
    }
    if (by != nullptr && by->allowed && !session->cancelled) {
        by->done.insert(deed->path);
        if (!deed->path.empty() && writes_.size() < kWritesMax) writes_[request] = deed->path;
        return;
    }
    Json call = deed->call;
    if (by != nullptr) {
        call = {{"toolCallId", std::as_const(by->known)["toolCallId"]}};
        if (!shown) call["rawInput"] = std::as_const(deed->call)["rawInput"];
    } else {
        const char* const kind = deed->commands.empty() ? "write-" : "terminal-";
        call["toolCallId"] =
            kind + std::to_string(++deeds_made_) + (mark_.empty() ? "" : "-" + mark_);
    }
    asked({{"id", message["id"]}, {"params", {{"sessionId", id}, {"toolCall", call}}}}, actions);
    actions.back().deed = true;
    if (by != nullptr) by->done.insert(deed->path);
    if (by != nullptr || session == nullptr || session->cancelled) return;
    Call& own = session->calls[acp_call_id(call)];
    own.own = true;
    deeds_.begin(message, acp_call_id(call));
}

AcpObserver::Actions AcpObserver::not_done(const std::string& session, const std::string& call_id) {
    Actions actions;
    const Call* const call = noted(session, call_id);
    if (call != nullptr && call->own)
        end_deed(AcpDeeds::End{session,
                               {{"toolCallId", std::as_const(call->known)["toolCallId"]},
                                {"status", "failed"},
                                {"rawOutput", "not allowed"}}},
                 actions);
    return actions;
}

void AcpObserver::end_deed(const std::optional<AcpDeeds::End>& end, Actions& actions) {
    if (!end) return;
    Session* const session = find(end->session);
    if (session == nullptr) return;
    const auto found = session->calls.find(acp_call_id(end->update));
    if (found == session->calls.end()) return;
    Call& call = found->second;
    call.known.update(end->update);
    const Json& input = std::as_const(call.known)["rawInput"];
    if (acp_succeeded(call.known) && input["content"].is_string()) {
        Json written = {{"type", "diff"}, {"path", input["path"]}, {"newText", input["content"]}};
        call.known["content"] = Json::array({std::move(written)});
    }
    finish(end->session, call, actions);
    session->calls.erase(found);
    tell_rest(end->session, *session, actions);
}

AcpObserver::Actions AcpObserver::answered(const Json& reply) {
    Actions actions;
    end_deed(deeds_.from_editor(reply), actions);
    const std::string request = acp_id(reply["id"]);
    writes_.erase(request);
    for (auto& [id, session] : sessions_) {
        const auto found = session.waits.find(request);
        if (found == session.waits.end()) continue;
        const bool told = found->second.told;
        session.waits.erase(found);
        if (!told) continue;
        Json now = state(id);
        if (now.is_null() && session.waits.empty()) now = {{"state", "processing_prompt"}};
        if (!now.is_null()) actions.push_back({Kind::kSettled, id, {}, std::move(now), {}});
    }
    return actions;
}

/// The request of an agent that names no session is of the only one at work.
void AcpObserver::wait_for_person(const Json& message, Actions& actions) {
    if (!message.contains("id") || !may_ask_person(message.text_of("method"))) return;
    auto place = sessions_.find(message["params"].text_of("sessionId"));
    if (place == sessions_.end()) {
        const auto works = [](const auto& entry) { return entry.second.at_work; };
        if (std::count_if(sessions_.begin(), sessions_.end(), works) != 1) return;
        place = std::find_if(sessions_.begin(), sessions_.end(), works);
    }
    Session& session = place->second;
    if (session.waits.size() >= kWaitsMax) return;
    // Programs answer other methods as well, at once.
    const bool by_person = message.text_of("method").starts_with("elicitation/");
    session.waits[acp_id(message["id"])] = {question_of(message), by_person};
    if (by_person) tell_waits(place->first, session, actions);
    begun_ = begun_ || !by_person;
}

void AcpObserver::tell_waits(const std::string& id, Session& session, Actions& actions) {
    for (auto& [request, wait] : session.waits) {
        if (wait.told) continue;
        wait.told = std::exchange(wait.waited, true);
        begun_ = begun_ || !wait.told;
        if (!wait.told) continue;
        Json asks = {{"state", "awaiting_permission"}, {"detail", wait.text}};
        actions.push_back({Kind::kEvent, id, "state.changed", std::move(asks), {}});
    }
}

/// Words outside of a turn end with no reply.
void AcpObserver::tell_words(const std::string& id, Session& session, Actions& actions) {
    if (session.at_work || session.text.empty()) return;
    if (std::exchange(session.said, session.text.size()) != session.text.size()) {
        begun_ = true;
        return;
    }
    end_message(id, session, actions);
    tell_rest(id, session, actions);
}

/// Work outside of a turn is over.
void AcpObserver::tell_rest(const std::string& id, Session& session, Actions& actions) {
    if (session.at_work || session.by_agent || !session.calls.empty() || session.asks()) return;
    actions.push_back({Kind::kEvent, id, "state.changed", {{"state", "idle"}}, {}});
}

}  // namespace headway::cli
