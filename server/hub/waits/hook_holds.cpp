// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/hook_holds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headway::server {
namespace {

using api::hooks::HookKind;

core::Millis hold_time(const HookCall& call) {
    const core::Millis most = call.hook.kind == HookKind::kPermission
                                  ? call.dialect->hold_permission
                                  : call.dialect->hold;
    if (!call.hook.hold_ms) return most;
    const auto asked = static_cast<std::int64_t>(
        std::min<std::uint64_t>(*call.hook.hold_ms, static_cast<std::uint64_t>(most.count())));
    return core::Millis{asked};
}

std::string chunk_of(std::string_view text) {
    std::string chunk;
    append_chunk(chunk, text);
    return chunk;
}

Response reply_with(std::string body) {
    Response response;
    response.body = std::move(body);
    return response;
}

/// The call or dialog of this hook, of which a decision reaches each hold; empty: it has none.
std::string subject_of(const std::string& session, const HookCall& call) {
    if (call.dialog != 0) return session + "\r" + std::to_string(call.dialog);
    const bool of_call =
        call.hook.kind == HookKind::kPre || call.hook.kind == HookKind::kPermission;
    if (!of_call || call.hook.call.call.empty()) return {};
    return session + "\n" + call.hook.call.call;
}

std::string undecided(const HookCall& call) {
    api::hooks::HookReply reply;
    reply.undecided = true;
    return call.dialect->render(call.hook, reply);
}

}  // namespace

void HookHolds::take(const ReplyTo& to, HookAnswered answered) {
    const Place place = holds_.place_of(to);
    if (Hold* const held = holds_.find(place)) return go_on(place, *held, std::move(answered));
    if (answered.hold) return begin(to, std::move(answered));
    Response response =
        reply_with(answered.call.dialect->render(answered.call.hook, answered.reply));
    response.headers += "X-Headway-Session: " + answered.session + "\r\n";
    if (answered.wants_older_uses) response.headers += "X-Headway-Usage: older\r\n";
    if (answered.wants_goal) response.headers += "X-Headway-Goal: check\r\n";
    put_(to, response);
}

void HookHolds::begin(const ReplyTo& to, HookAnswered&& answered) {
    if (find_(to.connection) == nullptr) return leave(answered.session, answered.call);
    const core::Millis time = hold_time(answered.call);
    const auto give_up = [this](const Place& place, const core::Error&) { leave_at(place); };
    if (draining_ || time <= core::Millis{0} ||
        !holds_.make_room(answered.call.holder, 1, give_up)) {
        leave(answered.session, answered.call);
        put_(to, reply_with(undecided(answered.call)));
        return;
    }
    const auto now = Clock::steady();
    Hold& hold = holds_.add(holds_.place_of(to), {answered.session}, {}, answered.call.holder);
    hold.session = answered.session;
    hold.call = std::move(answered.call);
    hold.waits_for = subject_of(hold.session, hold.call);
    ++waiting_[hold.waits_for];
    hold.deadline = now + time;
    hold.next_sign = now + kSignEvery;
    hold.next_look = now + (answered.held_elsewhere ? kLookEvery : kFirstLook);
    // An older client, or one that has sent more requests, gets the reply in one piece.
    HttpConnection* const connection = find_(to.connection);
    hold.streams = connection != nullptr && connection->begin_stream(to.slot, StreamBody::kHeld);
    if (hold.streams) connection->append_stream(chunk_of(" "));
}

void HookHolds::go_on(const Place& place, Hold& held, HookAnswered&& answered) {
    if (std::exchange(held.asked, false)) --asked_;
    held.call = std::move(answered.call);
    held.next_look =
        answered.held_elsewhere ? Clock::steady() + kLookEvery : Clock::Steady::time_point::max();
    if (!answered.hold) {
        finish(place, held.call.dialect->render(held.call.hook, answered.reply));
    } else if (held.changed) {
        ask_again(place, held);
    }
    ask_due(Clock::steady());
}

