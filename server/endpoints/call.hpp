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
#include "server/backups.hpp"
#include "server/http_server.hpp"
#include "server/intake.hpp"
#include "server/judge_mailbox.hpp"
#include "server/long_polls.hpp"
#include "server/replies.hpp"
#include "server/streams.hpp"
#include "server/view_cache.hpp"

namespace headway::server {

/// What the daemon knows of itself, for /readyz, /metrics and /v1/system.
struct DaemonState {
    core::Timestamp started_at;
    std::filesystem::path database;
    std::vector<config::JudgeEndpoint> judges;
    std::function<JudgeStats()> judge_stats;  ///< empty: no judge is configured
    SupervisorStats supervisor;
    std::vector<std::uint64_t> requests;  ///< by row of the table of endpoints
    bool draining = false;
};

/// What handlers work with. All of it belongs to the I/O thread and outlives every call.
struct Services {
    const Clock& clock;
    Access& access;
    ViewCache& views;
    Streams& streams;
    HttpServer& http;
    Replies& replies;
    Intake& intake;
    LongPolls& polls;
    Backups& backups;
    api::JsonTape& tape;
    const DaemonState& state;
    const std::function<void(const std::string&)>& warn;  ///< a line of the log
};

/// One request on its way. Lives until its handler returns.
struct Call {
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
    /// Whether the caller may steer sessions.
    bool controls() const { return on.access.may_control(caller, request.head); }

    void respond(const Response& response) const { connection.respond(to.slot, response); }

    /// Hands over what changes something; the supervisor answers. Error: kOverloaded.
    core::Result<> submit(Command command, const std::string& session = {}) const {
        if (on.intake.ask(to, std::move(command), session, request.body.size())) return {};
        return core::Error{
            core::ErrorCode::kOverloaded, "nothing was stored; send it again", {}};
    }
    /// Hands over what only reads. Error: kOverloaded.
    core::Result<> ask(Command command, const std::string& session = {}) const {
        if (on.intake.ask(to, std::move(command), session, 0)) return {};
        return core::Error{
            core::ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
    }
    /// The same for a document that may be waited for: takes `wait` of the query. `id` is what
    /// LongPolls knows the document by. Errors: kInvalidParameter, kOverloaded.
    core::Result<> ask_document(Command command, std::string id) const;
};

}  // namespace headway::server
