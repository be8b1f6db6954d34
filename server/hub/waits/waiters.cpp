// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/waiters.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

/// core::gone_at() needs at least two intervals of silence. Returns that time if the wait asked for
/// less, for the reply; else 0.
core::Millis raised_silence(const core::WaitFor& wait, const core::SessionView& view) {
    const core::Millis least = 2 * view.asked_interval;
    const core::Millis asked = wait.silent_for.value_or(core::Millis{0});
    return !view.ended && asked > core::Millis{0} && asked < least ? least : core::Millis{0};
}

}  // namespace

core::Result<> Waiters::add(Wait wait) {
    if (waits_.size() >= core::limits::kWaitersMax) {
        return core::Error{core::ErrorCode::kOverloaded, "too many are waiting; try again", {}};
    }
    const std::uint64_t id = next_id_++;
    const std::vector<std::string> sessions = wait.sessions;
    by_connection_[wait.reply_to.connection].push_back(id);
    for (const std::string& session : sessions) {
        by_session_[session].push_back(id);
        views_.watch(session);
    }
    Pending& pending = waits_.try_emplace(id).first->second;
    pending.wait = std::move(wait);
    pending.unresolved = sessions.size();
    schedule(id, pending, pending.wait.deadline);
    for (const std::string& session : sessions) {
        views_.get(session, [this, id, session](core::Result<const core::SessionView*> view) {
            resolved(id, session, view);
        });
    }
    return {};
}

void Waiters::resolved(std::uint64_t id, const std::string& session,
                       const core::Result<const core::SessionView*>& view) {
    const auto pending = waits_.find(id);
    if (pending == waits_.end()) return;
    Wait& wait = pending->second.wait;
    if (!view || (*view == nullptr && !wait.missing_ok)) {
        const core::Error error = view
                                      ? core::Error{core::ErrorCode::kUnknownSession,
                                                    "no session '" + session +
                                                        "'; missing=wait waits for it to be opened",
                                                    "id"}
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

void Waiters::session_deleted(const std::string& session) {
    const auto waiting = by_session_.find(session);
    if (waiting == by_session_.end()) return;
    const std::vector<std::uint64_t> ids = waiting->second;
    for (const std::uint64_t id : ids) {
        const auto pending = waits_.find(id);  // it may name the session twice
        if (pending == waits_.end() || pending->second.wait.missing_ok) continue;
        answer_(pending->second.wait.reply_to,
                core::Error{core::ErrorCode::kUnknownSession,
                            "the session '" + session + "' was deleted", "id"});
        remove(id);
    }
}

core::WaitAnswer Waiters::answer_for(const Wait& wait, const std::string& session,
                                     const api::ReadingTime& time) const {
    const auto reached = [&](core::Timestamp at) { return at != core::kNever && at <= time.now; };
    core::WaitAnswer answer;
    if (const core::SessionView* view = views_.find(session)) {
        answer = core::answer(wait.what, *view);
        const bool open = !answer.met && !answer.impossible;
        if (open && reached(core::gone_at(wait.what, *view, time.watch))) {
            answer.give_up(core::WaitCause::kSilent);
        }
    } else if (reached(wait.open_by)) {
        answer.give_up(core::WaitCause::kNeverOpened);
    }
    return answer;
}

/// Answers when met or impossible, and always when `final`.
bool Waiters::try_answer(std::uint64_t id, bool final) {
    const auto pending = waits_.find(id);
    if (pending == waits_.end()) return false;
    const Wait& wait = pending->second.wait;
    if (pending->second.unresolved > 0 && !final) return false;
    const api::ReadingTime time = time_();
    std::vector<api::WaitPart> parts;
    std::size_t met = 0;
    std::size_t impossible = 0;
    for (const std::string& session : wait.sessions) {
        api::WaitPart& part = parts.emplace_back();
        part.id = session;
        part.view = views_.find(session);
        if (pending->second.unresolved == 0) part.answer = answer_for(wait, session, time);
        if (part.view != nullptr) part.silent_for = raised_silence(wait.what, *part.view);
        met += part.answer.met ? 1 : 0;
        impossible += part.answer.impossible ? 1 : 0;
    }
    const bool is_met = wait.all ? met == parts.size() : met > 0;
    const bool is_impossible = !is_met && (wait.all ? impossible > 0 : impossible == parts.size());
    if (!is_met && !is_impossible && !final) {
        const core::Timestamp look = next_look(pending->second, time);
        if (look < pending->second.look_at) schedule(id, pending->second, look);
        return false;
    }
    Response response;
    if (wait.several) {
        api::append_wait_several(response.body, parts, is_met, is_impossible, time);
    } else {
        api::append_wait(response.body, parts.front(), time);
    }
    answer_(wait.reply_to, std::move(response));
    remove(id);
    return true;
}

/// When time alone may change the answer: at the deadline, or earlier, when a session becomes never
/// opened or its agent gone.
core::Timestamp Waiters::next_look(const Pending& pending, const api::ReadingTime& time) const {
    const Wait& wait = pending.wait;
    core::Timestamp next = wait.deadline;
    for (const std::string& session : wait.sessions) {
        const core::SessionView* view = views_.find(session);
        const core::Timestamp at =
            view == nullptr ? wait.open_by : core::gone_at(wait.what, *view, time.watch);
        // A time in the past was checked already.
        if (at != core::kNever && at > time.now) next = std::min(next, at);
    }
    return next;
}

void Waiters::schedule(std::uint64_t id, Pending& pending, core::Timestamp at) {
    due_.erase({pending.look_at, id});
    pending.look_at = at;
    due_.emplace(at, id);
}

void Waiters::remove(std::uint64_t id) {
    const auto pending = waits_.find(id);
    const Wait wait = std::move(pending->second.wait);
    const core::Timestamp look_at = pending->second.look_at;
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
    due_.erase({look_at, id});
}

void Waiters::drop_connection(std::uint64_t connection) {
    const auto waiting = by_connection_.find(connection);
    if (waiting == by_connection_.end()) return;
    const std::vector<std::uint64_t> ids = waiting->second;
    for (const std::uint64_t id : ids)
        remove(id);
}

void Waiters::expire(core::Timestamp now) {
    const bool all = now == core::kNever;
    while (!due_.empty() && (all || due_.begin()->first <= now)) {
        const std::uint64_t id = due_.begin()->second;
        Pending& pending = waits_.at(id);
        const bool over = all || pending.wait.deadline <= now;
        if (all && pending.unresolved > 0) {
            // Nothing is known of its sessions, not even that they were never opened.
            answer_(
                pending.wait.reply_to,
                core::Error{core::ErrorCode::kDraining, "the daemon is going down; ask again", {}});
            remove(id);
        } else if (over && pending.unresolved > 0) {
            // Also a wait of zero is answered only when the views have arrived.
            pending.overdue = true;
            due_.erase(due_.begin());
            pending.look_at = core::kNever;
        } else if (!try_answer(id, over)) {
            schedule(id, pending, next_look(pending, {now, time_().watch}));
        }
    }
}

core::Timestamp Waiters::next_deadline() const {
    return due_.empty() ? core::kNever : due_.begin()->first;
}

}  // namespace headway::server
