// SPDX-License-Identifier: Apache-2.0
#include "cli/run/children/child_sessions.hpp"

#include <cstdint>
#include <utility>

#include "api/hooks/session_names.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"

namespace headway::cli {
namespace {

constexpr int kChildNamesMost = 4;                    // a sub-agent that is begun again
constexpr std::uint64_t kChildHeartbeatMs = 300'000;  // as of hooks: a quiet one may think for long
constexpr const char* kRunEnded =
    R"([{"type":"session.ended","data":{"outcome":"cancelled","reason":"its run has ended"}}])";

HttpReply bare_reply(int status) {
    HttpReply reply;
    reply.status = status;
    reply.headers["x-headway"] = "";
    return reply;
}

/// The id of a directive in the reply by which the session has to stop; empty: there is none.
std::string stop_in(const HttpReply& reply) {
    const Json advice = body_json(reply).value_or(Json::object());
    for (const Json& directive : advice["directives"]) {
        if (directive["type"] == "stop") return directive.text_of("id");
    }
    return {};
}

bool may_come_later(const HttpReply& reply) {
    return worth_retrying(reply) || is_of_another_program(reply);
}

}  // namespace

ChildSessions::ChildSessions(const std::string& opening)
    : run_(Json::parse(opening).value_or(Json::object())) {}

Json ChildSessions::opening_of(const Report& report) const {
    const SubAgent& by = *report.by;
    const std::string& type = by.type.empty() ? by.agent : by.type;
    const std::string& name = run_["agent"].text_of("name");
    Json agent = {{"type", type == "command" ? "agent" : type},
                  {"name", name.empty() ? by.agent : name}};
    Json body = {{"parent", report.parent},
                 {"agent", std::move(agent)},
                 {"policy", {{"heartbeat_interval_ms", kChildHeartbeatMs}}}};
    if (run_.contains("labels")) body["labels"] = run_["labels"];
    if (!by.goal.empty()) body["goal"] = by.goal;
    return body;
}

/// Hooks may have opened it, with other words; an agent may have opened one of that name before,
/// which is none of this run.
HttpReply ChildSessions::open(Daemon& daemon, const Report& report, Child& child) const {
    const std::string body = dump(opening_of(report));
    const std::string family{base_of_generation(report.parent)};
    std::string name = api::hooks::child_session(family, report.by->id);
    for (int i = 0; i < kChildNamesMost; ++i, name = next_generation(name)) {
        HttpReply reply = daemon.put_text(session_path(name), body);
        if (reply.status == 409) reply = daemon.get(session_path(name));
        if (!reply.ok()) return reply;
        const Json about = body_json(reply).value_or(Json::object());
        if (about["ended_at"].is_string()) continue;
        if (base_of_generation(about.text_of("parent")) != family) break;
        child.session = name;
        return reply;
    }
    return bare_reply(409);
}

HttpReply ChildSessions::post(Daemon& daemon, const Report& report) {
    const auto [place, fresh] = children_.try_emplace(report.by);
    Child& child = place->second;
    HttpReply reply = bare_reply(child.refused ? 409 : 200);
    if (child.refused && report.ends) children_.erase(place);
    if (!reply.ok()) return reply;
    if (child.session.empty() && report.only_ends) {  // hooks report it, or it has done nothing
        children_.erase(place);
        return reply;
    }
    if (child.session.empty()) reply = open(daemon, report, child);
    if (reply.ok()) reply = daemon.post_text(session_path(child.session, "/events"), report.text);
    const bool of_event = !child.session.empty() && (reply.status == 400 || reply.status == 413) &&
                          problem_of(reply).code != "session_ended";
    if (reply.ok() && !report.ends) leave_if_stopped(daemon, reply, child);
    if (reply.ok() && report.ends) children_.erase(place);
    if (reply.ok() || may_come_later(reply) || of_event || reply.status == 401) return reply;
    child.refused = true;
    if (report.ends) children_.erase(place);
    return bare_reply(409);
}

/// Nothing can stop one sub-agent alone. Its session ends, and where it goes on, the run answers
/// for that.
void ChildSessions::leave_if_stopped(Daemon& daemon, const HttpReply& reply, Child& child) {
    const std::string id = stop_in(reply);
    if (id.empty()) return;
    Json end = Json::array();
    end.push_back({{"type", "directive.acknowledged"}, {"data", {{"id", id}}}});
    end.push_back({{"type", "session.ended"},
                   {"data", {{"outcome", "cancelled"}, {"reason", "it had to stop"}}}});
    (void)daemon.post_text(session_path(child.session, "/events"), dump(end));
    child.refused = true;
}

void ChildSessions::end_all(Daemon& daemon) {
    for (const auto& [by, child] : children_) {
        if (child.session.empty() || child.refused) continue;
        const HttpReply reply = daemon.post_text(session_path(child.session, "/events"), kRunEnded);
        if (!reply.ok() && may_come_later(reply)) break;
    }
    children_.clear();
}

}  // namespace headway::cli
