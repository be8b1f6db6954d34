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

/// Long polls on one document each, an approval or a check. The document is queried again when
/// decided or answered, at the deadline, and when the daemon drains. Waits are not stored: after a
/// restart the client repeats the request. I/O thread only.
class DocumentWaits {
public:
    /// Sends the query whose reply is the answer; false when the queue is full.
    using Ask = std::function<bool(const ReplyTo&, const std::string& id)>;

    explicit DocumentWaits(Ask ask) : ask_(std::move(ask)) {}

    /// Notes that the reply to `to` may wait until `deadline`; the caller asks for the first
    /// document. Error: kOverloaded, when limits::kWaitersMax replies wait.
    core::Result<> add(const ReplyTo& to, std::string id, core::Timestamp deadline);
    /// Called when a document has arrived. True if the wait continues, because the document is
    /// pending and time is left; it then waits for the document `id` unless `id` is empty. False if
    /// the document is the answer, which ends the wait.
    bool keeps_waiting(const ReplyTo& to, bool pending, const std::string& id = {});
    /// Called when the request was answered otherwise.
    void answered(const ReplyTo& to);
    /// Called when the document `id` is no longer pending.
    void notify(const std::string& id);
    /// Queries all documents again, since any may have changed.
    void look_again();
    /// Called when the client is gone.
    void drop_connection(std::uint64_t connection);
    /// Queries the documents whose deadline has passed; kNever: all.
    void expire(core::Timestamp now);
    /// The earliest deadline, kNever without waits.
    core::Timestamp next_deadline() const { return waits_.next_due(); }
    std::size_t size() const noexcept { return waits_.size(); }

private:
    struct Wait {
        std::string id;
        bool asked = true;  ///< a document was requested
        bool last = false;  ///< the next document is the answer
    };
    using Place = WaitTable<Wait>::Place;

    void query(const Place& place, Wait& wait);
    void finish(const Place& place, Wait& wait);

    Ask ask_;
    WaitTable<Wait> waits_;
};

}  // namespace headway::server
