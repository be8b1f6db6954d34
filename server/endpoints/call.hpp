// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json_tape.hpp"
#include "api/query.hpp"
#include "config/settings.hpp"
#include "server/access.hpp"
#include "server/agent_processes.hpp"
#include "server/backups.hpp"
#include "server/endpoints/answers.hpp"
#include "server/engine/make_task.hpp"
#include "server/http_server.hpp"
#include "server/intake.hpp"
#include "server/judge_ledger.hpp"
#include "server/long_bodies.hpp"
#include "server/long_polls.hpp"
#include "server/progress_replies.hpp"
#include "server/replies.hpp"
#include "server/streams.hpp"
#include "server/view_cache.hpp"

namespace headway::server {

/// The daemon's own state, for /readyz, /metrics and /v1/system.
struct DaemonState {
    core::Timestamp started_at;
    std::filesystem::path database;
    std::vector<config::JudgeEndpoint> judges;
    std::function<JudgeStats()> judge_stats;  ///< empty: no judge is configured
    EngineStats engine;
    std::vector<std::uint64_t> requests;  ///< by row of the table of endpoints
    bool draining = false;
};

/// What handlers use. All of it belongs to the I/O thread and outlives every call.
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
    api::JsonTape& tape;
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
          on(services) {}

    HttpConnection& connection;
    ReplyTo to;
    const HttpRequest& request;
    const Principal& caller;
    const api::Query& query;
    Services& on;

    const Target& target() const { return request.target; }
    const std::string& session() const { return request.target.session; }
    std::string path() const {
        const std::string_view target = request.head.target;
        return std::string{target.substr(0, target.find('?'))};
    }
    /// True if the caller may control sessions.
    bool controls() const { return on.access.may_control(caller, request.head); }
    /// True if the caller showed that: in mode `local` everyone may.
    bool by_operator() const {
        return !caller.anonymous() && caller.grants.has(core::Scope::kControl);
    }

    void respond(const Response& response) const { connection.respond(to.slot, response); }

    /// Sends a command that changes something; the engine answers. `session` is the session
    /// concerned, or empty. Error: kOverloaded.
    template <class Op>
    core::Result<> write(Op op, const std::string& session = {}) const {
        if (on.intake.ask(request_of(to, std::move(op)), session, request.body.size())) return {};
        return core::Error{core::ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
    }
    /// Sends a query. Error: kOverloaded.
    template <class Op>
    core::Result<> read(Op op, const std::string& session = {}) const {
        return ask(request_of(to, std::move(op)), session);
    }
    /// The same for a document with a long poll by the parameter `wait`. `id` is the document's key
    /// in LongPolls. Errors: kInvalidParameter, kOverloaded.
    template <class Op>
    core::Result<> read_document(Op op, std::string id) const {
        HEADWAY_CHECK(begin_wait(std::move(id)));
        auto asked = read(std::move(op));
        if (!asked) on.polls.answered(to);
        return asked;
    }

private:
    core::Result<> ask(Request made, const std::string& session) const;
    core::Result<> begin_wait(std::string id) const;
};

}  // namespace headway::server
