// SPDX-License-Identifier: Apache-2.0
#include "server/hub/waits/hook_holds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

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

std::string undecided(const HookCall& call) {
    api::hooks::HookReply reply;
    reply.undecided = true;
    return call.dialect->render(call.hook, reply);
}

}  // namespace

void HookHolds::take(const ReplyTo& to, HookAnswered answered) {
    const auto hold = holds_.find({to.connection, to.slot});
    if (hold != holds_.end()) return go_on(hold, std::move(answered));
    if (answered.hold) return begin(to, std::move(answered));
    Response response =
        reply_with(answered.call.dialect->render(answered.call.hook, answered.reply));
    if (answered.wants_older_uses) response.headers = "X-Headway-Usage: older\r\n";
    put_(to, response);
}

void HookHolds::begin(const ReplyTo& to, HookAnswered&& answered) {
    HttpConnection* const connection = find_(to.connection);
    if (connection == nullptr) return leave(answered.session, answered.call);
    const core::Millis time = hold_time(answered.call);
    const bool full = holds_.size() >= core::limits::kWaitersMax;
    if (full || draining_ || time <= core::Millis{0}) {
        leave(answered.session, answered.call);
        put_(to, reply_with(undecided(answered.call)));
        return;
    }
    const auto now = Clock::steady();
    const Place place{to.connection, to.slot};
    Hold& hold = holds_[place];
    hold.session = answered.session;
    hold.call = std::move(answered.call);
    hold.deadline = now + time;
    hold.next_sign = now + kSignEvery;
    by_session_.emplace(hold.session, place);
    // An older client, or one that has sent more requests, gets the reply in one piece.
    hold.streams = connection->begin_stream(to.slot, StreamBody::kHeld);
    if (hold.streams) connection->append_stream(chunk_of(" "));
}

void HookHolds::go_on(Holds::iterator hold, HookAnswered&& answered) {
    Hold& held = hold->second;
    if (std::exchange(held.asked, false)) --asked_;
    held.call = std::move(answered.call);
    if (!answered.hold) {
        finish(hold, held.call.dialect->render(held.call.hook, answered.reply));
    } else if (held.changed) {
        ask_again(hold);
    }
    ask_due(Clock::steady());
}

/// Takes its turn behind those that wait already. One that is being asked does so with its answer.
void HookHolds::ask_again(Holds::iterator hold) {
    Hold& held = hold->second;
    held.changed = true;
    if (held.asked || std::exchange(held.due, true)) return;
    due_.push_back(hold->first);
}

void HookHolds::ask_due(Clock::Steady::time_point now) {
    while (asked_ < kAskedMax && !due_.empty()) {
        const auto hold = holds_.find(due_.front());
        const bool waits = hold != holds_.end() && hold->second.due;
        if (waits && !ask(hold, now)) return;  // the queue is full: the next second asks
        due_.pop_front();
    }
}

bool HookHolds::ask(Holds::iterator hold, Clock::Steady::time_point now) {
    Hold& held = hold->second;
    HookAgainCommand again{held.session, held.call, now >= held.deadline};
    if (!ask_({hold->first.first, hold->first.second}, std::move(again))) return false;
    held.asked = true;
    held.changed = held.due = false;
    ++asked_;
    return true;
}

void HookHolds::finish(Holds::iterator hold, const std::string& body) {
    const ReplyTo to{hold->first.first, hold->first.second};
    const bool streams = hold->second.streams;
    remove(hold);
    if (!streams) return put_(to, reply_with(body));
    HttpConnection* const connection = find_(to.connection);
    if (connection == nullptr) return;
    connection->append_stream(chunk_of(body) + std::string{kLastChunk});
    connection->finish_stream();
}

void HookHolds::remove(Holds::iterator hold) {
    const auto [begin, end] = by_session_.equal_range(hold->second.session);
    const auto named = std::find_if(
        begin, end, [&hold](const auto& entry) { return entry.second == hold->first; });
    HEADWAY_ASSERT(named != end);
    by_session_.erase(named);
    if (hold->second.asked) --asked_;
    holds_.erase(hold);
}

bool HookHolds::refused(const ReplyTo& to) {
    const auto hold = holds_.find({to.connection, to.slot});
    if (hold == holds_.end()) return false;
    leave(hold->second.session, hold->second.call);
    finish(hold, undecided(hold->second.call));
    ask_due(Clock::steady());
    return true;
}

void HookHolds::session_changed(const std::string& session) {
    if (by_session_.empty()) return;
    const auto [begin, end] = by_session_.equal_range(session);
    for (auto entry = begin; entry != end; ++entry)
        ask_again(holds_.find(entry->second));
    ask_due(Clock::steady());
}

void HookHolds::drop_connection(std::uint64_t connection) {
    auto hold = holds_.lower_bound({connection, 0});
    while (hold != holds_.end() && hold->first.first == connection) {
        leave(hold->second.session, hold->second.call);
        remove(hold++);
    }
}

/// No agent hears the decision any more.
void HookHolds::leave(const std::string& session, const HookCall& call) const {
    if (call.dialog != 0) leave_({session, call.dialog});
}

void HookHolds::second(Clock::Steady::time_point now) {
    std::vector<std::uint64_t> signs;
    for (auto hold = holds_.begin(); hold != holds_.end(); ++hold) {
        Hold& held = hold->second;
        if (held.changed || now >= held.deadline) ask_again(hold);
        if (!held.streams || now < held.next_sign) continue;
        held.next_sign = now + kSignEvery;
        signs.push_back(hold->first.first);
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
    for (auto hold = holds_.begin(); hold != holds_.end();) {
        const auto next = std::next(hold);
        hold->second.deadline = now;
        hold->second.changed = hold->second.asked;
        if (!hold->second.asked && !ask(hold, now)) finish(hold, undecided(hold->second.call));
        hold = next;
    }
}

}  // namespace headway::server
