// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/clock.hpp"
#include "cli/daemon.hpp"
#include "cli/event_line.hpp"
#include "cli/exit_code.hpp"
#include "cli/session_view.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

// `headway sessions`, `show` and `events`: what the daemon knows, read only.

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kPageSessions = 200;
constexpr std::size_t kPageEvents = 1'000;

std::string sessions_query(const SessionsOptions& options, std::size_t limit,
                           const std::string& cursor) {
    std::string query = "/v1/sessions?limit=" + std::to_string(limit);
    if (!options.verdict.empty()) query += "&verdict=" + url_encode(options.verdict);
    if (!options.label.empty()) query += "&label=" + url_encode(options.label);
    if (!options.agent.empty()) query += "&agent=" + url_encode(options.agent);
    if (options.open) query += std::string("&open=") + (*options.open ? "true" : "false");
    if (!cursor.empty()) query += "&cursor=" + url_encode(cursor);
    return query;
}

}  // namespace

int list_sessions(const SessionsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    json sessions = json::array();
    std::string cursor;
    bool more = true;
    while (more && sessions.size() < options.limit) {
        const std::size_t wanted = std::min(options.limit - sessions.size(), kPageSessions);
        const HttpReply reply = daemon.get(sessions_query(options, wanted, cursor));
        const std::optional<json> body = body_json(reply);
        const bool usable = reply.ok() && body && body->is_object() && body->contains("sessions");
        if (!usable) return explain_failure(console, daemon, reply);
        for (const json& session : (*body)["sessions"])
            sessions.push_back(session);
        const json next = body->value("next", json());
        more = next.is_string() && !(*body)["sessions"].empty();
        if (more) cursor = next.get<std::string>();
    }
    if (options.client.json) {
        console.out << dump(sessions) << "\n";
        return kExitOk;
    }
    if (options.ids) {
        for (const json& session : sessions)
            console.out << clean_line(session.value("id", "")) << "\n";
        return kExitOk;
    }
    if (sessions.empty()) {
        console.err << "no sessions; `headway run -- COMMAND` opens one\n";
        return kExitOk;
    }
    console.out << sessions_table(sessions, wall_now(), console.width, console.color);
    if (more) console.err << "there are more; raise --limit\n";
    return kExitOk;
}

int show_session(const ShowOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(session_path(options.session));
    const std::optional<json> body = body_json(reply);
    if (!reply.ok() || !body) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*body, 2) << "\n";
    } else {
        console.out << session_details(*body, wall_now(), console.color);
    }
    return kExitOk;
}

int print_events(const EventsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    std::uint64_t after = options.after;
    bool prints = options.client.json;  // what a replay needs; an older daemon knows none
    for (;;) {
        const std::string query = "/events?after=" + std::to_string(after) +
                                  "&limit=" + std::to_string(kPageEvents) +
                                  (prints ? "&prints=true" : "");
        const HttpReply reply = daemon.get(session_path(options.session, query));
        if (prints && reply.status == 400) {
            prints = false;
            continue;
        }
        const std::optional<json> body = body_json(reply);
        const bool usable = reply.ok() && body && body->is_object() && body->contains("events");
        if (!usable) return explain_failure(console, daemon, reply);
        const json& events = (*body)["events"];
        for (const json& event : events) {
            after = std::max(after, event.value("n", after));
            if (options.client.json) {
                console.out << dump(event) << "\n";
            } else {
                console.out << event_line(event, {console.width, 0, console.color}) << "\n";
            }
        }
        if (events.empty() || !body->value("more", false)) return kExitOk;
    }
}

}  // namespace headway::cli
