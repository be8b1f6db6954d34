#include "server/waiters.hpp"

#include <algorithm>
#include <utility>

#include "core/limits.hpp"

namespace headway::server {

core::Result<> Waiters::add(Wait wait) {
    if (waits_.size() >= core::limits::kWaitersMax) {
        return core::Error{core::ErrorCode::kOverloaded, "too many are waiting; try again", {}};
    }
    const std::uint64_t id = next_id_++;
    const std::vector<std::string> sessions = wait.sessions;
    deadlines_.emplace(wait.deadline, id);
    by_connection_[wait.reply_to.connection].push_back(id);
    for (const std::string& session : sessions) {
        by_session_[session].push_back(id);
        views_.watch(session);
    }
    waits_.emplace(id, Pending{std::move(wait), sessions.size(), false});
    for (const std::string& session : sessions) {
        views_.get(session,
                   [this, id](core::Result<const core::SessionView*> view) { resolved(id, view); });
    }
    return {};
}

void Waiters::resolved(std::uint64_t id, const core::Result<const core::SessionView*>& view) {
    const auto pending = waits_.find(id);
    if (pending == waits_.end()) return;
    Wait& wait = pending->second.wait;
    if (!view || (*view == nullptr && !wait.missing_ok)) {
        const core::Error error =
            view ? core::Error{core::ErrorCode::kUnknownSession,
                               "no such session; missing=wait waits for it to be opened", "id"}
                 : view.error();
        answer_(wait.reply_to, error);
        remove(id);
        return;
    }
    if (--pending->second.unresolved == 0) try_answer(id, pending->second.overdue);
}

void Waiters::notify(const std::string& session) {
    const auto waiting = by_session_.find(session);
    if (waiting == by_session_.end()) return;
    const std::vector<std::uint64_t> ids = waiting->second;
    for (const std::uint64_t id : ids)
        try_answer(id, false);
}

/// Answers when met or impossible, or in any case when `final`.
bool Waiters::try_answer(std::uint64_t id, bool final) {
    const auto pending = waits_.find(id);
    if (pending == waits_.end()) return false;
    const Wait& wait = pending->second.wait;
    if (pending->second.unresolved > 0 && !final) return false;
    std::vector<api::WaitPart> parts;
    std::size_t met = 0;
    std::size_t impossible = 0;
    for (const std::string& session : wait.sessions) {
        api::WaitPart& part = parts.emplace_back();
        part.id = session;
        part.view = views_.find(session);
        if (part.view != nullptr) part.answer = core::answer(wait.what, *part.view);
        met += part.answer.met ? 1 : 0;
        impossible += part.answer.impossible ? 1 : 0;
    }
    const bool is_met = wait.all ? met == parts.size() : met > 0;
    const bool is_impossible = !is_met && (wait.all ? impossible > 0 : impossible == parts.size());
    if (!is_met && !is_impossible && !final) return false;
    Response response;
    if (wait.several) {
        api::append_wait_several(response.body, parts, is_met, is_impossible, time_());
    } else if (parts.front().view != nullptr) {
        api::append_wait(response.body, *parts.front().view, parts.front().answer, time_());
    } else {
        response.body = R"({"met":false,"matched":null,"impossible":false,"session":")" +
                        wait.sessions.front() + R"(","n":0,"alive":false,"verdict":null})";
    }
    answer_(wait.reply_to, std::move(response));
    remove(id);
    return true;
}

void Waiters::remove(std::uint64_t id) {
    const auto pending = waits_.find(id);
    const Wait wait = std::move(pending->second.wait);
    waits_.erase(pending);
    for (const std::string& session : wait.sessions) {
        const auto waiting = by_session_.find(session);
        std::erase(waiting->second, id);
        if (waiting->second.empty()) by_session_.erase(waiting);
        views_.unwatch(session);
    }
    const auto connection = by_connection_.find(wait.reply_to.connection);
    std::erase(connection->second, id);
    if (connection->second.empty()) by_connection_.erase(connection);
    const auto [from, to] = deadlines_.equal_range(wait.deadline);
    for (auto at = from; at != to; ++at) {
        if (at->second == id) {
            deadlines_.erase(at);
            break;
        }
    }
}

void Waiters::drop_connection(std::uint64_t connection) {
    const auto waiting = by_connection_.find(connection);
    if (waiting == by_connection_.end()) return;
    const std::vector<std::uint64_t> ids = waiting->second;
    for (const std::uint64_t id : ids)
        remove(id);
}

void Waiters::expire(core::Timestamp now) {
    while (!deadlines_.empty() && (now == core::kNever || deadlines_.begin()->first <= now)) {
        const std::uint64_t id = deadlines_.begin()->second;
        Pending& pending = waits_.at(id);
        if (pending.unresolved == 0 || now == core::kNever) {
            try_answer(id, true);
        } else {
            // Even a wait of no time tells the truth: it is answered when the views are here.
            pending.overdue = true;
            deadlines_.erase(deadlines_.begin());
        }
    }
}

core::Timestamp Waiters::next_deadline() const {
    return deadlines_.empty() ? core::kNever : deadlines_.begin()->first;
}

}  // namespace headway::server
