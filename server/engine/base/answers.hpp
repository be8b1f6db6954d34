// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/decode/problem.hpp"
#include "api/encode/encode.hpp"
#include "api/hooks/dialect.hpp"
#include "api/hooks/hook.hpp"
#include "core/base/result.hpp"
#include "core/views/view.hpp"
#include "server/http/message/reply_to.hpp"
#include "server/http/message/response.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The answer to a report or to another command on a session. The view of the session becomes part
/// of the reply too.
struct Advised {
    api::Advice advice;
    std::string session;
};

/// A document that a long poll may wait for.
struct DocumentReply {
    bool pending = false;  ///< a long poll continues to wait
    std::string body;
    std::string key;  ///< key of the document that a long poll now waits for; empty: unchanged
};

/// A page of a stream. For one session, positions are event numbers; for all sessions, they are
/// cursors.
struct StreamReply {
    std::string session;
    std::int64_t head = 0;
    std::int64_t oldest = 0;
    std::vector<storage::StreamEvent> events;
    bool caught_up = false;  ///< later events are sent live
    std::string reset;       ///< why the requested position is not available, or empty
    std::int64_t from = 0;   ///< the position before the first event
    /// The position before the next page. It may be after the last event of this page, because
    /// events may have been deleted.
    std::int64_t through = 0;
};

/// A hook whose body the I/O thread has read.
struct HookCall {
    const api::hooks::Dialect* dialect = nullptr;
    api::hooks::Hook hook;    ///< the hook, without the arguments of its call
    std::string args_digest;  ///< digest of the arguments of the call that waits
    bool process = false;     ///< the daemon follows the agent's process
    int process_number = 0;   ///< the process's number on this machine; 0: unknown
    /// Number of the approval that the agent's own dialog waits for; 0: none.
    std::uint64_t dialog = 0;
    /// For a hook that was already stored but whose answer the agent did not receive: the
    /// directives delivered since the hook was stored, which the agent may not have received
    /// either.
    std::optional<std::vector<std::string>> unheard = {};
    std::string holder = {};  ///< Call::place_holder()
};

/// The answer to a hook; or, with `hold`, the instruction to hold the hook and to ask the engine
/// again when the session has changed.
struct HookAnswered {
    std::string session;  ///< id of the session in force, which ends in `~2` after a resume
    HookCall call;
    bool hold = false;
    bool held_elsewhere = false;  ///< a change made at another daemon may end the hold
    api::hooks::HookReply reply;
    bool wants_older_uses = false;  ///< all model answers that the hook reported were new, so older
                                    ///< answers may be missing
    bool wants_goal = false;        ///< the goal's command is to be run
};

/// Receives the results of tasks on the I/O thread: the dispatcher, or a test.
class Answers {
public:
    virtual ~Answers() = default;

    virtual void respond(const ReplyTo& to, const Response& response) = 0;
    /// `more` is an additional member of the problem document.
    virtual void refuse(const ReplyTo& to, const core::Error& error,
                        api::ProblemMember more = {}) = 0;
    virtual void advise(const ReplyTo& to, const Advised& advised) = 0;
    virtual void show(const ReplyTo& to, DocumentReply document) = 0;
    virtual void stream(const ReplyTo& to, StreamReply page) = 0;
    virtual void hook(const ReplyTo& to, HookAnswered answered) = 0;
    /// Passes on the result of a ViewQuery, null for an unknown session. The result is not the
    /// reply to any single request.
    virtual void view(const std::string& session, core::Result<const core::SessionView*> view) = 0;
};

}  // namespace headway::server
