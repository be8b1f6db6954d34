// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/acp/acp_sessions.hpp"
#include "cli/base/json.hpp"

// Turns and ends of the sessions.

namespace headway::cli {
namespace {

// Sessions that have ended and are kept until the last reports are delivered. The oldest of more
// would be waited for.
constexpr std::size_t kEndingMax = 64;

}  // namespace

void AcpSessions::begin_turn(const std::string& id) {
    Session* const session = find(id);
    if (session == nullptr) return;
    session->stopped = Stop::kNone;
    if (session->reporter != nullptr && !session->reporter->begin_turn())
        end(*session, "cancelled", "another prompt");
    session->by_person = session->used = true;
    session->wrong.clear();
    if (session->reporter == nullptr) start(*session);
    *session->at_work = true;
}

void AcpSessions::end_turn(const std::string& id, const std::string& wrong) {
    Session* const session = find(id);
    if (session == nullptr) return;
    session->wrong = wrong;
    *session->at_work = false;
    if (session->stopped == Stop::kFinal) end(*session, "cancelled", "stopped by Headway");
}

void AcpSessions::note_rest(const std::function<bool(const std::string&)>& works) {
    for (auto& [id, session] : sessions_)
        if (*session.busy && !works(id)) *session.busy = false;
}

void AcpSessions::leave(const std::string& id) {
    Session* const session = find(id);
    if (session == nullptr) return;
    end_unasked(*session, "the editor goes on with other sessions");
    sessions_.erase(id);
}

void AcpSessions::end(Session& session, const char* outcome, const std::string& reason) {
    if (session.reporter == nullptr) return;
    Json body = {{"outcome", outcome}, {"reason", reason}};
    session.reporter->close(body, setup_.linger);
    ending_.push_back({session.id, std::move(session.reporter)});
    session.by_person = false;  // until the next prompt
    if (ending_.size() > kEndingMax) ending_.pop_front();
}

void AcpSessions::end_all(const std::string& reason) {
    for (auto& [id, session] : sessions_)
        end_unasked(session, reason);
}

/// No person ends it: the last turn tells the outcome.
void AcpSessions::end_unasked(Session& session, const std::string& reason) {
    if (*session.at_work) return end(session, "cancelled", reason);
    if (!session.used) return end(session, "cancelled", reason + "; it was given no prompt");
    if (session.wrong.empty()) return end(session, "completed", reason);
    end(session, session.wrong == kTurnStopped ? "cancelled" : "failed", session.wrong);
}

std::vector<int> AcpSessions::stop_fds() const {
    std::vector<int> fds;
    for (const auto& [id, session] : sessions_) {
        if (session.reporter != nullptr && session.stopped == Stop::kNone)
            fds.push_back(session.reporter->wake_fd());
    }
    return fds;
}

std::vector<std::string> AcpSessions::stops() {
    std::vector<std::string> stopped;
    for (auto& [id, session] : sessions_) {
        if (session.reporter == nullptr || session.stopped != Stop::kNone) continue;
        const auto directive = session.reporter->stop_directive();
        if (!directive) continue;
        session.stopped = directive->lifts ? Stop::kLifts : Stop::kFinal;
        if (!directive->id.empty())
            session.reporter->add("directive.acknowledged", {{"id", directive->id}});
        stopped.push_back(id);
    }
    return stopped;
}

void AcpSessions::end_stopped() {
    for (auto& [id, session] : sessions_)
        if (session.stopped == Stop::kFinal && !*session.at_work)
            end(session, "cancelled", "stopped by Headway");
}

}  // namespace headway::cli
