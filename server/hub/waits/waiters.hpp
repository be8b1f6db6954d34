// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/encode/encode.hpp"
#include "core/views/wait.hpp"
#include "server/http/message/reply_to.hpp"
#include "server/http/message/response.hpp"
#include "server/hub/streams/view_cache.hpp"
#include "server/hub/waits/wait_table.hpp"

namespace headway::server {

/// A long poll and its condition.
struct Wait {
    ReplyTo reply_to;
    std::string caller;  ///< Call::place_holder()
    core::WaitFor what;
    std::vector<std::string> sessions;  ///< exactly one session, unless `several`
    bool several = false;     ///< the request is to /v1/wait, whose reply lists the sessions
    bool all = false;         ///< every session must meet the condition; otherwise one is enough
    bool missing_ok = false;  ///< also waits for sessions that are not opened yet
    core::Timestamp open_by = core::kNever;  ///< time by which the sessions must be opened
    core::Timestamp deadline = core::kNever;
};

/// Long polls for sessions. The reply is sent when a view meets the condition, when the condition
/// becomes impossible (the session has ended, its agent is gone, or the session was not opened in
/// time), at the deadline, or in a drain. I/O thread only.
class Waiters {
public:
    using Answer = std::function<void(const ReplyTo&, core::Result<Response>)>;
    using Time = std::function<api::ReadingTime()>;

    Waiters(ViewCache& views, Answer answer, Time time)
        : views_(views), answer_(std::move(answer)), time_(std::move(time)) {}

    /// See WaitTable::make_room(). Error: kOverloaded.
    core::Result<> add(Wait wait);
    const CallerShares& shares() const noexcept { return waits_.shares(); }
    /// Refuses the wait at `place` with `error`, in favour of another caller.
    void give_up(const CallerShares::Place& place, core::Error error);
    /// Called when a session's view has changed.
    void notify(const std::string& session);
    /// Sends the replies of the waits for this session, except the waits that expect a session with
    /// this id to be opened.
    void session_deleted(const std::string& session);
    /// Called when the client is gone.
    void drop_connection(std::uint64_t connection);
    /// Sends the replies of the waits whose deadline has passed, or whose condition has become
    /// impossible because time has passed; with kNever, the replies of all waits.
    void expire(core::Timestamp now);
    /// When expire() must be called next; kNever if there are no waits.
    core::Timestamp next_deadline() const { return waits_.next_due(); }
    std::size_t size() const noexcept { return waits_.size(); }

private:
    struct Pending {
        Wait wait;
        std::size_t unresolved = 0;  ///< views not yet received
        bool overdue = false;        ///< the deadline passed before the views arrived
    };
    using Place = WaitTable<Pending>::Place;

    void resolved(const Place& place, const std::string& session,
                  const core::Result<const core::SessionView*>& view);
    bool try_answer(const Place& place, bool final);
    core::WaitAnswer answer_for(const Wait& wait, const std::string& session,
                                const api::ReadingTime& time) const;
    core::Timestamp next_look(const Pending& pending, const api::ReadingTime& time) const;
    void remove(const Place& place);

    ViewCache& views_;
    Answer answer_;
    Time time_;
    WaitTable<Pending> waits_;
};

}  // namespace headway::server
