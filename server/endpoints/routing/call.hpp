// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/text/query.hpp"
#include "config/settings/settings.hpp"
#include "core/base/limits.hpp"
#include "server/access/access.hpp"
#include "server/backups/backups.hpp"
#include "server/endpoints/routing/long_bodies.hpp"
#include "server/engine/base/make_task.hpp"
#include "server/http/connection/http_server.hpp"
#include "server/http/connection/replies.hpp"
#include "server/hub/processes/agent_processes.hpp"
#include "server/hub/streams/intake.hpp"
#include "server/hub/streams/progress_replies.hpp"
#include "server/hub/streams/streams.hpp"
#include "server/hub/streams/view_cache.hpp"
#include "server/hub/waits/answers.hpp"
#include "server/hub/waits/long_polls.hpp"
#include "server/outbound/judge/judge_ledger.hpp"

namespace headway::server {

/// The daemon's own state, for /readyz, /metrics and /v1/system.
struct DaemonState {
    core::Timestamp started_at;
    std::filesystem::path database;
    std::vector<config::JudgeEndpoint> judges;
    std::function<JudgeStats()>
        judge_stats;  ///< figures of the judges; empty: no judge is configured
    EngineStats engine;
    std::vector<std::uint64_t> requests;  ///< number of requests for each row of the route table
    bool draining = false;
};

/// The objects that handlers use. All of them belong to the I/O thread and outlive every call.
struct Services {
    const Clock& clock;
    Access& access;
    ViewCache& views;
    Streams& streams;
    HttpServer& http;
    Replies& replies;
    Intake& intake;
    LongPolls& polls;
    AgentProcesses& processes;
    Backups& backups;
    api::JsonDocument& document;
    LongBodies& bodies;
    const DaemonState& state;
    ProgressReplies& progress;
    const std::function<void(const std::string&)>& warn;  ///< logs a warning
};

/// One request. Valid until its handler returns.
class Call {
public:
    Call(HttpConnection& from, const ReplyTo& reply_to, const HttpRequest& received,
         const Principal& principal, const api::Query& parameters, Services& services)
        : connection(from),
          to(reply_to),
          request(received),
          caller(principal),
          query(parameters),
          on(services),
          bytes(received.body.size()) {}

    HttpConnection& connection;
    ReplyTo to;
    const HttpRequest& request;
    const Principal& caller;
    const api::Query& query;
    Services& on;
    std::size_t bytes;  ///< size of the inflated body

    const Target& target() const { return request.target; }
    const std::string& session() const { return request.target.session; }
    std::string path() const {
        const std::string_view target = request.head.target;
        return std::string{target.substr(0, target.find('?'))};
    }
    /// True if the caller may control sessions.
    bool controls() const { return on.access.may_control(caller, request.head); }
    /// True if the caller has sent a token with the scope `control`. In the mode `local`,
    /// controls() can be true without such a token.
    bool by_operator() const {
        return !caller.anonymous() && caller.grants.has(core::Scope::kControl);
    }

    /// own_key() of the header Idempotency-Key; empty without one. Error: kInvalidField.
    core::Result<std::string> idempotency_key() const;

    /// The caller to whose share this request's waits and streams belong (CallerShares): the token
    /// or login, else the user of the socket, else the address. Empty on the operator's socket.
    std::string place_holder() const;

    void respond(const Response& response) const { connection.respond(to.slot, response); }

    /// True if the body has to be read outside the I/O thread. Always false for routes that accept
    /// at most kBodyAtOnceBytesMax bytes.
    bool is_long() const noexcept {
        return request.packed || request.body.size() > core::limits::kBodyAtOnceBytesMax;
    }
    /// Runs `reads(document, body)` on a long body outside the I/O thread, then `follows(call)` on
    /// the I/O thread, and replies if `follows` returns an error. The request is handled even if
    /// the client is gone by then; the client's next request waits meanwhile. `reads` must use only
    /// its arguments and its own state. `asks`: see LongBodies::Body. Error: kOverloaded.
    core::Result<> read_beside(LongBodies::Read reads,
                               std::function<core::Result<>(Call& call)> follows,
                               bool asks = false) const;
    /// Reads the body with `reads(document, body)`, which returns a Result, and passes the value of
    /// that Result to `follows(call, value)`. This happens at once or, if the body is long, by
    /// read_beside().
    template <class Read, class Then>
    core::Result<> read_body(Read reads, Then follows) {
        using Value = decltype(reads(on.document, std::string_view{}));
        if (!is_long()) {
            Value value = reads(on.document, request.body);
            if (!value) return std::move(value).error();
            return follows(*this, *std::move(value));
        }
        const auto kept = std::make_shared<std::optional<Value>>();
        return read_beside(
            [kept, reads](api::JsonDocument& document, std::string_view body) {
                kept->emplace(reads(document, body));
            },
            [kept, follows](Call& call) -> core::Result<> {
                Value value = *std::move(*kept);
                if (!value) return std::move(value).error();
                return follows(call, *std::move(value));
            });
    }

    /// Sends the engine a command that changes something. The engine's answer becomes the reply.
    /// `session` is the session concerned, or empty. Error: kOverloaded.
    template <class Op>
    core::Result<> write(Op op, const std::string& session = {}) const {
        if (on.intake.ask(request_of(to, std::move(op)), session, bytes)) return {};
        return core::Error{core::ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
    }
    /// Sends the engine a query. Error: kOverloaded.
    template <class Op>
    core::Result<> read(Op op, const std::string& session = {}) const {
        return ask(request_of(to, std::move(op)), session);
    }
    /// Sends a query for a document, as a long poll if the request has the parameter `wait`. `id`
    /// is the document's key in LongPolls. Errors: kInvalidParameter, kOverloaded.
    template <class Op>
    core::Result<> read_document(Op op, std::string id) const {
        HEADWAY_CHECK(begin_wait(std::move(id)));
        auto asked = read(std::move(op));
        if (!asked) on.polls.answered(to);
        return asked;
    }

private:
    core::Result<> ask(Request asked, const std::string& session) const;
    core::Result<> begin_wait(std::string id) const;
};

}  // namespace headway::server
