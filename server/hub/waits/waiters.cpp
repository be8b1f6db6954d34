// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/waiters.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

/// How often a wait whose time has come looks whether the engine has passed that time.
constexpr core::Millis kPassedAgain{50};

/// core::gone_at() needs at least two intervals of silence. Returns that time if the wait asked for
/// less, for the reply; else 0.
core::Millis raised_silence(const core::WaitFor& wait, const core::SessionView& view) {
    const core::Millis least = 2 * view.asked_interval;
    const core::Millis asked = wait.silent_for.value_or(core::Millis{0});
    return !view.ended && asked > core::Millis{0} && asked < least ? least : core::Millis{0};
}

}  // namespace

core::Result<> Waiters::add(Wait wait) {
    HEADWAY_CHECK(waits_.make_room(
        wait.caller, wait.sessions.size(),
        [this](const Place& place, const core::Error& error) { give_up(place, error); }));
    const Place place = waits_.place_of(wait.reply_to);
    const std::vector<std::string> sessions = wait.sessions;
    const core::Timestamp deadline = wait.deadline;
    const std::string caller = wait.caller;
    waits_.add(place, sessions, Pending{std::move(wait), sessions.size()}, caller);
    waits_.look_at(place, deadline);
    for (const std::string& session : sessions)
        views_.watch(session);
    for (const std::string& session : sessions) {
        views_.get(session, [this, place, session](core::Result<const core::SessionView*> view) {
            resolved(place, session, view);
        });
    }
    return {};
}

void Waiters::give_up(const Place& place, core::Error error) {
    answer_(waits_.reply_to(place), std::move(error));
    remove(place);
}

void Waiters::resolved(const Place& place, const std::string& session,
                       const core::Result<const core::SessionView*>& view) {
    Pending* const pending = waits_.find(place);
    if (pending == nullptr) return;
    const Wait& wait = pending->wait;
    if (!view || (*view == nullptr && !wait.missing_ok)) {
        const core::Error error = view
                                      ? core::Error{core::ErrorCode::kUnknownSession,
                                                    "no session '" + session +
                                                        "'; missing=wait waits for it to be opened",
                                                    "id"}
                                      : view.error();
        answer_(wait.reply_to, error);
        remove(place);
        return;
    }
    if (--pending->unresolved == 0) try_answer(place, pending->overdue);
}

void Waiters::notify(const std::string& session) {
    for (const Place& place : waits_.waiting_for(session))
        try_answer(place, false);
}

void Waiters::session_deleted(const std::string& session) {
    for (const Place& place : waits_.waiting_for(session)) {
        const Pending* const pending = waits_.find(place);
        if (pending == nullptr || pending->wait.missing_ok) continue;
        answer_(waits_.reply_to(place),
                core::Error{core::ErrorCode::kUnknownSession,
                            "the session '" + session + "' was deleted", "id"});
        remove(place);
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
bool Waiters::try_answer(const Place& place, bool final) {
    const Pending* const pending = waits_.find(place);
    if (pending == nullptr) return false;
    const Wait& wait = pending->wait;
    if (pending->unresolved > 0 && !final) return false;
    const api::ReadingTime time = time_();
    std::vector<api::WaitPart> parts;
    std::size_t met = 0;
    std::size_t impossible = 0;
    for (const std::string& session : wait.sessions) {
        api::WaitPart& part = parts.emplace_back();
        part.id = session;
        part.view = views_.find(session);
        if (pending->unresolved == 0) part.answer = answer_for(wait, session, time);
        if (part.view != nullptr) part.silent_for = raised_silence(wait.what, *part.view);
        met += part.answer.met ? 1 : 0;
        impossible += part.answer.impossible ? 1 : 0;
    }
    const bool is_met = wait.all ? met == parts.size() : met > 0;
    const bool is_impossible = !is_met && (wait.all ? impossible > 0 : impossible == parts.size());
    if (!is_met && !is_impossible && !final) {
        const core::Timestamp look = next_look(*pending, time);
        if (look < waits_.next_look_at(place)) waits_.look_at(place, look);
        return false;
    }
    Response response;
    if (wait.several) {
        api::append_wait_several(response.body, parts, is_met, is_impossible, time);
    } else {
        api::append_wait(response.body, parts.front(), time);
    }
    answer_(wait.reply_to, std::move(response));
    remove(place);
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

void Waiters::remove(const Place& place) {
    const std::vector<std::string> sessions = std::move(waits_.at(place).wait.sessions);
    waits_.remove(place);
    for (const std::string& session : sessions)
        views_.unwatch(session);
}

void Waiters::drop_connection(std::uint64_t connection) {
    for (const Place& place : waits_.of_connection(connection))
        remove(place);
}

void Waiters::expire(core::Timestamp now) {
    const bool all = now == core::kNever;
    for (const Place& place : waits_.due(now)) {
        Pending* const pending = waits_.find(place);
        if (pending == nullptr) continue;  // an answer before it ended its connection
        const bool over = all || pending->wait.deadline <= now;
        if (all && pending->unresolved > 0) {
            // Nothing is known of its sessions, not even that they were never opened.
            answer_(
                pending->wait.reply_to,
                core::Error{core::ErrorCode::kDraining, "the daemon is going down; ask again", {}});
            remove(place);
        } else if (over && pending->unresolved > 0) {
            // Also a wait of zero is answered only when the views have arrived.
            pending->overdue = true;
            waits_.look_at(place, core::kNever);
        } else if (!try_answer(place, over)) {
            // A time that the turn which runs has not reached is looked at again, not passed over.
            const core::Timestamp next = next_look(*pending, time_());
            waits_.look_at(place, next > now ? next : now + kPassedAgain);
        }
    }
}

}  // namespace headway::server
