// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/base/result.hpp"
#include "core/base/time.hpp"
#include "server/http/message/reply_to.hpp"
#include "server/hub/waits/wait_table.hpp"

namespace headway::server {

/// Long polls, each on one document: an approval or a check. The document is queried again when it
/// is decided or answered, at the deadline, and when the daemon drains. Waits are not stored: after
/// a restart the client repeats the request. I/O thread only.
class DocumentWaits {
public:
    /// Sends the query for the document; false if the queue is full.
    using Ask = std::function<bool(const ReplyTo&, const std::string& id)>;

    /// Replies with an error.
    using Refuse = std::function<void(const ReplyTo&, const core::Error&)>;

    DocumentWaits(Ask ask, Refuse refuse) : ask_(std::move(ask)), refuse_(std::move(refuse)) {}

    /// Adds a wait: the reply to `to` may wait until `deadline`. The caller sends the first query
    /// for the document. See WaitTable::make_room(). Error: kOverloaded.
    core::Result<> add(const ReplyTo& to, std::string id, core::Timestamp deadline,
                       const std::string& caller = {});
    const CallerShares& shares() const noexcept { return waits_.shares(); }
    /// Refuses the wait at `place` with `error`, in favour of another caller.
    void give_up(const CallerShares::Place& place, const core::Error& error);
    /// Called when a document has arrived. True if the wait goes on, because the document is
    /// pending and time is left; from then on the wait is for the document `id`, unless `id` is
    /// empty. False if the document is the reply, which ends the wait.
    bool keeps_waiting(const ReplyTo& to, bool pending, const std::string& id = {});
    /// Called when the request has received another reply, such as an error.
    void answered(const ReplyTo& to);
    /// Called when the document `id` is no longer pending.
    void notify(const std::string& id);
    /// Queries the documents of the session again, because any of them may have changed, and those
    /// whose session is not known yet.
    void look_again(const std::string& session);
    /// Called when the client is gone.
    void drop_connection(std::uint64_t connection);
    /// Queries the documents whose deadline has passed at `now`; with kNever, all documents.
    void expire(core::Timestamp now);
    /// The earliest deadline; kNever if there are no waits.
    core::Timestamp next_deadline() const { return waits_.next_due(); }
    std::size_t size() const noexcept { return waits_.size(); }

private:
    struct Wait {
        std::string id;
        bool asked = true;  ///< a query for the document is open
        bool last = false;  ///< the next document is the reply
    };
    using Place = WaitTable<Wait>::Place;

    void query(const Place& place, Wait& wait);
    void finish(const Place& place, Wait& wait);

    Ask ask_;
    Refuse refuse_;
    WaitTable<Wait> waits_;
};

}  // namespace headway::server
