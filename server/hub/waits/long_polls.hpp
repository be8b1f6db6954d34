// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "server/engine/base/answers.hpp"
#include "server/http/connection/replies.hpp"
#include "server/hub/streams/intake.hpp"
#include "server/hub/waits/document_waits.hpp"
#include "server/hub/waits/waiters.hpp"

namespace headway::server {

/// Delayed replies. Each waits for the verdict of sessions, for the decision of an approval, or for
/// the answer of a check; the last two are waits for a document. Has one timer for all deadlines.
/// I/O thread only.
class LongPolls {
public:
    LongPolls(net::io_context& io, const Clock& clock, ViewCache& views, Intake& intake,
              Replies& replies);

    /// Adds a wait for sessions. Error: kOverloaded.
    core::Result<> add(Wait wait);
    /// Adds a wait, until `deadline`, for the document `id` (the id of an approval, or
    /// check_key()). The caller sends the first query for the document. Error: kOverloaded.
    core::Result<> add_document(const ReplyTo& to, std::string id, core::Timestamp deadline,
                                const std::string& caller);
    /// The number of waits of the caller with the most waits (CallerShares).
    std::size_t largest_share() const;
    /// Refuses one wait of that caller and returns its connection. Chooses the newest wait for
    /// whose connection `may_go` is true. Refuses nothing if there is no such wait, or if the
    /// caller has only a small share of a table of `max` places (CallerShares::of_largest).
    std::optional<std::uint64_t> give_up_largest(
        std::size_t max, const std::function<bool(std::uint64_t connection)>& may_go);
    /// Takes a document from the engine and sends it, unless the wait goes on.
    void take_document(const ReplyTo& to, DocumentReply reply);
    /// Called when the request has received another reply, for instance an error.
    void answered(const ReplyTo& to) { documents_.answered(to); }

    void session_changed(const std::string& session) { sessions_.notify(session); }
    void session_deleted(const std::string& session) { sessions_.session_deleted(session); }
    void document_changed(const std::string& id) { documents_.notify(id); }
    /// Called when other daemons may have changed documents of the session.
    void look_again(const std::string& session) { documents_.look_again(session); }
    void drop_connection(std::uint64_t connection);
    /// Sends the replies of all waits now, for the drain.
    void expire_all();
    /// Sets the timer. To be called when deadlines may have changed.
    void arm();
    void stop() { timer_.cancel(); }
    std::size_t sessions() const noexcept { return sessions_.size(); }
    std::size_t size() const noexcept { return sessions_.size() + documents_.size(); }

private:
    bool ask_for(const ReplyTo& to, const std::string& id);
    void refuse(const ReplyTo& to, const core::Error& error);

    const Clock& clock_;
    Intake& intake_;
    Replies& replies_;
    Waiters sessions_;
    DocumentWaits documents_;
    Timer timer_;
    core::Timestamp timer_at_ = core::kNever;
};

/// The key of a long poll on a check. `name` is its check_name(), or only the check's id until the
/// first answer names the session. The key is never the id of an approval. Pure.
inline std::string check_key(const std::string& name) {
    return "check/" + name;
}

}  // namespace headway::server