/// Takes its turn behind those that wait already. One that is being asked does so with its answer.
void HookHolds::ask_again(const Place& place, Hold& held) {
    held.changed = true;
    if (held.asked || std::exchange(held.due, true)) return;
    due_.push_back(place);
}

void HookHolds::ask_due(Clock::Steady::time_point now) {
    while (asked_ < kAskedMax && !due_.empty()) {
        Hold* const held = holds_.find(due_.front());
        const bool waits = held != nullptr && held->due;
        if (waits && !ask(due_.front(), *held, now))
            return;  // the queue is full: the next second asks
        due_.pop_front();
    }
}

bool HookHolds::ask(const Place& place, Hold& held, Clock::Steady::time_point now) {
    HookAgainCommand again{held.session, held.call, now >= held.deadline};
    if (!ask_(holds_.reply_to(place), std::move(again))) return false;
    held.asked = true;
    held.changed = held.due = false;
    ++asked_;
    return true;
}

void HookHolds::finish(const Place& place, const std::string& body) {
    const ReplyTo to = holds_.reply_to(place);
    const bool streams = holds_.at(place).streams;
    remove(place);
    if (!streams) return put_(to, reply_with(body));
    HttpConnection* const connection = find_(to.connection);
    if (connection == nullptr) return;
    connection->append_stream(chunk_of(body) + std::string{kLastChunk});
    connection->finish_stream();
}

void HookHolds::remove(const Place& place) {
    const Hold& held = holds_.at(place);
    if (held.asked) --asked_;
    const auto waiting = waiting_.find(held.waits_for);
    if (--waiting->second == 0) waiting_.erase(waiting);
    holds_.remove(place);
}

bool HookHolds::refused(const ReplyTo& to) {
    const Place place = holds_.place_of(to);
    if (holds_.find(place) == nullptr) return false;
    leave_at(place);
    ask_due(Clock::steady());
    return true;
}

void HookHolds::session_changed(const std::string& session) {
    if (holds_.size() == 0) return;
    for (const Place& place : holds_.waiting_for(session))
        ask_again(place, holds_.at(place));
    ask_due(Clock::steady());
}

void HookHolds::drop_connection(std::uint64_t connection) {
    for (const Place& place : holds_.of_connection(connection)) {
        const std::string session = holds_.at(place).session;
        const HookCall call = holds_.at(place).call;
        remove(place);
        leave(session, call);
    }
}

/// Ends the hold undecided.
void HookHolds::leave_at(const Place& place) {
    const std::string session = holds_.at(place).session;
    const HookCall call = holds_.at(place).call;
    finish(place, undecided(call));
    leave(session, call);
}

/// No agent hears the decision any more by a hold that is not in the table, or none was begun.
void HookHolds::leave(const std::string& session, const HookCall& call) const {
    const std::string subject = subject_of(session, call);
    if (subject.empty() || waiting_.contains(subject)) return;
    if (call.dialog != 0) return leave_({session, call.dialog});
    leave_({session, 0, call.hook.call.call});
}

void HookHolds::second(Clock::Steady::time_point now) {
    std::vector<std::uint64_t> signs;
    for (const Place& place : holds_.all()) {
        Hold& held = holds_.at(place);
        if (held.changed || now >= held.deadline || now >= held.next_look) ask_again(place, held);
        if (!held.streams || now < held.next_sign) continue;
        held.next_sign = now + kSignEvery;
        signs.push_back(place.first);
    }
    ask_due(now);
    for (const std::uint64_t id : signs) {
        HttpConnection* const connection = find_(id);
        // A client that takes nothing gets no more.
        if (connection != nullptr && connection->writable())
            connection->append_stream(chunk_of(" "));
    }
}

void HookHolds::drain() {
    draining_ = true;
    const auto now = Clock::steady();
    for (const Place& place : holds_.all()) {
        Hold& held = holds_.at(place);
        held.deadline = now;
        held.changed = held.asked;
        if (held.asked || ask(place, held, now)) continue;
        leave_at(place);
    }
}

}  // namespace headway::server
