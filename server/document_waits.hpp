// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/result.hpp"
#include "core/time.hpp"
#include "server/messages.hpp"

namespace headway::server {

/// Long polls on one document each, an approval or a check: it is asked for again when it is
/// decided or answered, at the deadline, and when we go down. A wait lives on no state but its
/// client's: after a restart the client asks again. I/O thread only.
class DocumentWaits {
public:
    /// Sends the query whose reply is the answer; false when the queue is full.
    using Ask = std::function<bool(const ReplyTo&, const std::string& id)>;

    explicit DocumentWaits(Ask ask) : ask_(std::move(ask)) {}

    /// Notes that the reply to `to` may wait until `deadline`; the caller asks for the first
    /// document. Error: kOverloaded, when there are
    /// limits::kWaitersMax of them.
    core::Result<> add(const ReplyTo& to, std::string id, core::Timestamp deadline);
    /// A document is here: true when it has to be kept back, since it is still pending and there is
    /// time; false when it is the answer, and the wait is over.
    bool keeps_waiting(const ReplyTo& to, bool pending);
    /// It was answered otherwise.
    void answered(const ReplyTo& to);
    /// The document `id` is not pending any more.
    void notify(const std::string& id);
    /// The client is gone.
    void drop_connection(std::uint64_t connection);
    /// Asks for those whose time has come; kNever: for all.
    void expire(core::Timestamp now);
    /// The earliest deadline, kNever without waits.
    core::Timestamp next_deadline() const;
    std::size_t size() const noexcept { return waits_.size(); }

private:
    using Place = std::pair<std::uint64_t, std::uint64_t>;  ///< connection and slot
    struct Wait {
        std::string id;
        core::Timestamp deadline = core::kNever;
        bool asked = true;  ///< a document is on its way
        bool last = false;  ///< the next document is the answer
    };
    void finish(const Place& place, Wait& wait);
    void remove(std::map<Place, Wait>::iterator wait);

    Ask ask_;
    std::map<Place, Wait> waits_;
    std::multimap<std::string, Place> by_id_;
    std::multimap<core::Timestamp, Place> deadlines_;
};

}  // namespace headway::server
